package io.orbitkv.workload.policy;

import io.orbitkv.model.ModelTotals;
import io.orbitkv.model.ModelTrace;
import io.orbitkv.workload.report.ColumnTable;
import io.orbitkv.workload.report.JsonReport;
import java.util.List;
import java.util.Locale;

/**
 * What a trace offers, and what each policy kept of it.
 *
 * @param infinite prefix hit ratio of a cache without end
 * @param clairvoyant of one that knows what comes, at the size of all tiers together
 * @param plain with every slot at its built-in default: the order of last use, everything written
 * @param policies in the order of the question
 * @param limited the same under write limits
 */
public record PolicyBenchResult(
    PolicyBenchOptions options,
    ModelTrace trace,
    double infinite,
    double clairvoyant,
    ModelTotals plain,
    List<PolicyFigures> policies,
    List<PolicyBenchResult.Limited> limited) {
  private static final int DIGITS = 4;
  private static final double GIB = 1L << 30;

  /** Copies the lists. */
  public PolicyBenchResult {
    policies = List.copyOf(policies);
    limited = List.copyOf(limited);
  }

  /**
   * Figures under a write limit.
   *
   * @param percent of the bytes that writing all writes
   * @param queue everything offered, and what does not fit dropped
   * @param policies cut off where the limit is reached
   */
  public record Limited(int percent, ModelTotals queue, List<PolicyFigures> policies) {
    /** Copies the list. */
    public Limited {
      policies = List.copyOf(policies);
    }
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
          .field("role", options.role().key())
          .field("capacity_bytes", options.dramBytes())
          .field("ssd_bytes", options.ssdBytes())
          .field("seeds", options.seeds())
          .field("infinite", infinite, DIGITS)
          .field("clairvoyant", clairvoyant, DIGITS)
          .field("lru", plain.prefixHitRatio(), DIGITS)
          .field("default", options.role().byDefault());
      if (options.ssdBytes() > 0) {
        report.field("ssd_written_bytes", plain.ssdWrittenBytes());
      }
      report.object("policies", all -> policies(all, policies));
      if (!limited.isEmpty()) {
        report.object(
            "write_limits",
            all -> {
              for (Limited limit : limited) {
                all.object(limit.percent() + "%", one -> limit(one, limit));
              }
            });
      }
    });
  }

  private void limit(JsonReport report, Limited limit) {
    report
        .object(
            "queue",
            queue ->
                queue
                    .field("prefix_hit_ratio", limit.queue().prefixHitRatio(), DIGITS)
                    .field("ssd_written_bytes", limit.queue().ssdWrittenBytes()))
        .object("policies", all -> policies(all, limit.policies()));
  }

  private void policies(JsonReport report, List<PolicyFigures> all) {
    for (PolicyFigures figures : all) {
      report.object(
          figures.name(),
          one -> {
            one.field("prefix_hit_ratio", figures.prefixHitRatio(), DIGITS)
                .field("gap_closed", figures.gapClosed(), DIGITS)
                .field("against_lru", againstPlain(figures.prefixHitRatio()), DIGITS)
                .field("spread", figures.spread(), DIGITS);
            if (options.ssdBytes() > 0) {
              one.field("ssd_written_bytes", figures.ssdWrittenBytes())
                  .field("written_share", writtenShare(figures.ssdWrittenBytes()), DIGITS);
            }
          });
    }
  }

  /** For people. */
  public String table() {
    StringBuilder text = new StringBuilder();
    text.append(
        String.format(
            Locale.ROOT,
            "%s: %,d requests, %,d pages of %d tokens%n",
            trace.name(),
            trace.requests(),
            trace.totalPages(),
            trace.pageTokens()));
    text.append(
        String.format(
            Locale.ROOT,
            "host memory %,.0f GiB%s, %,d bytes a token, median of %d seed%s%n%n",
            options.dramBytes() / GIB,
            options.ssdBytes() == 0
                ? ""
                : String.format(Locale.ROOT, ", SSD %,.0f GiB", options.ssdBytes() / GIB),
            options.tokenBytes(),
            options.seeds(),
            options.seeds() == 1 ? "" : "s"));
    boolean written = options.ssdBytes() > 0;
    ColumnTable table =
        written
            ? new ColumnTable("policy", "prefix hits", "of LRU", "gap closed", "spread", "written")
            : new ColumnTable("policy", "prefix hits", "of LRU", "gap closed", "spread");
    reference(table, "endless cache", infinite, written);
    reference(table, "clairvoyant", clairvoyant, written);
    row(
        table,
        written ? "LRU, all written" : "LRU",
        plain.prefixHitRatio(),
        "",
        "",
        plain.ssdWrittenBytes());
    for (PolicyFigures figures : policies) {
      policy(table, figures);
    }
    text.append(table.text());
    for (Limited limit : limited) {
      text.append(
          String.format(
              Locale.ROOT, "%nWrite limit: %d %% of what writing all writes%n", limit.percent()));
      ColumnTable under =
          new ColumnTable("policy", "prefix hits", "of LRU", "gap closed", "spread", "written");
      row(
          under,
          "queue that drops",
          limit.queue().prefixHitRatio(),
          "",
          "",
          limit.queue().ssdWrittenBytes());
      for (PolicyFigures figures : limit.policies()) {
        policy(under, figures);
      }
      text.append(under.text());
    }
    text.append(String.format(Locale.ROOT, "%nDefault: %s%n", options.role().byDefault()));
    return text.toString();
  }

  private void reference(ColumnTable table, String name, double ratio, boolean written) {
    String of = number(againstPlain(ratio), 2);
    if (written) {
      table.row(name, number(ratio, DIGITS), of, "", "", "");
    } else {
      table.row(name, number(ratio, DIGITS), of, "", "");
    }
  }

  private void policy(ColumnTable table, PolicyFigures figures) {
    row(
        table,
        figures.name(),
        figures.prefixHitRatio(),
        number(figures.gapClosed(), 2),
        number(figures.spread(), DIGITS),
        figures.ssdWrittenBytes());
  }

  private void row(
      ColumnTable table, String name, double ratio, String gap, String spread, long written) {
    String of = number(againstPlain(ratio), 2);
    if (options.ssdBytes() > 0) {
      String bytes =
          String.format(
              Locale.ROOT, "%,.0f GiB, %.0f %%", written / GIB, 100 * writtenShare(written));
      table.row(name, number(ratio, DIGITS), of, gap, spread, bytes);
    } else {
      table.row(name, number(ratio, DIGITS), of, gap, spread);
    }
  }

  private double againstPlain(double ratio) {
    return plain.prefixHitRatio() == 0 ? 0 : ratio / plain.prefixHitRatio();
  }

  private double writtenShare(long bytes) {
    return plain.ssdWrittenBytes() == 0 ? 0 : (double) bytes / plain.ssdWrittenBytes();
  }

  private static String number(double value, int digits) {
    return String.format(Locale.ROOT, "%." + digits + "f", value);
  }
}
