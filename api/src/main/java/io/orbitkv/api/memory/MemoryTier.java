package io.orbitkv.api.memory;

import java.util.List;

/**
 * Host memory that holds pages. The kernel allocates one run a page and rank slot, keeps the
 * reference count itself and frees the run when nothing can touch it any more; a tier never takes
 * memory back on its own.
 *
 * <p>Life cycle: {@link #prepare} starts touching the chunks; each touched chunk is announced,
 * registered with the copiers and then activated on the dispatcher, from when on its bytes can be
 * allocated. So the Manager serves while later chunks are still being pinned. A tier stays until
 * the process ends; {@link #close} is called after everything drained.
 */
public interface MemoryTier extends AutoCloseable {
  /** Answer of {@link #allocate} when no free run is large enough. */
  long NO_MEMORY = -1;

  /**
   * Any thread, once. Starts touching the chunks on threads of the tier's own and returns at once.
   *
   * @param listener told of each chunk, on the tier's threads
   */
  void prepare(ChunkListener listener);

  /**
   * Dispatcher. Makes a touched chunk available to {@link #allocate}. O(1).
   *
   * @throws IllegalStateException when the chunk was not announced or is active already
   */
  void activate(HostChunk chunk);

  /**
   * Dispatcher. Allocates one run. O(1); never blocks, never evicts.
   *
   * @param bytes positive; the tier rounds up to {@link
   *     io.orbitkv.api.page.SlotLayout#RUN_ALIGNMENT}
   * @param numaNode the node that the run must lie on, or -1 for any
   * @return a handle, not negative, or {@link #NO_MEMORY}. The run is contiguous, aligned, inside
   *     one chunk; its content is undefined
   */
  long allocate(long bytes, int numaNode);

  /**
   * Dispatcher. Gives a run back and merges it with free neighbours. O(1).
   *
   * @throws IllegalArgumentException when the handle names no allocated run: a kernel bug, which
   *     ends the process
   */
  void free(long handle);

  /**
   * Dispatcher. The native address of a run. O(1).
   *
   * @throws IllegalArgumentException when the handle names no allocated run
   */
  long address(long handle);

  /** Dispatcher. Bytes that the run takes from the tier, rounding included. O(1). */
  long allocatedBytes(long handle);

  /** Any thread. All chunks, active or not, in order of address; constant after creation. */
  List<HostChunk> chunks();

  /** Dispatcher. A consistent picture of the tier's use. */
  MemoryUsage usage();

  /**
   * Any thread, after the dispatcher stopped and every copier closed. Returns the memory to the
   * system.
   */
  @Override
  void close();

  /** Hears of touched chunks. */
  interface ChunkListener {
    /**
     * A chunk's pages are present; it may be registered and then activated. Called on a thread of
     * the tier.
     */
    void touched(HostChunk chunk);

    /** A chunk could not be touched; it never becomes active. Called on a thread of the tier. */
    void failed(HostChunk chunk, Throwable cause);
  }
}
