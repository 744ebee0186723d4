package io.orbitkv.manager.experiment;

import java.util.Arrays;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** What a Manager can see of live traffic by itself, under the names of reports. */
public enum LiveMeasure {
  /** Mean time from a query to its last restored byte. */
  WAIT_MEAN("wait.mean", false, false),
  /** Its 95th percentile. */
  WAIT_P95("wait.p95", false, false),
  /** Prompt pages that the cache served. */
  PREFIX_HIT_RATIO("prefix_hit_ratio", true, false),
  /** Queries a second. */
  THROUGHPUT("throughput", true, true),
  /** Payload restored. */
  RESTORED_BYTES("restored_bytes", true, true),
  /** Read from the backing tier. */
  SSD_READ_BYTES("ssd_read_bytes", false, true),
  /** Written to it. */
  SSD_WRITTEN_BYTES("ssd_written_bytes", false, true),
  /** Published and not kept. */
  DROPPED_PAGES("dropped_pages", false, true),
  /** Offered to the backing tier and not written. */
  UNWRITTEN_PAGES("unwritten_pages", false, true),
  /** Allocations without room. */
  ALLOCATION_FAILURES("allocation_failures", false, true),
  /** Failed reads. */
  READ_FAILURES("read_failures", false, true),
  /** Read ahead and used. */
  SPECULATIVE_USEFUL_BYTES("speculative_useful_bytes", true, true),
  /** Read ahead and not used. */
  SPECULATIVE_UNUSED_BYTES("speculative_unused_bytes", false, true);

  private static final Pattern PERCENT = Pattern.compile("([+-]?)\\s*\\d{1,2}(\\.\\d{1,6})?\\s*%");

  private final String key;
  private final boolean moreIsBetter;
  private final boolean turnsOnly;

  LiveMeasure(String key, boolean moreIsBetter, boolean turnsOnly) {
    this.key = key;
    this.moreIsBetter = moreIsBetter;
    this.turnsOnly = turnsOnly;
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
            .filter(each -> !each.turnsOnly || isolation != Isolation.SHARED)
            .map(each -> each.key)
            .collect(Collectors.joining(", "));
    if (known.isEmpty()) {
      return Optional.of(
          "["
              + written.measure()
              + "] is nothing that a Manager sees of live traffic: it sees "
              + usable);
    }
    if (known.get().turnsOnly && isolation == Isolation.SHARED) {
      return Optional.of(
          "["
              + written.measure()
              + "] is one sum of both variants while they run at once: use isolation: time, or one"
              + " of "
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
