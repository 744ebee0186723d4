package io.orbitkv.workload.ab.verdict;

import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Collectors;

/** What is measured of a run. Percentiles are those of the requests of one run. */
public enum Measure {
  /** Mean time to first token. */
  TTFT_MEAN("ttft.mean", "s", Better.LOWER, Basis.TIME),
  /** Its median. */
  TTFT_P50("ttft.p50", "s", Better.LOWER, Basis.TIME),
  /** Its 95th percentile. */
  TTFT_P95("ttft.p95", "s", Better.LOWER, Basis.TIME),
  /** Its 99th percentile. */
  TTFT_P99("ttft.p99", "s", Better.LOWER, Basis.TIME),
  /** Mean time from a request's query to its last restored byte. */
  WAIT_MEAN("wait.mean", "s", Better.LOWER, Basis.TIME),
  /** Its 95th percentile. */
  WAIT_P95("wait.p95", "s", Better.LOWER, Basis.TIME),
  /** Completed requests a second, from the first request to the last answer. */
  THROUGHPUT("throughput", "requests/s", Better.HIGHER, Basis.TIME),
  /** Prompt pages that the cache served, as a share of all. */
  PREFIX_HIT_RATIO("prefix_hit_ratio", "", Better.HIGHER, Basis.SHARE),
  /** Bytes read from the SSD. */
  SSD_READ_BYTES("ssd_read_bytes", "B", Better.LOWER, Basis.AMOUNT),
  /** Bytes written to the SSD. */
  SSD_WRITTEN_BYTES("ssd_written_bytes", "B", Better.LOWER, Basis.AMOUNT),
  /** Bytes restored. */
  RESTORED_BYTES("restored_bytes", "B", Better.HIGHER, Basis.AMOUNT),
  /** Bytes read ahead that a request used. */
  SPECULATIVE_USEFUL_BYTES("speculative_useful_bytes", "B", Better.HIGHER, Basis.AMOUNT),
  /** Bytes read ahead that nobody used. */
  SPECULATIVE_UNUSED_BYTES("speculative_unused_bytes", "B", Better.LOWER, Basis.AMOUNT),
  /** Bytes read ahead whose use is open at the end. */
  SPECULATIVE_PENDING_BYTES("speculative_pending_bytes", "B", Better.LOWER, Basis.AMOUNT),
  /** Most query bytes reserved at one time. */
  BUDGET_PEAK_BYTES("budget_peak_bytes", "B", Better.LOWER, Basis.AMOUNT),
  /** Allocations that found no room. */
  ALLOCATION_FAILURES("allocation_failures", "", Better.LOWER, Basis.AMOUNT),
  /** Pages whose read failed. */
  READ_FAILURES("read_failures", "", Better.LOWER, Basis.AMOUNT),
  /** Pages that were published and not stored. */
  DROPPED_PAGES("dropped_pages", "", Better.LOWER, Basis.AMOUNT),
  /** Pages that were offered to the SSD and not written. */
  UNWRITTEN_PAGES("unwritten_pages", "", Better.LOWER, Basis.AMOUNT),
  /** From the last request until nothing was under way. */
  DRAIN_SECONDS("drain_s", "s", Better.LOWER, Basis.TIME);

  /** Which direction is an improvement. */
  public enum Better {
    /** Less of it. */
    LOWER,
    /** More of it. */
    HIGHER
  }

  /** What kind of figure it is. */
  public enum Basis {
    /** Depends on a clock, measured or modelled. */
    TIME,
    /** Between 0 and 1. */
    SHARE,
    /** Bytes, pages or events. */
    AMOUNT
  }

  private final String key;
  private final String unit;
  private final Better better;
  private final Basis basis;

  Measure(String key, String unit, Better better, Basis basis) {
    this.key = key;
    this.unit = unit;
    this.better = better;
    this.basis = basis;
  }

  /** Its name in configurations and reports. */
  public String key() {
    return key;
  }

  /** Its unit; empty for a number. */
  public String unit() {
    return unit;
  }

  /** Which direction is an improvement. */
  public Better better() {
    return better;
  }

  /** What kind of figure it is. */
  public Basis basis() {
    return basis;
  }

  /** How much worse an effect makes it; negative for an improvement. */
  public double harm(double effect) {
    return switch (better) {
      case LOWER -> effect;
      case HIGHER -> -effect;
    };
  }

  /** The measure of a name. */
  public static Optional<Measure> of(String key) {
    String wanted = key.strip().toLowerCase(Locale.ROOT);
    return Arrays.stream(values()).filter(measure -> measure.key.equals(wanted)).findFirst();
  }

  /**
   * The measure of a name.
   *
   * @throws IllegalArgumentException naming those that there are
   */
  public static Measure parse(String key) {
    return of(key)
        .orElseThrow(() ->
            new IllegalArgumentException(
                "["
                    + key
                    + "] is not a measure: use one of "
                    + Arrays.stream(values()).map(Measure::key).collect(Collectors.joining(", "))));
  }
}
