package io.orbitkv.testkit.simulation;

import io.orbitkv.api.copy.DeviceMemory;
import io.orbitkv.api.copy.DeviceMemoryDescriptor;
import io.orbitkv.api.page.WorkerLayout;
import java.util.Map;
import java.util.TreeMap;

/**
 * The device memory of a pretended worker: one tag a page of a group in the place of its bytes.
 * Made by {@link SimulatedCopier#open}. One thread.
 */
public final class SimulatedDevice implements DeviceMemory {
  private final DeviceMemoryDescriptor descriptor;
  private final WorkerLayout layout;
  private final Map<Place, Long> tags = new TreeMap<>();
  private int plans;
  private boolean closed;

  SimulatedDevice(DeviceMemoryDescriptor descriptor, WorkerLayout layout) {
    this.descriptor = descriptor;
    this.layout = layout;
  }

  /** How it was opened. */
  public DeviceMemoryDescriptor descriptor() {
    return descriptor;
  }

  /** What was registered. */
  public WorkerLayout layout() {
    return layout;
  }

  /** What a page holds, 0 unless somebody wrote to it. */
  public long tag(int group, int page) {
    return tags.getOrDefault(new Place(group, page), 0L);
  }

  /** The engine writes to a page. */
  public void setTag(int group, int page, long tag) {
    tags.put(new Place(group, page), tag);
  }

  /** Whether it was closed. */
  public boolean isClosed() {
    return closed;
  }

  /** Plans that work on it. */
  public int plans() {
    return plans;
  }

  void begin() {
    if (closed) {
      throw new AssertionError("a copy begins on closed device memory of " + descriptor);
    }
    plans++;
  }

  void end() {
    plans--;
  }

  /**
   * @throws AssertionError when it is closed already, or under a plan
   */
  @Override
  public void close() {
    if (closed || plans > 0) {
      throw new AssertionError(
          "device memory of "
              + descriptor
              + (closed ? " is closed twice" : " is closed under [" + plans + "] plans"));
    }
    closed = true;
  }

  private record Place(int group, int page) implements Comparable<Place> {
    @Override
    public int compareTo(Place other) {
      int order = Integer.compare(group, other.group);
      return order != 0 ? order : Integer.compare(page, other.page);
    }
  }
}
