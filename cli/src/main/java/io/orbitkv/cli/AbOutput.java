package io.orbitkv.cli;

import io.orbitkv.workload.ab.report.ExperimentReport;
import io.orbitkv.workload.ab.report.ReportCsv;
import io.orbitkv.workload.ab.report.ReportJson;
import io.orbitkv.workload.ab.report.ReportPage;
import io.orbitkv.workload.ab.report.ReportTable;
import io.orbitkv.workload.ab.verdict.Verdict;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Where the report of an experiment goes, and what its verdict must be.
 *
 * @param json whether JSON is printed instead of a table
 * @param html file for the page
 * @param csv file for the runs
 * @param output file for the JSON
 * @param require verdict without which the command fails
 */
record AbOutput(
    boolean json,
    @Nullable Path html,
    @Nullable Path csv,
    @Nullable Path output,
    @Nullable String require) {
  private static final List<Verdict> CAN_BE_REQUIRED =
      List.of(Verdict.A, Verdict.B, Verdict.EQUIVALENT);

  /** Before the work: finds out what cannot be written or required. */
  void check() {
    @Nullable Verdict _ = required();
    requireWritable("--html", html);
    requireWritable("--csv", csv);
    requireWritable("--out", output);
  }

  /** Writes everything. Returns the exit status. */
  int write(ExperimentReport report, boolean endedByVoids, PrintWriter out, PrintWriter err) {
    out.print(json ? ReportJson.of(report) + "\n" : ReportTable.of(report));
    out.flush();
    write("--html", html, () -> ReportPage.of(report));
    write("--csv", csv, () -> ReportCsv.of(report));
    write("--out", output, () -> ReportJson.of(report) + "\n");
    @Nullable Verdict required = required();
    Verdict verdict = report.judgement().verdict();
    if (endedByVoids) {
      err.println(
          Main.program()
              + ": void pairs ended the experiment: "
              + String.join("; ", report.voids()));
      return Errors.FAILURE;
    }
    if (required != null && verdict != required) {
      err.println(
          Main.program()
              + ": the verdict is ["
              + verdict.text()
              + "], and --require asks for ["
              + required.text()
              + "]: "
              + report.judgement().reason());
      return Errors.FAILURE;
    }
    return 0;
  }

  private @Nullable Verdict required() {
    String text = require;
    if (text == null) {
      return null;
    }
    return Arrays.stream(Verdict.values())
        .filter(CAN_BE_REQUIRED::contains)
        .filter(verdict ->
            verdict.text().toLowerCase(Locale.ROOT).equals(text.toLowerCase(Locale.ROOT)))
        .findFirst()
        .orElseThrow(
            () -> CommandException.usage("--require [" + text + "] must be A, B or equivalent"));
  }

  private static void requireWritable(String option, @Nullable Path file) {
    if (file != null) {
      OutputFile.requireWritable(option, file);
    }
  }

  private static void write(String option, @Nullable Path file, Supplier<String> text) {
    if (file != null) {
      OutputFile.write(option, file, target -> Files.writeString(target, text.get()));
    }
  }
}
