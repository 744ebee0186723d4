package io.orbitkv.api.copy;

import io.orbitkv.api.page.SlotLayout;

/**
 * One copy: some pages of one slot between host runs and device pages. Immutable; the caller gives
 * the arrays away. Entry {@code i} pairs the run at {@code hostAddress(i)} with the device page
 * {@code devicePage(i)}; the slot's layout says which fragments that is.
 */
public final class CopyPlan {
  /** No event to wait for. */
  public static final long NO_EVENT = 0;

  /** No events are recorded. */
  public static final int NO_STAGE = -1;

  private final long id;
  private final DeviceMemory memory;
  private final SlotLayout slot;
  private final Direction direction;
  private final boolean speculative;
  private final long waitEvent;
  private final long[] hostAddresses;
  private final int[] devicePages;
  private final int stageSlot;

  /**
   * @param id unique among the plans of one Manager
   * @param memory opened by the copier that gets this plan
   * @param slot layout of the pages on both sides
   * @param direction which way
   * @param speculative whether foreground copies go first
   * @param waitEvent the client's event that must have happened before the first byte moves, or
   *     {@link #NO_EVENT}
   * @param hostAddresses native addresses of runs, owned by the plan until its terminal completion
   * @param devicePages as many device pages, each below the slot's number
   */
  public CopyPlan(
      long id,
      DeviceMemory memory,
      SlotLayout slot,
      Direction direction,
      boolean speculative,
      long waitEvent,
      long[] hostAddresses,
      int[] devicePages) {
    this(id, memory, slot, direction, speculative, waitEvent, hostAddresses, devicePages, NO_STAGE);
  }

  /**
   * A plan that may be staged.
   *
   * @param id unique among the plans of one Manager
   * @param memory opened by the copier that gets this plan
   * @param slot layout of the pages on both sides
   * @param direction which way
   * @param speculative whether foreground copies go first
   * @param waitEvent the client's event that must have happened before the first byte moves, or
   *     {@link #NO_EVENT}
   * @param hostAddresses native addresses of runs, owned by the plan until its terminal completion
   * @param devicePages as many device pages, each below the slot's number
   * @param stageSlot the slot of a {@link StagedMemory} whose events are recorded behind the
   *     layers, or {@link #NO_STAGE}
   */
  public CopyPlan(
      long id,
      DeviceMemory memory,
      SlotLayout slot,
      Direction direction,
      boolean speculative,
      long waitEvent,
      long[] hostAddresses,
      int[] devicePages,
      int stageSlot) {
    if (hostAddresses.length != devicePages.length || devicePages.length == 0) {
      throw new IllegalArgumentException(
          "a plan pairs ["
              + hostAddresses.length
              + "] runs with ["
              + devicePages.length
              + "] device pages");
    }
    this.id = id;
    this.memory = memory;
    this.slot = slot;
    this.direction = direction;
    this.speculative = speculative;
    this.waitEvent = waitEvent;
    this.hostAddresses = hostAddresses;
    this.devicePages = devicePages;
    this.stageSlot = stageSlot;
  }

  /** Unique among the plans of one Manager. */
  public long id() {
    return id;
  }

  /** The device side. */
  public DeviceMemory memory() {
    return memory;
  }

  /** Layout of the pages. */
  public SlotLayout slot() {
    return slot;
  }

  /** Which way. */
  public Direction direction() {
    return direction;
  }

  /** Whether foreground copies go first. */
  public boolean speculative() {
    return speculative;
  }

  /** The client's event to wait for, or {@link #NO_EVENT}. */
  public long waitEvent() {
    return waitEvent;
  }

  /** The slot whose events are recorded, or {@link #NO_STAGE}. */
  public int stageSlot() {
    return stageSlot;
  }

  /** Whether events are recorded behind the layers. */
  public boolean isStaged() {
    return stageSlot != NO_STAGE;
  }

  /** Number of pages. */
  public int pages() {
    return devicePages.length;
  }

  /** Native address of the run of entry {@code i}. */
  public long hostAddress(int i) {
    return hostAddresses[i];
  }

  /** Device page of entry {@code i}. */
  public int devicePage(int i) {
    return devicePages[i];
  }

  /** Payload bytes that the plan moves. */
  public long bytes() {
    return slot.payloadBytes() * devicePages.length;
  }

  /** Direction of a copy. */
  public enum Direction {
    /** A publish: device memory is read, host memory is written. */
    DEVICE_TO_HOST,
    /** A restore: host memory is read, device memory is written. */
    HOST_TO_DEVICE
  }
}
