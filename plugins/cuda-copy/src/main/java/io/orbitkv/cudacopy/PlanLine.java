package io.orbitkv.cudacopy;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Whose slice is submitted next. Any thread; the lock is held for a few steps only.
 *
 * <p>Within a class, plans take turns slice by slice. Foreground plans go before speculative ones;
 * but when both wait, one speculative slice follows each {@code foregroundSlices} foreground ones.
 */
final class PlanLine {
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition there = lock.newCondition();
  private final Deque<PlanRun> foreground = new ArrayDeque<>();
  private final Deque<PlanRun> speculative = new ArrayDeque<>();
  private final int foregroundSlices;
  private int foregroundInARow;
  private boolean closed;

  PlanLine(int foregroundSlices) {
    this.foregroundSlices = foregroundSlices;
  }

  /**
   * Adds a plan at the end of its class.
   *
   * @throws IllegalStateException when the copier is closed
   */
  void add(PlanRun run) {
    lock.lock();
    try {
      if (closed) {
        throw new IllegalStateException(
            "plan [" + run.plan().id() + "] was submitted to a closed copier");
      }
      lineOf(run).addLast(run);
      there.signal();
    } finally {
      lock.unlock();
    }
  }

  /** Lane. A plan that has more slices waits for its next turn. */
  void again(PlanRun run) {
    lock.lock();
    try {
      lineOf(run).addLast(run);
    } finally {
      lock.unlock();
    }
  }

  /** Lane. A plan whose turn was spent on waiting goes on where it stood. */
  void first(PlanRun run) {
    lock.lock();
    try {
      lineOf(run).addFirst(run);
    } finally {
      lock.unlock();
    }
  }

  /**
   * Lane. Takes the plan whose turn it is.
   *
   * @param wait whether to sleep until there is one
   * @return null when there is none; after waiting, that the line is closed
   */
  @Nullable PlanRun take(boolean wait) {
    lock.lock();
    try {
      while (foreground.isEmpty() && speculative.isEmpty()) {
        if (!wait || closed) {
          return null;
        }
        // Not interruptible: accepted plans are finished whatever happens to the scope.
        there.awaitUninterruptibly();
      }
      boolean speculativeTurn =
          foreground.isEmpty() || (!speculative.isEmpty() && foregroundInARow >= foregroundSlices);
      if (speculativeTurn) {
        foregroundInARow = 0;
        return speculative.removeFirst();
      }
      foregroundInARow = Math.min(foregroundInARow + 1, foregroundSlices);
      return foreground.removeFirst();
    } finally {
      lock.unlock();
    }
  }

  /** Refuses new plans; the lane ends when the accepted ones are done. */
  void close() {
    lock.lock();
    try {
      closed = true;
      there.signalAll();
    } finally {
      lock.unlock();
    }
  }

  private Deque<PlanRun> lineOf(PlanRun run) {
    return run.plan().speculative() ? speculative : foreground;
  }
}
