package io.orbitkv.workload.ssd;

import java.util.Locale;

/** One measurement of a subject, in this order. */
enum Phase {
  /** New pages as fast as the depth allows. */
  WRITE("writes alone", SsdBenchRow.Load.FULL),
  /** Stored pages in random order as fast as the depth allows. */
  READ("reads alone", SsdBenchRow.Load.FULL),
  /** Both as fast as the depth allows. */
  BOTH("reads and writes", SsdBenchRow.Load.FULL),
  /** Reads at half the rate of {@link #READ}. */
  HALF_READ("reads at half their rate", SsdBenchRow.Load.HALF),
  /** The same, with writes at their share. */
  HALF_BOTH("reads at half their rate beside writes at their share", SsdBenchRow.Load.HALF),
  /** As {@link #HALF_READ}, paced as one job of fio paces itself. */
  DRAINED_READ("reads at half their rate, paced as fio does", SsdBenchRow.Load.HALF_DRAINED),
  /** As {@link #HALF_BOTH}, paced as one job of fio paces itself. */
  DRAINED_BOTH(
      "reads at half their rate beside writes, paced as fio does", SsdBenchRow.Load.HALF_DRAINED);

  private static final double WHOLE_PERCENT = 100;

  private final String words;
  private final SsdBenchRow.Load load;

  Phase(String words, SsdBenchRow.Load load) {
    this.words = words;
    this.load = load;
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
    return load;
  }

  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT);
  }
}
