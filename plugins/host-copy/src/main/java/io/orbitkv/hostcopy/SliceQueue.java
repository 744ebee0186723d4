package io.orbitkv.hostcopy;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Which slice is copied next.
 *
 * <p>Within a class, plans take turns: each gets one slice, then the next plan does. So a plan of
 * three slices beside one of 256 waits for three slices of it, not for 256. Foreground plans go
 * before speculative ones; but when both wait, one speculative slice follows each {@code
 * foregroundSlices} foreground ones, so that speculative copies advance, slowly, under any load.
 *
 * <p>Several threads may work on slices of one plan at once. Any thread; the lock is held for a few
 * steps only, never while bytes move.
 */
final class SliceQueue {
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition sliceThere = lock.newCondition();
  private final Deque<PlanRun> foreground = new ArrayDeque<>();
  private final Deque<PlanRun> speculative = new ArrayDeque<>();
  private final int capacity;
  private final long sliceBytes;
  private final int foregroundSlices;
  private int plans;
  private int foregroundInARow;
  private boolean closed;

  SliceQueue(int capacity, long sliceBytes, int foregroundSlices) {
    this.capacity = capacity;
    this.sliceBytes = sliceBytes;
    this.foregroundSlices = foregroundSlices;
  }

  /** Adds a plan at the end of its class; false when there are too many. */
  boolean add(PlanRun run) {
    lock.lock();
    try {
      if (closed) {
        throw new IllegalStateException(
            "plan [" + run.plan().id() + "] was submitted to a closed copier");
      }
      if (plans == capacity) {
        return false;
      }
      plans++;
      lineOf(run).addLast(run);
      sliceThere.signal();
      return true;
    } finally {
      lock.unlock();
    }
  }

  /** Waits for a slice; null when the queue is closed and every plan is done. */
  PlanRun.@Nullable Slice take() {
    lock.lock();
    try {
      while (foreground.isEmpty() && speculative.isEmpty()) {
        if (closed && plans == 0) {
          return null;
        }
        // Not interruptible: accepted plans are finished whatever happens to the scope.
        sliceThere.awaitUninterruptibly();
      }
      PlanRun run = nextRun();
      PlanRun.Slice slice = run.take(sliceBytes);
      if (run.hasSlice()) {
        lineOf(run).addLast(run);
        sliceThere.signal();
      }
      return slice;
    } finally {
      lock.unlock();
    }
  }

  /**
   * Gives a slice back.
   *
   * @param failure what went wrong, or null
   * @return whether this was the plan's last one: its place in the queue is free, and the caller
   *     reports it
   */
  boolean returned(PlanRun.Slice slice, @Nullable String failure) {
    lock.lock();
    try {
      PlanRun run = slice.run();
      boolean wasWaiting = run.hasSlice();
      run.returned(slice, failure);
      if (slice.isCheck() && run.hasSlice()) {
        // Its turn was the check: it goes on where it stood, not behind those that came after.
        lineOf(run).addFirst(run);
        sliceThere.signal();
      } else if (wasWaiting && !run.hasSlice()) {
        lineOf(run).remove(run);
      }
      if (!run.isDone()) {
        return false;
      }
      plans--;
      if (closed && plans == 0) {
        sliceThere.signalAll();
      }
      return true;
    } finally {
      lock.unlock();
    }
  }

  /** Refuses new plans and lets {@link #take} end when the accepted ones are done. */
  void close() {
    lock.lock();
    try {
      closed = true;
      sliceThere.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /** Plans accepted and not done. */
  int plans() {
    lock.lock();
    try {
      return plans;
    } finally {
      lock.unlock();
    }
  }

  private PlanRun nextRun() {
    boolean speculativeTurn =
        foreground.isEmpty() || (!speculative.isEmpty() && foregroundInARow >= foregroundSlices);
    if (speculativeTurn) {
      foregroundInARow = 0;
      return speculative.removeFirst();
    }
    foregroundInARow = Math.min(foregroundInARow + 1, foregroundSlices);
    return foreground.removeFirst();
  }

  private Deque<PlanRun> lineOf(PlanRun run) {
    return run.plan().speculative() ? speculative : foreground;
  }
}
