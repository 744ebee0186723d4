package io.orbitkv.api.copy;

import io.orbitkv.api.memory.HostChunk;
import io.orbitkv.api.page.WorkerLayout;

/**
 * Moves pages between host memory and the device memory of workers.
 *
 * <p>A plan owns its host runs, its device memory and its place in the queue from {@link #submit}
 * until the one terminal report that follows each accepted plan. Nothing shortens that: there is no
 * cancel.
 */
public interface DeviceCopier extends AutoCloseable {
  /** Any thread. The {@link DeviceMemoryDescriptor#kind()} that this copier opens. */
  String memoryKind();

  /**
   * Manager's registration thread, once a chunk, before any plan names an address in it. May block.
   *
   * @throws IllegalStateException when the device refuses the range
   */
  void registerHostMemory(HostChunk chunk);

  /**
   * Manager's device thread. Opens a worker's memory. May block.
   *
   * @throws IllegalArgumentException when the descriptor is not what it says (wrong size, missing
   *     seals, foreign process)
   * @throws IllegalStateException when the system refuses
   */
  DeviceMemory open(DeviceMemoryDescriptor descriptor, WorkerLayout layout);

  /**
   * Dispatcher. Hands a plan over; never blocks and does no I/O.
   *
   * <p>The listener of a staged plan is a {@link StageListener}.
   *
   * @return false when the copier's queue is full; the caller offers the plan again after a
   *     completion
   */
  boolean submit(CopyPlan plan, CopyListener listener);

  /**
   * Manager's boot thread, after every plan reported and every memory was closed. Ends the copier's
   * threads.
   */
  @Override
  void close();

  /** Hears of terminal reports. */
  @FunctionalInterface
  interface CopyListener {
    /**
     * A thread of the copier, exactly once for an accepted plan. Must return quickly and not throw.
     */
    void completed(CopyPlan plan, CopyOutcome outcome);
  }

  /** Hears of staged plans as well. */
  interface StageListener extends CopyListener {
    /**
     * A thread of the copier, at most once, before the terminal report: every copy of a staged plan
     * and every record of an event behind a layer was submitted, each with success. Must return
     * quickly and not throw.
     */
    void submitted(CopyPlan plan);
  }
}
