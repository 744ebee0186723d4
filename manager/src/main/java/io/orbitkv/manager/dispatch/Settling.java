package io.orbitkv.manager.dispatch;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Those who wait until the Manager has nothing left to do: policies have heard and answered
 * everything, advice is taken, pages that were to be written are. Whoever asks for that between its
 * requests sees the same decisions in each run, however busy the machine is.
 *
 * <p>Two maintenance ticks belong to each such moment, each after everything else and before its
 * own consequences are waited for: with the first one policies hear what has happened, with the
 * second one they are asked with what they made of it. The regular ticks, which come when the clock
 * has it, stay out for {@link #HOLD_NANOS} afterwards. A client that goes away without a word
 * delays maintenance by that and no more. Dispatcher, but for {@link Wait}.
 */
final class Settling {
  /** Policies do not tell when they have heard a fact: how often to look. */
  static final long LOOK_NANOS = 100_000;

  private static final int TICKS = 2;

  /** How long the regular ticks stay out. */
  static final long HOLD_NANOS = 2_000_000_000;

  private final List<Wait> waits = new ArrayList<>();
  private boolean holding;
  private long heldUntilNanos;

  /** One who waits. */
  static final class Wait {
    private final CompletableFuture<@Nullable Void> settled = new CompletableFuture<>();
    private volatile String awaited = "the dispatcher";
    private int ticks;

    /** Any thread. Done once everything is settled. Whoever does not wait any more cancels it. */
    CompletableFuture<@Nullable Void> settled() {
      return settled;
    }

    /** Any thread. What was still under way at the last look. */
    String awaited() {
      return awaited;
    }
  }

  void add(Wait wait, long nowNanos) {
    waits.add(wait);
    hold(nowNanos);
  }

  /** Whether somebody waits. */
  boolean waits() {
    return !waits.isEmpty();
  }

  private void hold(long nowNanos) {
    holding = true;
    heldUntilNanos = nowNanos + HOLD_NANOS;
  }

  /** Whether regular ticks stay out. */
  boolean holds(long nowNanos) {
    return holding && heldUntilNanos - nowNanos > 0;
  }

  /**
   * Whether regular ticks stayed out until now; told once.
   *
   * @return whether they come again from now on
   */
  boolean endsHold(long nowNanos) {
    if (!holding || holds(nowNanos)) {
      return false;
    }
    holding = false;
    return true;
  }

  /** Something is under way. */
  void busy(String what) {
    for (Wait wait : waits) {
      wait.awaited = what;
    }
  }

  /**
   * Nothing is under way. Answers those whose ticks were before that.
   *
   * @return whether a tick is due, for the others
   */
  boolean quiet(long nowNanos) {
    boolean tick = false;
    List<Wait> left = new ArrayList<>();
    for (Wait wait : waits) {
      if (wait.settled.isDone()) {
        continue;
      }
      if (wait.ticks == TICKS) {
        hold(nowNanos);
        wait.settled.complete(null);
      } else {
        wait.ticks++;
        tick = true;
        left.add(wait);
      }
    }
    waits.clear();
    waits.addAll(left);
    return tick;
  }

  /** Those who do not wait any more are forgotten. */
  void forgetCancelled() {
    waits.removeIf(wait -> wait.settled.isDone());
  }

  /** The dispatcher has ended. */
  void abandon(RuntimeException ended) {
    waits.forEach(wait -> wait.settled.completeExceptionally(ended));
    waits.clear();
  }
}
