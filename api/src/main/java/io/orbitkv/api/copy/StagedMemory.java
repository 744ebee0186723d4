package io.orbitkv.api.copy;

import java.util.List;

/**
 * A device memory to which a copier can restore layer by layer. It owns events of the device, which
 * it records behind each layer and for which the worker's own streams can wait. A slot has an event
 * for each layer; the kernel says which slot a plan uses, and never gives one to a plan before the
 * worker has told that all its waits for the plan before are enqueued.
 */
public interface StagedMemory extends DeviceMemory {
  /** Most slots of a memory. */
  int MAX_SLOTS = 16;

  /**
   * Any thread. For each slot the handles of its events in the order of the layers, as 128
   * hexadecimal digits each; the worker opens them. At most {@link #MAX_SLOTS}; empty where nothing
   * is staged.
   */
  List<List<String>> stageEvents();

  /** Any thread. Largest plan in payload bytes that is submitted at once, as a staged one is. */
  long maxStagedBytes();
}
