package io.orbitkv.workload.policy;

import io.orbitkv.api.policy.PolicySlot;
import io.orbitkv.model.ModelTotals;
import io.orbitkv.model.ModelTrace;
import io.orbitkv.workload.report.ColumnTable;
import io.orbitkv.workload.report.JsonReport;
import io.orbitkv.workload.report.Quantity;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What became of a trial.
 *
 * @param policy its name
 * @param against the name of the other one
 * @param slots that both served in
 * @param own what it kept
 * @param other what the other one kept
 * @param plain what is kept by the built-in defaults
 * @param clairvoyant prefix hit ratio of one who knows what comes, at the size of all tiers
 * @param infinite prefix hit ratio of a cache without end
 * @param ownQueues what it chose from queues; null for other slots
 * @param otherQueues what the other one chose; null for other slots
 * @param watch what was seen of its calls
 */
public record PolicyTrialResult(
    PolicyTrialOptions options,
    ModelTrace trace,
    String policy,
    String against,
    Set<PolicySlot> slots,
    Kept own,
    Kept other,
    Kept plain,
    double clairvoyant,
    double infinite,
    @Nullable QueueFigures ownQueues,
    @Nullable QueueFigures otherQueues,
    PolicyWatch watch) {
  private static final int DIGITS = 4;
  private static final double NANOS_PER_MILLI = 1e6;
  private static final double LATE_SHARE = 0.01;

  /** Copies the slots. */
  public PolicyTrialResult {
    slots = PolicySlot.setOf(slots);
  }

  /**
   * What a run kept.
   *
   * @param totals of its requests
   * @param meanTtftSeconds modelled time to first token
   */
  public record Kept(ModelTotals totals, double meanTtftSeconds) {}

  /** Whether the Manager could rely on it: it never threw, and was late less than once in 100. */
  public boolean sound() {
    return watch.thrown() == 0
        && watch.nonsense() == 0
        && watch.late() <= LATE_SHARE * watch.calls();
  }

  /** What was lost against one who knows what comes. */
  public double regret() {
    return clairvoyant - own.totals().prefixHitRatio();
  }

  /** For people. */
  public String text() {
    StringBuilder text = new StringBuilder();
    text.append(
        String.format(
            Locale.ROOT,
            "%s in %s, beside %s%n%s: %,d requests, %,d pages; host memory %s, SSD %s%n%n",
            policy,
            String.join(", ", slots.stream().map(PolicySlot::key).toList()),
            against,
            trace.name(),
            trace.requests(),
            trace.totalPages(),
            Quantity.bytes(options.dramBytes()),
            options.ssdBytes() == 0 ? "none" : Quantity.bytes(options.ssdBytes())));
    QueueFigures chose = ownQueues;
    QueueFigures otherChose = otherQueues;
    if (chose != null && otherChose != null) {
      ColumnTable table =
          new ColumnTable("policy", "queues", "chosen", "in vain", "read ahead in time");
      row(table, policy, chose);
      row(table, against, otherChose);
      text.append(table.text());
      text.append(
          "\nThe model reads nothing ahead: the share of pages read from the SSD whose request was"
              + " chosen before its turn.\n");
    } else {
      text.append(kept());
    }
    decisions(text);
    calls(text);
    return text.toString();
  }

  private String kept() {
    ColumnTable table =
        new ColumnTable("policy", "prefix hits", "of the other", "written", "read", "mean TTFT");
    row(table, policy, own);
    row(table, against, other);
    if (!other.equals(plain)) {
      row(table, "default", plain);
    }
    table.row("clairvoyant", number(clairvoyant), ratio(clairvoyant), "", "", "");
    table.row("endless cache", number(infinite), ratio(infinite), "", "", "");
    return table.text()
        + String.format(
            Locale.ROOT,
            "%nRegret: %.4f of all pages were hits of the clairvoyant bound and not of %s (%.4f of"
                + " %s).%n",
            regret(),
            policy,
            clairvoyant - other.totals().prefixHitRatio(),
            against);
  }

  private void row(ColumnTable table, String name, Kept kept) {
    double hits = kept.totals().prefixHitRatio();
    table.row(
        name,
        number(hits),
        ratio(hits),
        Quantity.bytes(kept.totals().ssdWrittenBytes()),
        Quantity.bytes(kept.totals().ssdReadBytes()),
        String.format(Locale.ROOT, "%.1f ms", kept.meanTtftSeconds() * 1e3));
  }

  private static void row(ColumnTable table, String name, QueueFigures figures) {
    table.row(
        name,
        Quantity.count(figures.asked()),
        Quantity.count(figures.chosen()),
        Quantity.count(figures.chosenInVain()),
        String.format(Locale.ROOT, "%.1f %%", 100 * figures.covered()));
  }

  private void decisions(StringBuilder text) {
    text.append("\nWhat it chose:\n");
    watch
        .choices()
        .forEach((choice, count) ->
            text.append(String.format(Locale.ROOT, "  %,10d  %s%n", count, choice)));
    List<PolicyWatch.Decision> first = watch.decisions();
    if (!first.isEmpty()) {
      text.append("First decisions:\n");
      first.forEach(decision -> text.append("  ").append(decision.text()).append('\n'));
    }
  }

  private void calls(StringBuilder text) {
    text.append(
        String.format(
            Locale.ROOT,
            "%n%,d calls, %.4f ms on average, %.2f ms the slowest; %,d threw, %,d answered"
                + " nonsense, %,d were late (over %,d ms)%n",
            watch.calls(),
            watch.meanNanos() / NANOS_PER_MILLI,
            watch.slowestNanos() / NANOS_PER_MILLI,
            watch.thrown(),
            watch.nonsense(),
            watch.late(),
            (long) (watch.limitNanos() / NANOS_PER_MILLI)));
    watch.problems().forEach(problem -> text.append("  ").append(problem).append('\n'));
    if (!sound()) {
      text.append(
          "A Manager would let the built-in default stand in for "
              + policy
              + " each time: mend that first, the figures above have it in them.\n");
    }
  }

  /** For programs. */
  public String json() {
    return JsonReport.object(report -> {
      report
          .field("policy", policy)
          .field("against", against)
          .texts("slots", slots.stream().map(PolicySlot::key).toList())
          .field("trace", trace.name())
          .field("requests", trace.requests())
          .field("pages", trace.totalPages())
          .field("page_tokens", trace.pageTokens())
          .field("capacity_bytes", options.dramBytes())
          .field("ssd_bytes", options.ssdBytes())
          .field("seed", options.seed())
          .field("prefix_hit_ratio", own.totals().prefixHitRatio(), DIGITS)
          .field("against_prefix_hit_ratio", other.totals().prefixHitRatio(), DIGITS)
          .field("lru", plain.totals().prefixHitRatio(), DIGITS)
          .field("clairvoyant", clairvoyant, DIGITS)
          .field("infinite", infinite, DIGITS)
          .field("regret", regret(), DIGITS)
          .field("against_regret", clairvoyant - other.totals().prefixHitRatio(), DIGITS)
          .field("hit_pages", own.totals().hitPages())
          .field("against_hit_pages", other.totals().hitPages())
          .field("ssd_written_bytes", own.totals().ssdWrittenBytes())
          .field("against_ssd_written_bytes", other.totals().ssdWrittenBytes())
          .field("ssd_read_bytes", own.totals().ssdReadBytes())
          .field("against_ssd_read_bytes", other.totals().ssdReadBytes())
          .field("mean_ttft_s", own.meanTtftSeconds(), 6)
          .field("against_mean_ttft_s", other.meanTtftSeconds(), 6);
      QueueFigures chose = ownQueues;
      QueueFigures otherChose = otherQueues;
      if (chose != null && otherChose != null) {
        report
            .object("queues", one -> queues(one, chose))
            .object("against_queues", one -> queues(one, otherChose));
      }
      report
          .field("sound", sound())
          .field("calls", watch.calls())
          .field("thrown", watch.thrown())
          .field("nonsense", watch.nonsense())
          .field("late", watch.late())
          .field("mean_call_us", watch.meanNanos() / 1e3, 3)
          .field("slowest_call_us", watch.slowestNanos() / 1e3, 3)
          .texts("problems", watch.problems())
          .object("choices", all -> watch.choices().forEach(all::field))
          .texts(
              "first_decisions",
              watch.decisions().stream().map(PolicyWatch.Decision::text).toList());
    });
  }

  private static void queues(JsonReport report, QueueFigures figures) {
    report
        .field("asked", figures.asked())
        .field("chosen", figures.chosen())
        .field("chosen_in_vain", figures.chosenInVain())
        .field("needed_pages", figures.neededPages())
        .field("covered_pages", figures.coveredPages())
        .field("covered", figures.covered(), DIGITS);
  }

  private String ratio(double hits) {
    double of = other.totals().prefixHitRatio();
    return of == 0 ? "" : String.format(Locale.ROOT, "%.3f", hits / of);
  }

  private static String number(double value) {
    return String.format(Locale.ROOT, "%.4f", value);
  }
}
