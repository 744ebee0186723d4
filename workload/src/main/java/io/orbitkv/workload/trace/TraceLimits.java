package io.orbitkv.workload.trace;

/** What a trace may ask of its reader. */
final class TraceLimits {
  /** Longest line, in bytes. A prompt of a million tokens in blocks of 64 takes about 150 kB. */
  static final int MAX_LINE_BYTES = 1 << 20;

  /** Latest arrival: a hundred days. */
  static final double MAX_NANOS = 100.0 * 86_400 * 1e9;

  /** Most requests of a trace that is held in memory. */
  static final int MAX_REQUESTS = 1_000_000;

  /** Most block ids of a trace that is held in memory. */
  static final long MAX_BLOCKS = 100_000_000;

  /** Longest file of one session, in bytes. */
  static final long MAX_SESSION_BYTES = 256L << 20;

  private TraceLimits() {}
}
