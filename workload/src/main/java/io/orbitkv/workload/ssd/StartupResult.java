package io.orbitkv.workload.ssd;

import io.orbitkv.workload.report.JsonReport;
import io.orbitkv.workload.report.Quantity;
import io.orbitkv.workload.report.TextTable;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;

/**
 * How long starts took.
 *
 * @param options what was measured
 * @param pages stored at the end
 * @param fillSeconds that writing them took
 * @param clean starts of a tier after a clean stop
 * @param killed the same after a kill
 * @param cleanManagers starts of a Manager after a clean stop
 * @param killedManagers the same after a kill
 */
public record StartupResult(
    StartupBench.Options options,
    long pages,
    double fillSeconds,
    List<StartupBench.Start> clean,
    List<StartupBench.Start> killed,
    List<StartupBench.Start> cleanManagers,
    List<StartupBench.Start> killedManagers) {
  /** Copies the lists. */
  public StartupResult {
    clean = List.copyOf(clean);
    killed = List.copyOf(killed);
    cleanManagers = List.copyOf(cleanManagers);
    killedManagers = List.copyOf(killedManagers);
  }

  /** Whether each start found as many pages as had been stored before it. */
  public boolean complete() {
    return Stream.of(clean, killed, cleanManagers, killedManagers)
        .flatMap(List::stream)
        .allMatch(start -> start.pages() == start.expected());
  }

  /** One JSON object. */
  public String json() {
    return JsonReport.object(report -> {
      report
          .field("pages", pages)
          .field("page_bytes", StartupChild.PAGE_BYTES)
          .field("file_bytes", options.bytes())
          .field("rounds", options.rounds())
          .field("fill_seconds", fillSeconds, 3)
          .field("complete", complete())
          .field("clean_start_seconds", StartupBench.Start.median(clean), 3)
          .field("killed_start_seconds", StartupBench.Start.median(killed), 3)
          .field("manager_clean_start_seconds", StartupBench.Start.median(cleanManagers), 3)
          .field("manager_killed_start_seconds", StartupBench.Start.median(killedManagers), 3);
      starts(report, "clean_starts", clean);
      starts(report, "killed_starts", killed);
      starts(report, "manager_clean_starts", cleanManagers);
      starts(report, "manager_killed_starts", killedManagers);
    });
  }

  private static void starts(JsonReport report, String name, List<StartupBench.Start> starts) {
    report.objects(
        name,
        starts,
        (inner, start) ->
            inner
                .field("seconds", start.seconds(), 3)
                .field("processor_seconds", start.processorSeconds(), 3)
                .field("pages", start.pages())
                .field("expected_pages", start.expected()));
  }

  /** A table for people. */
  public String table() {
    return new TextTable()
        .row(
            "store",
            String.format(
                Locale.ROOT,
                "%,d pages of %s in %s, written in %.1f s",
                pages,
                Quantity.bytes(StartupChild.PAGE_BYTES),
                Quantity.bytes(options.bytes()),
                fillSeconds))
        .row("tier after a clean stop", text(clean))
        .row("tier after a kill", text(killed))
        .row("Manager after a clean stop", text(cleanManagers))
        .row("Manager after a kill", text(killedManagers))
        .row("pages", complete() ? "all found each time" : "NOT all found: see --json")
        .text();
  }

  private static String text(List<StartupBench.Start> starts) {
    return String.format(
        Locale.ROOT, "%.3f s, median of %d", StartupBench.Start.median(starts), starts.size());
  }
}
