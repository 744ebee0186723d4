package io.orbitkv.cli;

import io.orbitkv.workload.report.JsonReport;
import io.orbitkv.workload.report.Quantity;
import io.orbitkv.workload.report.TextTable;
import io.orbitkv.workload.trace.GeneratorSettings;
import io.orbitkv.workload.trace.MooncakeTrace;
import io.orbitkv.workload.trace.MooncakeTraceWriter;
import io.orbitkv.workload.trace.PageKeys;
import io.orbitkv.workload.trace.ReuseSettings;
import io.orbitkv.workload.trace.ReuseTrace;
import io.orbitkv.workload.trace.TraceGenerator;
import io.orbitkv.workload.trace.TraceSource;
import io.orbitkv.workload.trace.TraceSummary;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Makes traces and looks at them. */
final class Traces {
  private static final double NANOS_PER_SECOND = 1e9;

  private Traces() {}

  static int generate(TraceCommand.Generate options, PrintWriter out) throws IOException {
    GeneratorSettings settings;
    try {
      settings =
          new GeneratorSettings(
              options.seed,
              options.requests,
              options.sessionsPerSecond,
              options.turns,
              options.thinkSeconds,
              options.systemPrompts,
              options.zipf,
              options.systemTokens,
              options.userTokens,
              options.outputTokens,
              options.sigma,
              options.maxInputTokens);
    } catch (IllegalArgumentException problem) {
      throw CommandException.usage(problem);
    }
    try (TraceGenerator generator = new TraceGenerator(settings)) {
      return write(generator, options.output, out);
    }
  }

  static int reuse(TraceCommand.Reuse options, PrintWriter out) throws IOException {
    ReuseSettings settings;
    try {
      settings =
          new ReuseSettings(
              options.seed,
              options.requests,
              options.prefixes,
              share(options.reuse),
              options.lengths,
              options.outputTokens,
              options.ownTokens);
    } catch (IllegalArgumentException problem) {
      throw CommandException.usage(problem);
    }
    try (ReuseTrace trace = new ReuseTrace(settings)) {
      return write(trace, options.output, out);
    }
  }

  private static double share(String given) {
    try {
      return given.endsWith("%")
          ? Double.parseDouble(given.substring(0, given.length() - 1)) / 100
          : Double.parseDouble(given);
    } catch (NumberFormatException problem) {
      throw new IllegalArgumentException(
          "--reuse [" + given + "] must be a share such as 75% or 0.75", problem);
    }
  }

  private static int write(TraceSource trace, @Nullable Path output, PrintWriter out)
      throws IOException {
    if (output == null) {
      long _ = MooncakeTraceWriter.write(trace, out);
      return out.checkError() ? Errors.FAILURE : 0;
    }
    OutputFile.requireWritable("--out", output);
    OutputFile.write(
        "--out",
        output,
        file -> {
          try (BufferedWriter writer = Files.newBufferedWriter(file)) {
            long _ = MooncakeTraceWriter.write(trace, writer);
          }
        });
    return 0;
  }

  static int info(Path file, int pageTokens, boolean json, PrintWriter out) {
    try {
      PageKeys.requirePageTokens(pageTokens);
    } catch (IllegalArgumentException problem) {
      throw CommandException.usage(problem);
    }
    try (MooncakeTrace trace = MooncakeTrace.open(file)) {
      TraceSummary summary = TraceSummary.of(trace, pageTokens);
      out.print(json ? json(file, pageTokens, summary) + "\n" : table(file, pageTokens, summary));
      return 0;
    }
  }

  private static String json(Path file, int pageTokens, TraceSummary summary) {
    return JsonReport.object(report ->
        report
            .field("trace", file.toString())
            .field("requests", summary.requests())
            .field("duration_s", summary.durationNanos() / NANOS_PER_SECOND, 3)
            .field("input_tokens", summary.inputTokens())
            .field("output_tokens", summary.outputTokens())
            .field("longest_input_tokens", summary.longestInputTokens())
            .field("page_tokens", pageTokens)
            .field("pages", summary.pages())
            .field("distinct_pages", summary.distinctPages())
            .field("reusable_pages", summary.reusablePages())
            .field("reusable_ratio", summary.reusableRatio(), 6));
  }

  private static String table(Path file, int pageTokens, TraceSummary summary) {
    return new TextTable()
        .row("trace", file.toString())
        .row("requests", Quantity.count(summary.requests()))
        .row(
            "duration",
            String.format(Locale.ROOT, "%.1f s", summary.durationNanos() / NANOS_PER_SECOND))
        .row("prompt tokens", Quantity.count(summary.inputTokens()))
        .row("output tokens", Quantity.count(summary.outputTokens()))
        .row("longest prompt", Quantity.count(summary.longestInputTokens()) + " tokens")
        .row("complete pages", Quantity.count(summary.pages()) + " of " + pageTokens + " tokens")
        .row("different pages", Quantity.count(summary.distinctPages()))
        .row(
            "reusable at best",
            Quantity.count(summary.reusablePages())
                + ", "
                + Quantity.percent(summary.reusableRatio()))
        .text();
  }
}
