package io.orbitkv.workload.ssd;

import java.util.Locale;

/** One measurement of a subject, in this order. */
enum Phase {
  /** New pages as fast as the depth allows. */
  WRITE("writes alone"),
  /** Stored pages in random order as fast as the depth allows. */
  READ("reads alone"),
  /** Both as fast as the depth allows. */
  BOTH("reads and writes"),
  /** Reads at half the rate of {@link #READ}. */
  HALF_READ("reads at half their rate"),
  /** The same, with writes at their share. */
  HALF_BOTH("reads at half their rate beside writes at their share");

  private static final double WHOLE_PERCENT = 100;

  private final String words;

  Phase(String words) {
    this.words = words;
  }

  String words() {
    return words;
  }

  /** The rate of writes that are {@code sharePercent} of all bytes beside reads. */
  static double writesBeside(double readsPerSecond, int sharePercent) {
    return readsPerSecond * sharePercent / (WHOLE_PERCENT - sharePercent);
  }

  /** The figures are in a row of this load. */
  SsdBenchRow.Load load() {
    return switch (this) {
      case WRITE, READ, BOTH -> SsdBenchRow.Load.FULL;
      case HALF_READ, HALF_BOTH -> SsdBenchRow.Load.HALF;
    };
  }

  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT);
  }
}
