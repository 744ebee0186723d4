package io.orbitkv.workload.ssd;

import java.nio.file.Path;
import java.util.List;
import java.util.Locale;

/**
 * Figures of one subject at one size of pages under one load, medians over the rounds. Ratios are
 * medians of the ratios within a round; 0 where there is nothing to compare with.
 *
 * @param engine of the tier, or fio
 * @param files that the tier had
 * @param pageBytes payload of a page; fio's block
 * @param load how much is read
 * @param competingWrites whether reads and writes ran at the same time
 * @param readBytesPerSecond payload
 * @param writeBytesPerSecond payload
 * @param readsPerSecond pages
 * @param writesPerSecond pages
 * @param readP50Micros from the offer to the report
 * @param readP99Micros the same
 * @param readP99FromDueMicros from the moment at which the read was due
 * @param writeP50Micros from the offer to the report
 * @param writeP99Micros the same
 * @param ratioRead bytes read a second, to fio's
 * @param ratioWrite bytes written a second, to fio's
 * @param ratioP99 the reads' 99th percentile, to fio's
 * @param ratioP99WithWrites the same, to that of the row without competing writes
 */
public record SsdBenchRow(
    String engine,
    List<Path> files,
    long pageBytes,
    Load load,
    boolean competingWrites,
    double readBytesPerSecond,
    double writeBytesPerSecond,
    double readsPerSecond,
    double writesPerSecond,
    double readP50Micros,
    double readP99Micros,
    double readP99FromDueMicros,
    double writeP50Micros,
    double writeP99Micros,
    double ratioRead,
    double ratioWrite,
    double ratioP99,
    double ratioP99WithWrites) {
  /** Copies the files. */
  public SsdBenchRow {
    files = List.copyOf(files);
  }

  /** How much is read. */
  public enum Load {
    /** As fast as the depth allows. */
    FULL,
    /** Half the rate of reads alone; writes at their share of the bytes. */
    HALF,
    /**
     * The same, paced as one job of fio with a rate paces itself: before it waits until the next
     * operation is due it waits for all that are in flight.
     */
    HALF_DRAINED;

    /** In a report. */
    public String key() {
      return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /**
     * The load with a key.
     *
     * @throws IllegalArgumentException when there is none
     */
    public static Load of(String key) {
      for (Load load : values()) {
        if (load.key().equals(key)) {
          return load;
        }
      }
      throw new IllegalArgumentException(
          "--loads [" + key + "] is none of full, half, half-drained");
    }
  }
}
