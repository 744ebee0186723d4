package io.orbitkv.workload.trace;

import org.jspecify.annotations.Nullable;

/** A stream of requests in the order of their arrival. One thread reads it. */
public interface TraceSource extends AutoCloseable {
  /** What the trace is called in reports: a file name, or the generator's settings. */
  String name();

  /**
   * What tells this trace's block ids from those of others: ids of two sources with equal
   * identities mean equal prompts.
   */
  String identity();

  /**
   * The next request, or null at the end.
   *
   * @throws TraceException when the trace is not usable from here on
   */
  @Nullable TraceRequest next();

  /** Closes what is open. May be called at any place in the trace, and more than once. */
  @Override
  void close();
}
