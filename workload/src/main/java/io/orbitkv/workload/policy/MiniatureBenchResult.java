package io.orbitkv.workload.policy;

import io.orbitkv.model.ModelTotals;
import io.orbitkv.model.ModelTrace;
import io.orbitkv.workload.report.JsonReport;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * What two policies differ by, and what pairs of miniatures say they do.
 *
 * @param active of the whole trace with the one
 * @param shadow of the whole trace with the other
 * @param pairs one for each sample
 */
public record MiniatureBenchResult(
    MiniatureBench.Options options,
    ModelTrace trace,
    ModelTotals active,
    ModelTotals shadow,
    List<Pair> pairs) {
  private static final int DIGITS = 5;

  /** Copies the list. */
  public MiniatureBenchResult {
    pairs = List.copyOf(pairs);
  }

  /**
   * Two miniatures that saw the same.
   *
   * @param lookups that each served
   * @param pages that each was asked for
   * @param activeHits pages of prefix hits of the one
   * @param shadowHits pages of prefix hits of the other
   * @param activeWrittenBytes to the backing tier by the one
   * @param shadowWrittenBytes to the backing tier by the other
   */
  public record Pair(
      long lookups,
      long pages,
      long activeHits,
      long shadowHits,
      long activeWrittenBytes,
      long shadowWrittenBytes) {
    /** Hit ratio of the shadow less that of the active. */
    public double difference() {
      return pages == 0 ? 0 : (double) (shadowHits - activeHits) / pages;
    }
  }

  /** Prefix hit ratio of the shadow less that of the active, on the whole trace. */
  public double difference() {
    return shadow.prefixHitRatio() - active.prefixHitRatio();
  }

  /** The mean of what the pairs say. */
  public double mean() {
    return pairs.stream().mapToDouble(Pair::difference).average().orElse(0);
  }

  /** The standard deviation of what one pair says. */
  public double deviation() {
    double mean = mean();
    double squares =
        pairs.stream().mapToDouble(pair -> Math.pow(pair.difference() - mean, 2)).sum();
    return pairs.size() < 2 ? 0 : Math.sqrt(squares / (pairs.size() - 1));
  }

  /** Pairs that favour the same policy as the whole trace does. */
  public long agreeing() {
    return pairs.stream()
        .filter(pair -> Math.signum(pair.difference()) == Math.signum(difference()))
        .count();
  }

  /** For programs. */
  public String json() {
    return JsonReport.object(report -> {
      report
          .field("trace", trace.name())
          .field("requests", trace.requests())
          .field("pages", trace.totalPages())
          .field("page_tokens", trace.pageTokens())
          .field("token_bytes", options.tokenBytes())
          .field("capacity_bytes", options.dramBytes())
          .field("ssd_bytes", options.ssdBytes())
          .field("slot", options.slot().key())
          .field("active", name(options.active()))
          .field("shadow", name(options.shadow()))
          .object(
              "whole",
              whole ->
                  whole
                      .field("active_prefix_hit_ratio", active.prefixHitRatio(), DIGITS)
                      .field("shadow_prefix_hit_ratio", shadow.prefixHitRatio(), DIGITS)
                      .field("difference", difference(), DIGITS)
                      .field("active_ssd_written_bytes", active.ssdWrittenBytes())
                      .field("shadow_ssd_written_bytes", shadow.ssdWrittenBytes()))
          .object(
              "miniatures",
              minis ->
                  minis
                      .field("sample_ratio", options.share(), DIGITS)
                      .field("pairs", pairs.size())
                      .field("difference_mean", mean(), DIGITS)
                      .field("difference_deviation", deviation(), DIGITS)
                      .field("same_sign", agreeing()));
    });
  }

  /** For people. */
  public String table() {
    StringBuilder text = new StringBuilder();
    text.append(
        String.format(
            Locale.ROOT,
            "%s: %s in %s, less %s%n",
            trace.name(),
            name(options.shadow()),
            options.slot().key(),
            name(options.active())));
    text.append(
        String.format(
            Locale.ROOT,
            "  whole trace, whole size            %+.4f  (%.4f and %.4f)%n",
            difference(),
            shadow.prefixHitRatio(),
            active.prefixHitRatio()));
    text.append(
        String.format(
            Locale.ROOT,
            "  pairs with %s %% of both         %+.4f  standard deviation of a pair %.4f%n",
            percent(),
            mean(),
            deviation()));
    text.append(
        String.format(
            Locale.ROOT,
            "  favour the same policy            %d of %d%n",
            agreeing(),
            pairs.size()));
    return text.toString();
  }

  private String percent() {
    return String.format(Locale.ROOT, "%5.1f", 100 * options.share());
  }

  private static String name(@Nullable BenchedPolicy policy) {
    return policy == null ? "none" : policy.name();
  }
}
