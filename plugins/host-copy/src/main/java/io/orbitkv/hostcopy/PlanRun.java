package io.orbitkv.hostcopy;

import io.orbitkv.api.copy.CopyOutcome;
import io.orbitkv.api.copy.CopyPlan;
import io.orbitkv.api.copy.DeviceCopier.CopyListener;
import org.jspecify.annotations.Nullable;

/**
 * An accepted plan on its way: the payload of its pages, one after another, is one line of bytes,
 * cut into slices. Guarded by the lock of the {@link SliceQueue}.
 */
final class PlanRun {
  private final CopyPlan plan;
  private final CopyListener listener;
  private final long acceptedNanos;
  private long nextByte;
  private int slicesRunning;
  private boolean checked;
  private @Nullable String failure;

  PlanRun(CopyPlan plan, CopyListener listener, long acceptedNanos) {
    this.plan = plan;
    this.listener = listener;
    this.acceptedNanos = acceptedNanos;
  }

  CopyPlan plan() {
    return plan;
  }

  CopyListener listener() {
    return listener;
  }

  long acceptedNanos() {
    return acceptedNanos;
  }

  /**
   * Takes the next slice. The first one is empty: it stands for the check of the plan, before which
   * no byte moves.
   */
  Slice take(long sliceBytes) {
    slicesRunning++;
    if (!checked) {
      return new Slice(this, 0, 0);
    }
    long from = nextByte;
    nextByte = Math.min(plan.bytes(), from + sliceBytes);
    return new Slice(this, from, nextByte);
  }

  /** Gives a slice back. After a failure no further slice is taken. */
  void returned(Slice slice, @Nullable String sliceFailure) {
    slicesRunning--;
    if (slice.isCheck()) {
      checked = true;
    }
    if (sliceFailure != null) {
      if (failure == null) {
        failure = sliceFailure;
      }
      nextByte = plan.bytes();
    }
  }

  /** Whether a slice can be taken now. */
  boolean hasSlice() {
    return checked ? nextByte < plan.bytes() : slicesRunning == 0;
  }

  boolean isDone() {
    return checked && nextByte == plan.bytes() && slicesRunning == 0;
  }

  CopyOutcome outcome() {
    return failure == null ? new CopyOutcome.Done() : new CopyOutcome.Failed(failure);
  }

  /**
   * A part of a plan's line of payload.
   *
   * @param run the plan
   * @param from first byte
   * @param to byte after the last
   */
  record Slice(PlanRun run, long from, long to) {
    boolean isCheck() {
      return from == to;
    }
  }
}
