package io.orbitkv.kernel;

import io.orbitkv.api.copy.StagedMemory;
import java.util.ArrayList;
import java.util.List;

/** A device memory without bytes that offers slots of events. */
record FakeStagedMemory(int slots, long maxStagedBytes) implements StagedMemory {
  @Override
  public List<List<String>> stageEvents() {
    List<List<String>> events = new ArrayList<>();
    for (int slot = 0; slot < slots; slot++) {
      events.add(List.of("%0128x".formatted(slot)));
    }
    return events;
  }

  @Override
  public void close() {}
}
