package io.orbitkv.api.plugin;

import java.util.function.LongSupplier;

/**
 * Meters of a plugin. Names are snake case with the unit last ({@code write_bytes_total}); the
 * Manager adds its prefix and the plugin's id. Any thread.
 */
public interface Meters {
  /** A counter that only grows. */
  Counter counter(String name, String description);

  /** A value that is read when somebody asks. The supplier must be cheap and thread-safe. */
  void gauge(String name, String description, LongSupplier value);

  /** A distribution of durations. */
  Timer timer(String name, String description);

  /** A counter. */
  @FunctionalInterface
  interface Counter {
    /** Adds {@code amount}, not negative. */
    void add(long amount);
  }

  /** A distribution of durations. */
  @FunctionalInterface
  interface Timer {
    /** Records a duration in nanoseconds. */
    void record(long nanos);
  }
}
