package io.orbitkv.cudacopy;

import io.orbitkv.api.copy.CopyOutcome;
import io.orbitkv.api.copy.CopyPlan;
import io.orbitkv.api.copy.DeviceCopier.CopyListener;
import org.jspecify.annotations.Nullable;

/**
 * An accepted plan on its way: the payload of its pages, one after another, is one line of bytes,
 * submitted in slices. Its lane's thread only, once it has been taken from the {@link PlanLine}.
 */
final class PlanRun {
  private final CopyPlan plan;
  private final CudaMemory memory;
  private final CopyListener listener;
  private final long acceptedNanos;
  private long nextByte;
  private int slicesInFlight;
  private boolean started;
  private boolean ended;
  private @Nullable String failure;

  PlanRun(CopyPlan plan, CudaMemory memory, CopyListener listener, long acceptedNanos) {
    this.plan = plan;
    this.memory = memory;
    this.listener = listener;
    this.acceptedNanos = acceptedNanos;
  }

  CopyPlan plan() {
    return plan;
  }

  CudaMemory memory() {
    return memory;
  }

  CopyListener listener() {
    return listener;
  }

  long acceptedNanos() {
    return acceptedNanos;
  }

  /** Whether the plan was checked and its event has happened. */
  boolean isStarted() {
    return started;
  }

  void start() {
    started = true;
  }

  /** First byte that was not submitted. */
  long nextByte() {
    return nextByte;
  }

  /** Bytes up to {@code end} were submitted and will land together. */
  void submitted(long end) {
    nextByte = end;
    slicesInFlight++;
  }

  void landed() {
    slicesInFlight--;
  }

  /** Nothing more of the plan is submitted. The first message stays. */
  void fail(String message) {
    if (failure == null) {
      failure = message;
    }
    nextByte = plan.bytes();
  }

  /** Its report goes out now. */
  void end() {
    ended = true;
  }

  /**
   * Whether it was reported: a plan that failed while it waited for its turn still stands there.
   */
  boolean hasEnded() {
    return ended;
  }

  boolean hasMore() {
    return nextByte < plan.bytes();
  }

  boolean isDone() {
    return !hasMore() && slicesInFlight == 0;
  }

  CopyOutcome outcome() {
    return failure == null ? new CopyOutcome.Done() : new CopyOutcome.Failed(failure);
  }
}
