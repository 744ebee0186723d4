package io.orbitkv.workload.ssd;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** Threads that do the same side by side. Used by one thread. */
final class Lanes {
  private final List<Thread> threads = new ArrayList<>();
  private final AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();

  private Lanes() {}

  /** What a lane does. */
  @FunctionalInterface
  interface Work {
    void run(int lane) throws InterruptedException;
  }

  /** Starts lanes 0 to {@code count - 1}. */
  static Lanes start(int count, Work work) {
    Lanes lanes = new Lanes();
    for (int lane = 0; lane < count; lane++) {
      int number = lane;
      lanes.threads.add(
          Thread.ofPlatform()
              .name("orbitkv-lane-" + lane)
              .daemon()
              .start(() -> lanes.run(work, number)));
    }
    return lanes;
  }

  private void run(Work work, int lane) {
    try {
      work.run(lane);
    } catch (InterruptedException | RuntimeException | Error problem) {
      failure.compareAndSet(null, problem);
    }
  }

  /** Whether all of them are at it. */
  boolean running() {
    return threads.stream().allMatch(Thread::isAlive);
  }

  /**
   * Waits until all have ended. Interrupted, it interrupts them and waits on: what they work on is
   * theirs until then.
   */
  void join() throws InterruptedException {
    boolean interrupted = false;
    for (Thread thread : threads) {
      while (thread.isAlive()) {
        try {
          thread.join();
        } catch (InterruptedException stopped) {
          interrupted = true;
          threads.forEach(Thread::interrupt);
        }
      }
    }
    if (interrupted) {
      throw new InterruptedException("stopped");
    }
  }

  /** Throws what one of them failed with, if one did. */
  void rethrow() throws InterruptedException {
    switch (failure.get()) {
      case null -> {}
      case InterruptedException stopped -> throw stopped;
      case RuntimeException problem -> throw problem;
      case Error broken -> throw broken;
      default -> throw new IllegalStateException(failure.get());
    }
  }
}
