package io.orbitkv.workload.bench;

import io.orbitkv.workload.report.JsonReport;
import io.orbitkv.workload.report.Medians;
import io.orbitkv.workload.report.Percentiles;
import io.orbitkv.workload.report.TextTable;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;
import java.util.function.ToDoubleFunction;

/**
 * Several runs, each with a Manager of its own.
 *
 * @param concurrent queries at a time
 * @param pages pages of each query
 * @param queries of one run
 * @param runs at least one
 */
public record DeliveryBenchResult(int concurrent, int pages, int queries, List<DeliveryRun> runs) {
  /** Copies the runs. */
  public DeliveryBenchResult {
    runs = List.copyOf(runs);
  }

  /** Each percentile's median over the runs. */
  public Percentiles delivery() {
    return medians(DeliveryRun::delivery);
  }

  /** Each percentile's median over the runs. */
  public Percentiles answer() {
    return medians(DeliveryRun::answer);
  }

  private Percentiles medians(Function<DeliveryRun, Percentiles> figure) {
    return new Percentiles(
        median(run -> figure.apply(run).p50()),
        median(run -> figure.apply(run).p95()),
        median(run -> figure.apply(run).p99()),
        (long) queries * runs.size());
  }

  private double median(ToDoubleFunction<DeliveryRun> figure) {
    return Medians.of(runs.stream().mapToDouble(figure).toArray());
  }

  private boolean boardInUse() {
    return runs.stream().allMatch(DeliveryRun::boardInUse);
  }

  /** One JSON object. */
  public String json() {
    return JsonReport.object(report ->
        report
            .field("concurrent", concurrent)
            .field("pages", pages)
            .field("queries", queries)
            .field("board", boardInUse())
            .field("completion_delivery_ms", delivery(), 3)
            .field("answer_ms", answer(), 3)
            .field("queries_per_s", median(DeliveryRun::queriesPerSecond), 0)
            .objects("runs", runs, DeliveryBenchResult::fields));
  }

  private static void fields(JsonReport report, DeliveryRun run) {
    report
        .field("completion_delivery_ms", run.delivery(), 3)
        .field("answer_ms", run.answer(), 3)
        .field("queries_per_s", run.queriesPerSecond(), 0);
  }

  /** A table for people. */
  public String table() {
    return new TextTable()
        .row(
            "load",
            String.format(
                Locale.ROOT,
                "%d queries of %d pages at a time, %,d in each run",
                concurrent,
                pages,
                queries))
        .row("runs", String.format(Locale.ROOT, "%d, medians below", runs.size()))
        .row("offer to its acknowledgement", millis(delivery()))
        .row("query to the sight of its answer", millis(answer()))
        .row(
            "queries",
            String.format(Locale.ROOT, "%,.0f a second", median(DeliveryRun::queriesPerSecond)))
        .text();
  }

  private static String millis(Percentiles figure) {
    return String.format(
        Locale.ROOT,
        "p50 %.3f ms, p95 %.3f ms, p99 %.3f ms",
        figure.p50(),
        figure.p95(),
        figure.p99());
  }
}
