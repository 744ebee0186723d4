package io.orbitkv.ssd.device;

/**
 * A pair of queues shared with the system: requests go in by batches, completions come out. Used by
 * the one thread that made it, except {@link #wake}. The seam at which tests plant faults.
 */
interface SubmissionRing extends AutoCloseable {
  /** Number of the completion that {@link #wake} makes; no request has it. */
  long WAKE = 0;

  /** Result of {@link #submitAndWait} that is no error: something may have completed. */
  int OK = 0;

  /** How many more requests can be prepared. */
  int free();

  /** Queues a request for the next submission. Its memory stays in use until {@link #release}. */
  void prepare(Request request);

  /** Makes the next {@link #wake} end a wait; once after the start, and after each such end. */
  void armWake();

  /**
   * Hands everything prepared over, in one call where the system takes it, and waits for a
   * completion.
   *
   * @param timeoutNanos most of the wait; {@link Long#MAX_VALUE} for no limit
   * @return {@link #OK}, or a negated error number after which the ring is of no use
   */
  int submitAndWait(long timeoutNanos);

  /** Goes to the next completion; false when there is none yet. */
  boolean nextCompletion();

  /** Number of the request that completed. */
  long completedNumber();

  /** Bytes moved, or the negated error number. */
  int completedResult();

  /** The request has completed: its slot is free. */
  void release(Request request);

  /** Any thread. Ends the current wait or the next one. */
  void wake();

  /** Whether memory was registered. */
  boolean fixedBuffers();

  /** Why memory was not registered though it should have been; empty otherwise. */
  String notes();

  /** Gives the queues back; nothing may be in flight. */
  @Override
  void close();
}
