package io.orbitkv.cli;

import io.orbitkv.client.OrbitKvClient;
import io.orbitkv.workload.ab.traffic.TrafficExperiment;
import io.orbitkv.workload.ab.traffic.TrafficReport;
import io.orbitkv.workload.ab.traffic.TrafficStatus;
import io.orbitkv.workload.report.JsonReport;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Asks a running Manager for an experiment on its traffic. */
final class AbLive {
  private static final long MOST_FILE_BYTES = 1L << 20;

  private AbLive() {}

  /** What is compared, for the request. */
  static Consumer<JsonReport> files(@Nullable Path config, @Nullable Path a, @Nullable Path b) {
    if (config != null && (a != null || b != null)) {
      throw CommandException.usage("--config names both variants: leave --a and --b out");
    }
    if ((a == null) != (b == null)) {
      throw CommandException.usage("--a and --b belong together: name a configuration for each");
    }
    @Nullable Path first = config != null ? config : a;
    String source = first == null ? "" : first.toString();
    String yaml = first == null ? "" : text(config != null ? "--config" : "--a", first);
    String sourceB = b == null ? "" : b.toString();
    String yamlB = b == null ? "" : text("--b", b);
    return report ->
        report
            .field("source", source)
            .field("yaml", yaml)
            .field("source_b", sourceB)
            .field("yaml_b", yamlB);
  }

  private static String text(String option, Path file) {
    try {
      if (Files.size(file) > MOST_FILE_BYTES) {
        throw CommandException.usage(
            option + " [" + file + "] has more than " + MOST_FILE_BYTES + " bytes");
      }
      return Files.readString(file);
    } catch (IOException unreadable) {
      throw CommandException.usage(
          option + " [" + file + "] cannot be read: name a YAML file with policies");
    }
  }

  static int start(
      SocketOption socket,
      Consumer<JsonReport> files,
      Consumer<JsonReport> terms,
      boolean json,
      PrintWriter out)
      throws IOException, InterruptedException {
    String request =
        JsonReport.object(report -> {
          report.field("do", "ab-start");
          files.accept(report);
          terms.accept(report);
        });
    return print(ask(socket, request), json, out);
  }

  static int status(SocketOption socket, boolean json, PrintWriter out)
      throws IOException, InterruptedException {
    return print(ask(socket, plain("ab-status")), json, out);
  }

  static int stop(SocketOption socket, boolean json, PrintWriter out)
      throws IOException, InterruptedException {
    return print(ask(socket, plain("ab-stop")), json, out);
  }

  static int report(SocketOption socket, AbOutput output, PrintWriter out, PrintWriter err)
      throws IOException, InterruptedException {
    output.check();
    TrafficExperiment experiment =
        TrafficExperiment.parse(ask(socket, plain("ab-report")))
            .orElseThrow(() ->
                CommandException.failure(
                    "this Manager has run no experiment: start one with 'orbitkv ab start'", null));
    return output.write(
        TrafficReport.of(experiment), experiment.state().equals("voided"), out, err);
  }

  private static int print(String answer, boolean json, PrintWriter out) {
    out.print(json ? answer + "\n" : TrafficStatus.of(answer));
    return 0;
  }

  private static String plain(String what) {
    return JsonReport.object(report -> report.field("do", what));
  }

  private static String ask(SocketOption socket, String request)
      throws IOException, InterruptedException {
    try (OrbitKvClient client = Administration.connect(Configurations.socket(socket))) {
      return client.policy(request);
    }
  }
}
