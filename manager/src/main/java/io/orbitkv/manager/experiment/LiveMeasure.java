package io.orbitkv.manager.experiment;

import java.util.Arrays;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** What a Manager can see of live traffic by itself, under the names of reports. */
public enum LiveMeasure {
  /** Mean time from a query to its last restored byte. */
  WAIT_MEAN("wait.mean", false, Seen.ALWAYS),
  /** Its 95th percentile. */
  WAIT_P95("wait.p95", false, Seen.ALWAYS),
  /** Prompt pages that the cache served. */
  PREFIX_HIT_RATIO("prefix_hit_ratio", true, Seen.ALWAYS),
  /** Queries a second. */
  THROUGHPUT("throughput", true, Seen.ALONE),
  /** Payload restored. */
  RESTORED_BYTES("restored_bytes", true, Seen.APART),
  /** Read from the backing tier. */
  SSD_READ_BYTES("ssd_read_bytes", false, Seen.APART),
  /** Written to it. */
  SSD_WRITTEN_BYTES("ssd_written_bytes", false, Seen.APART),
  /** Published and not kept. */
  DROPPED_PAGES("dropped_pages", false, Seen.APART),
  /** Offered to the backing tier and not written. */
  UNWRITTEN_PAGES("unwritten_pages", false, Seen.APART),
  /** Allocations without room. */
  ALLOCATION_FAILURES("allocation_failures", false, Seen.APART),
  /** Failed reads. */
  READ_FAILURES("read_failures", false, Seen.APART),
  /** Read ahead and used. */
  SPECULATIVE_USEFUL_BYTES("speculative_useful_bytes", true, Seen.APART),
  /** Read ahead and not used. */
  SPECULATIVE_UNUSED_BYTES("speculative_unused_bytes", false, Seen.APART);

  private static final Pattern PERCENT = Pattern.compile("([+-]?)\\s*\\d{1,2}(\\.\\d{1,6})?\\s*%");

  private final String key;
  private final boolean moreIsBetter;
  private final Seen seen;

  /** When the variants' values can be told apart. */
  private enum Seen {
    /** Whatever the isolation. */
    ALWAYS,
    /** When each variant has a kernel of its own, or its own time. */
    APART,
    /** When one variant has all the traffic at a time. */
    ALONE;

    boolean under(Isolation isolation) {
      return switch (this) {
        case ALWAYS -> true;
        case APART -> isolation != Isolation.SHARED;
        case ALONE -> isolation == Isolation.TIME;
      };
    }
  }

  LiveMeasure(String key, boolean moreIsBetter, Seen seen) {
    this.key = key;
    this.moreIsBetter = moreIsBetter;
    this.seen = seen;
  }

  /** Its name in configurations and reports. */
  public String key() {
    return key;
  }

  /**
   * Why a measure cannot decide, or guard, an experiment.
   *
   * @param guard whether it is to guard, so that its limit has a sign
   */
  public static Optional<String> problem(Relative written, Isolation isolation, boolean guard) {
    Optional<LiveMeasure> known =
        Arrays.stream(values()).filter(each -> each.key.equals(written.measure())).findFirst();
    String usable =
        Arrays.stream(values())
            .filter(each -> each.seen.under(isolation))
            .map(each -> each.key)
            .collect(Collectors.joining(", "));
    if (known.isEmpty()) {
      return Optional.of(
          "["
              + written.measure()
              + "] is nothing that a Manager sees of live traffic: it sees "
              + usable);
    }
    if (!known.get().seen.under(isolation)) {
      return Optional.of(
          "["
              + written.measure()
              + (isolation == Isolation.PARTITION
                  ? "] says how much traffic was assigned to a variant, not how fast it was: use"
                  : "] is one sum of both variants while they run at once: use")
              + " isolation: time, or one of "
              + usable);
    }
    var form = PERCENT.matcher(written.percent().strip());
    if (!form.matches()) {
      return Optional.of(
          "[" + written.percent() + "] is no relative change below 100%: write such as 2% or -1%");
    }
    boolean falls = form.group(1).equals("-");
    boolean zero = !written.percent().matches(".*[1-9].*");
    if (guard && !zero && falls != known.get().moreIsBetter) {
      return Optional.of(
          "["
              + written.percent()
              + "] has the wrong sign: "
              + (falls
                  ? "less of it is better, so write how much it may rise, such as +2%"
                  : "more of it is better, so write how much it may fall, such as -1%"));
    }
    return !guard && falls
        ? Optional.of("[" + written.percent() + "] is no margin: write it without a sign")
        : Optional.empty();
  }
}
