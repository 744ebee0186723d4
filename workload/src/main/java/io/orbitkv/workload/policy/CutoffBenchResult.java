package io.orbitkv.workload.policy;

import io.orbitkv.model.ModelTrace;
import io.orbitkv.workload.report.ColumnTable;
import io.orbitkv.workload.report.JsonReport;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;

/**
 * Mean times to first token of cutoffs.
 *
 * @param policies that were measured
 * @param cells every combination of speeds and loads
 */
public record CutoffBenchResult(
    PolicyBenchOptions options, ModelTrace trace, List<String> policies, List<Cell> cells) {
  private static final int DIGITS = 4;

  /** Copies the lists. */
  public CutoffBenchResult {
    policies = List.copyOf(policies);
    cells = List.copyOf(cells);
  }

  /**
   * One combination.
   *
   * @param load of an open loop; 0 in a closed one
   * @param concurrency of a closed loop; 0 in an open one
   * @param restoreSeconds mean time to first token when everything is restored
   * @param recomputeSeconds when nothing is
   * @param seconds of each policy
   */
  @SuppressWarnings("ArrayRecordComponent") // Never compared.
  public record Cell(
      double ssdBytesPerSecond,
      double prefillTokensPerSecond,
      double load,
      int concurrency,
      double restoreSeconds,
      double recomputeSeconds,
      double[] seconds) {
    /** Of a policy against the better of both; 1 is level with it. */
    public double regret(int policy) {
      return seconds[policy] / Math.min(restoreSeconds, recomputeSeconds);
    }

    String loop() {
      return concurrency > 0
          ? concurrency + " at a time"
          : String.format(Locale.ROOT, "load %.1f", load);
    }
  }

  /** The combination where a policy is worst. */
  public Cell worst(int policy) {
    return cells.stream()
        .max(Comparator.comparingDouble(cell -> cell.regret(policy)))
        .orElseThrow();
  }

  private double mean(int policy) {
    return cells.stream().mapToDouble(cell -> cell.regret(policy)).average().orElseThrow();
  }

  /** For programs. */
  public String json() {
    return JsonReport.object(report -> {
      report
          .field("trace", trace.name())
          .field("requests", trace.requests())
          .field("role", options.role().key())
          .field("capacity_bytes", options.dramBytes())
          .field("ssd_bytes", options.ssdBytes())
          .field("token_bytes", options.tokenBytes())
          .field("default", options.role().byDefault())
          .field("combinations", cells.size());
      report.object(
          "policies",
          all -> {
            for (int i = 0; i < policies.size(); i++) {
              int policy = i;
              all.object(
                  policies.get(i),
                  one ->
                      one.field("worst_regret", worst(policy).regret(policy), DIGITS)
                          .field("mean_regret", mean(policy), DIGITS)
                          .objects("cells", cells, (json, cell) -> cell(json, cell, policy)));
            }
          });
    });
  }

  private static void cell(JsonReport json, Cell cell, int policy) {
    json.field("ssd_bytes_per_second", cell.ssdBytesPerSecond(), 0)
        .field("prefill_tokens_per_second", cell.prefillTokensPerSecond(), 0);
    if (cell.concurrency() > 0) {
      json.field("concurrency", cell.concurrency());
    } else {
      json.field("load", cell.load(), 2);
    }
    json.field("restore_seconds", cell.restoreSeconds(), DIGITS)
        .field("recompute_seconds", cell.recomputeSeconds(), DIGITS)
        .field("seconds", cell.seconds()[policy], DIGITS)
        .field("regret", cell.regret(policy), DIGITS);
  }

  /** For people: of each loop the speeds where a policy is worst. */
  public String table() {
    StringBuilder text = new StringBuilder();
    text.append(
        String.format(
            Locale.ROOT,
            "%s: %,d requests, %d combinations; mean seconds to first token where it is worst%n%n",
            trace.name(),
            trace.requests(),
            cells.size()));
    ColumnTable table =
        new ColumnTable(
            "policy",
            "loop",
            "SSD GB/s",
            "tokens/s",
            "restore",
            "recompute",
            "policy s",
            "of the better");
    for (int i = 0; i < policies.size(); i++) {
      int policy = i;
      for (String loop : cells.stream().map(Cell::loop).distinct().toList()) {
        Cell worst =
            cells.stream()
                .filter(cell -> cell.loop().equals(loop))
                .max(Comparator.comparingDouble(cell -> cell.regret(policy)))
                .orElseThrow();
        table.row(
            policies.get(i),
            loop,
            number("%.1f", worst.ssdBytesPerSecond() / 1e9),
            number("%.0f", worst.prefillTokensPerSecond()),
            number("%.3f", worst.restoreSeconds()),
            number("%.3f", worst.recomputeSeconds()),
            number("%.3f", worst.seconds()[i]),
            number("%.3f", worst.regret(i)));
      }
    }
    text.append(table.text());
    for (int i = 0; i < policies.size(); i++) {
      text.append(
          String.format(
              Locale.ROOT,
              "%n%s: worst %.3f, mean %.3f of the better of both%n",
              policies.get(i),
              worst(i).regret(i),
              mean(i)));
    }
    text.append(String.format(Locale.ROOT, "Default: %s%n", options.role().byDefault()));
    return text.toString();
  }

  private static String number(String format, double value) {
    return String.format(Locale.ROOT, format, value);
  }
}
