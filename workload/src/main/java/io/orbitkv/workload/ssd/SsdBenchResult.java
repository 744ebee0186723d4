package io.orbitkv.workload.ssd;

import io.orbitkv.api.backing.BackingStatus;
import io.orbitkv.api.settings.ByteSize;
import io.orbitkv.workload.report.ColumnTable;
import io.orbitkv.workload.report.JsonReport;
import io.orbitkv.workload.report.Quantity;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * What an SSD tier gave, medians over the rounds.
 *
 * @param options what was measured
 * @param fioVersion empty without fio
 * @param disks the devices under the files, each once
 * @param rows by size of pages and subject, two for each load
 * @param verifiedPages pages that were compared byte by byte
 * @param wrongBytes in them
 * @param failures reads and writes that did not end well, by how they ended
 */
public record SsdBenchResult(
    SsdBenchOptions options,
    String fioVersion,
    List<String> disks,
    List<SsdBenchRow> rows,
    long verifiedPages,
    long wrongBytes,
    Map<BackingStatus, Long> failures) {
  private static final double GIGA = 1e9;

  /** Copies the rows. */
  public SsdBenchResult {
    disks = List.copyOf(disks);
    rows = List.copyOf(rows);
    failures = Map.copyOf(failures);
  }

  /** Whether every page that was read was right. */
  public boolean sound() {
    return wrongBytes == 0 && failures.getOrDefault(BackingStatus.CORRUPT, 0L) == 0;
  }

  /** One JSON object. */
  public String json() {
    return JsonReport.object(report ->
        report
            .texts("files", options.files().stream().map(Path::toString).toList())
            .texts("disks", disks)
            .field("file_bytes", options.bytes())
            .field("rounds", options.rounds())
            .field("seconds", options.time().toMillis() / 1e3, 3)
            .field("queue_depth", options.depth())
            .field("write_share_percent", options.writeSharePercent())
            .field("direct", options.direct())
            .field("fio", fioVersion)
            .field("verified_pages", verifiedPages)
            .field("wrong_bytes", wrongBytes)
            .object(
                "failures",
                inner ->
                    failures.forEach((status, count) ->
                        inner.field(status.name().toLowerCase(Locale.ROOT), count)))
            .objects("rows", rows, this::fields));
  }

  private void fields(JsonReport report, SsdBenchRow row) {
    report
        .field("engine", row.engine())
        .texts("files", row.files().stream().map(Path::toString).toList())
        .field("page_bytes", row.pageBytes())
        .field("load", row.load().key())
        .field("competing_writes", row.competingWrites())
        .field("queue_depth", options.depth())
        .field("direct", options.direct())
        .field("read_gb_s", row.readBytesPerSecond() / GIGA, 3)
        .field("write_gb_s", row.writeBytesPerSecond() / GIGA, 3)
        .field("read_iops", row.readsPerSecond(), 1)
        .field("write_iops", row.writesPerSecond(), 1)
        .field("read_p50_us", row.readP50Micros(), 1)
        .field("read_p99_us", row.readP99Micros(), 1)
        .field("read_p99_from_due_us", row.readP99FromDueMicros(), 1)
        .field("write_p50_us", row.writeP50Micros(), 1)
        .field("write_p99_us", row.writeP99Micros(), 1);
    if (row.ratioRead() > 0) {
      report.field("ratio_read", row.ratioRead(), 3).field("p99_ratio", row.ratioP99(), 3);
    }
    if (row.ratioWrite() > 0) {
      report.field("ratio_write", row.ratioWrite(), 3);
    }
    if (row.ratioP99WithWrites() > 0) {
      report.field("p99_with_writes_ratio", row.ratioP99WithWrites(), 3);
    }
  }

  /** A table for people. */
  public String table() {
    ColumnTable table =
        new ColumnTable(
            "engine",
            "page",
            "load",
            "read GB/s",
            "p50 ms",
            "p99 ms",
            "write GB/s",
            "p50 ms",
            "p99 ms",
            "read/fio",
            "write/fio",
            "p99/fio",
            "p99 x");
    for (SsdBenchRow row : rows) {
      table.row(
          row.engine() + place(row),
          new ByteSize(row.pageBytes()).toString(),
          row.load().key() + (row.competingWrites() ? " + writes" : ""),
          number(row.readBytesPerSecond() / GIGA, 2),
          number(row.readP50Micros() / 1e3, 2),
          number(row.readP99Micros() / 1e3, 2),
          number(row.writeBytesPerSecond() / GIGA, 2),
          number(row.writeP50Micros() / 1e3, 2),
          number(row.writeP99Micros() / 1e3, 2),
          number(row.ratioRead(), 2),
          number(row.ratioWrite(), 2),
          number(row.ratioP99(), 2),
          number(row.ratioP99WithWrites(), 2));
    }
    return table.text()
        + String.format(
            Locale.ROOT,
            "%d at a time%s, medians of %d, %s; half: reads at half their rate alone, writes at"
                + " %d %% of the bytes%n",
            options.depth(),
            options.direct() ? "" : ", through the page cache",
            options.rounds(),
            (several() ? options.files().size() + " files of " : "")
                + Quantity.bytes(options.bytes()),
            options.writeSharePercent())
        + (several() && disks.size() == 1
            ? "all files lie on one disk, ["
                + disks.getFirst()
                + "]: that they give no more together says nothing about two\n"
            : "")
        + String.format(
            Locale.ROOT, "%,d pages compared, %d wrong bytes", verifiedPages, wrongBytes)
        + (failures.isEmpty() ? "" : ", not done: " + failures)
        + "\n";
  }

  private boolean several() {
    return options.files().size() > 1;
  }

  private String place(SsdBenchRow row) {
    if (!several()) {
      return "";
    }
    return row.files().size() == 1 ? " " + row.files().getFirst() : " all files";
  }

  private static String number(double value, int digits) {
    return value == 0 ? "" : String.format(Locale.ROOT, "%." + digits + "f", value);
  }

  /** Collects rounds. One thread. */
  static final class Collector {
    private final SsdBenchOptions options;
    private final Map<Long, Map<Measured, List<SsdRun>>> runs = new LinkedHashMap<>();
    private String fioVersion = "";
    private List<String> disks = List.of();

    private record Measured(String name, List<Path> files) {}

    Collector(SsdBenchOptions options) {
      this.options = options;
    }

    void fioVersion(String version) {
      fioVersion = version;
    }

    void disks(List<String> under) {
      disks = under;
    }

    void add(long pageBytes, String subject, List<Path> files, SsdRun run) {
      runs.computeIfAbsent(pageBytes, ignored -> new LinkedHashMap<>())
          .computeIfAbsent(new Measured(subject, files), ignored -> new ArrayList<>())
          .add(run);
    }

    SsdBenchResult result() {
      List<SsdBenchRow> rows = new ArrayList<>();
      Map<BackingStatus, Long> failures = new EnumMap<>(BackingStatus.class);
      long[] verified = new long[2];
      runs.forEach((page, subjects) ->
          subjects.forEach((subject, rounds) -> {
            List<SsdRun> fio =
                subject.name().equals(SsdBench.FIO)
                    ? null
                    : subjects.get(new Measured(SsdBench.FIO, subject.files()));
            rows.addAll(
                new SsdBenchRows(subject.name(), subject.files(), page, rounds, fio).rows());
            for (SsdRun run : rounds) {
              verified[0] += run.verifiedPages();
              verified[1] += run.wrongBytes();
              run.failures().forEach((status, count) -> failures.merge(status, count, Long::sum));
            }
          }));
      return new SsdBenchResult(
          options, fioVersion, disks, rows, verified[0], verified[1], failures);
    }
  }
}
