package io.orbitkv.cli;

import io.orbitkv.client.OrbitKvClient;
import io.orbitkv.workload.report.JsonReport;
import io.orbitkv.workload.report.PolicyTables;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/** Asks a running Manager about its policies, and changes them. */
final class PolicyOutput {
  private PolicyOutput() {}

  static int list(SocketOption option, boolean json, PrintWriter out)
      throws IOException, InterruptedException {
    String answer = ask(option, request("list", report -> {}));
    out.print(json ? answer + "\n" : PolicyTables.list(answer));
    return 0;
  }

  static int swap(
      SocketOption option,
      String slot,
      List<String> policies,
      List<String> settings,
      boolean json,
      PrintWriter out)
      throws IOException, InterruptedException {
    String request =
        request(
            "swap",
            report -> {
              report.field("slot", slot);
              if (policies.size() == 1 && !isValue(policies.getFirst())) {
                report.field("policy", policies.getFirst());
                putSettings(report, settings);
              } else {
                report.field("value", value(policies, settings));
              }
            });
    return changed(ask(option, request), slot, json, out);
  }

  /** More than a name: a name with its settings, or a list. */
  private static boolean isValue(String text) {
    return text.startsWith("{") || text.startsWith("[");
  }

  private static String value(List<String> policies, List<String> settings) {
    if (!settings.isEmpty()) {
      throw CommandException.usage(
          "--settings belongs to one policy that is named alone: write ["
              + policies.getFirst()
              + "] with its settings as {NAME: {KEY: VALUE}}");
    }
    return policies.size() == 1 ? policies.getFirst() : "[" + String.join(", ", policies) + "]";
  }

  private static void putSettings(JsonReport report, List<String> settings) {
    if (settings.size() == 1 && PolicyCommand.isFile(settings.getFirst())) {
      Path file = Path.of(settings.getFirst());
      report.field("settings_source", file.toString()).field("settings_yaml", text(file));
      return;
    }
    Map<String, String> pairs = new LinkedHashMap<>();
    for (String pair : settings) {
      int at = pair.indexOf('=');
      if (at < 1) {
        throw CommandException.usage(
            "--settings [" + pair + "] must be one file, or key=value for each setting");
      }
      String key = pair.substring(0, at);
      if (pairs.put(key, pair.substring(at + 1)) != null) {
        throw CommandException.usage("--settings sets [" + key + "] twice: leave one out");
      }
    }
    report.object("settings", each -> pairs.forEach(each::field));
  }

  private static String text(Path file) {
    try {
      return Files.readString(file);
    } catch (IOException unreadable) {
      throw CommandException.usage(
          "--settings [" + file + "] cannot be read: name a YAML file, or write key=value");
    }
  }

  static int revert(SocketOption option, String slot, boolean json, PrintWriter out)
      throws IOException, InterruptedException {
    String answer = ask(option, request("revert", report -> report.field("slot", slot)));
    return changed(answer, slot, json, out);
  }

  static int reload(SocketOption option, boolean json, PrintWriter out)
      throws IOException, InterruptedException {
    return changed(ask(option, request("reload", report -> {})), "", json, out);
  }

  static int explain(
      SocketOption option, String request, String page, int last, boolean json, PrintWriter out)
      throws IOException, InterruptedException {
    if (last < 1) {
      throw CommandException.usage("--last [" + last + "] must be at least 1");
    }
    String answer =
        ask(
            option,
            request(
                "explain",
                report ->
                    report.field("last", last).field("request", request).field("page", page)));
    out.print(json ? answer + "\n" : PolicyTables.explain(answer));
    return 0;
  }

  /** A policy that could not be made serves nowhere: that is no success. */
  private static int changed(String answer, String slot, boolean json, PrintWriter out) {
    out.print(json ? answer + "\n" : PolicyTables.changed(answer, slot));
    List<String> lost = PolicyTables.lost(answer, slot);
    if (!lost.isEmpty()) {
      throw CommandException.failure(
          "["
              + String.join(", ", lost)
              + "] could not be made, so the built-in default serves: the Manager's log says why;"
              + " 'orbitkv policy revert' brings back what served before",
          null);
    }
    return 0;
  }

  private static String request(String what, Consumer<JsonReport> more) {
    return JsonReport.object(report -> {
      report.field("do", what);
      more.accept(report);
    });
  }

  private static String ask(SocketOption option, String request)
      throws IOException, InterruptedException {
    try (OrbitKvClient client = Administration.connect(Configurations.socket(option))) {
      return client.policy(request);
    }
  }
}
