package io.orbitkv.manager.thread;

import java.time.Duration;

/** Delayed and repeated work. Injected, so that tests decide when time passes. */
public interface Timers extends AutoCloseable {
  /**
   * Any thread. Runs {@code task} once after {@code delay}, on the timers' thread; it must not
   * block.
   */
  Timer after(Duration delay, Runnable task);

  /** Any thread. Runs {@code task} again and again, on the timers' thread; it must not block. */
  Timer every(Duration interval, Runnable task);

  /** Runs nothing any more. */
  @Override
  void close();

  /** Something that will happen. */
  @FunctionalInterface
  interface Timer {
    /** Any thread. It will not happen, unless it happens at this moment. */
    void cancel();
  }
}
