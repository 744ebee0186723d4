package io.orbitkv.cli;

import io.orbitkv.api.plugin.Finding;
import io.orbitkv.client.ClientOptions;
import io.orbitkv.client.OrbitKvClient;
import io.orbitkv.client.OrbitKvException;
import io.orbitkv.manager.config.HostFacts;
import io.orbitkv.manager.config.ManagerConfig;
import io.orbitkv.manager.doctor.Doctor;
import io.orbitkv.manager.plugin.PluginHost;
import io.orbitkv.manager.settings.ConfigException;
import io.orbitkv.workload.report.JsonReport;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Does what {@code doctor} was asked for. */
final class Examination {
  private Examination() {}

  static int run(ManagerFlags flags, @Nullable Path socket, boolean json, PrintWriter out) {
    List<Finding> findings = new ArrayList<>(Doctor.machine());
    findings.addAll(configured(flags, socket));
    out.print(json ? json(findings) + "\n" : text(findings));
    return worst(findings) == Finding.Verdict.BAD ? Errors.FAILURE : 0;
  }

  private static List<Finding> configured(ManagerFlags flags, @Nullable Path socket) {
    HostFacts facts = HostFacts.detectForServe();
    ManagerConfig config;
    try {
      config = ManagerConfig.load(flags.config(), Configurations.byKey(flags, socket), facts);
    } catch (ConfigException wrong) {
      return String.valueOf(wrong.getMessage())
          .lines()
          .map(line -> Finding.bad("configuration", line, "mend it; `orbitkv config schema` helps"))
          .toList();
    }
    List<Finding> findings = new ArrayList<>(Doctor.configured(config, facts));
    findings.addAll(running(config.socket()));
    try (PluginHost host = Plugins.host(config)) {
      findings.addAll(Doctor.plugins(config, host));
    } catch (CommandException unusable) {
      findings.add(
          Finding.bad(
              "plugins",
              String.valueOf(unusable.getMessage()),
              "mend `plugins.directory` or what lies there"));
    }
    return findings;
  }

  /** Whether a client gets its answers on the status board of the Manager that runs there. */
  private static List<Finding> running(Path socket) {
    String check = "status board";
    if (!Files.exists(socket)) {
      return List.of(); // No Manager runs: there is nothing to look at.
    }
    try (OrbitKvClient client =
        OrbitKvClient.connect(socket, ClientOptions.defaults("orbitkv-doctor"))) {
      return List.of(
          client.boardInUse()
              ? Finding.good(check, "the Manager at [" + socket + "] answers on it")
              : Finding.note(
                  check,
                  "not in use: " + client.boardFailure(),
                  "share the Manager's process namespace (--pid=host or --pid=container:NAME) and"
                      + " its user"));
    } catch (IOException | OrbitKvException silent) {
      return List.of(
          Finding.note(
              "manager",
              "[" + socket + "] does not answer: " + silent.getMessage(),
              "look at its log; a socket that was left behind is removed at the next start"));
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      return List.of();
    }
  }

  private static Finding.Verdict worst(List<Finding> findings) {
    return findings.stream()
        .map(Finding::verdict)
        .max(Enum::compareTo)
        .orElse(Finding.Verdict.GOOD);
  }

  private static String text(List<Finding> findings) {
    StringBuilder text = new StringBuilder();
    for (Finding finding : findings) {
      String mark =
          switch (finding.verdict()) {
            case GOOD -> "ok   ";
            case NOTE -> "note ";
            case BAD -> "BAD  ";
          };
      text.append(mark).append(finding.check()).append(": ").append(finding.found()).append('\n');
      if (!finding.remedy().isEmpty()) {
        text.append("       do: ").append(finding.remedy()).append('\n');
      }
    }
    return text.toString();
  }

  private static String json(List<Finding> findings) {
    return JsonReport.object(report ->
        report
            .field("verdict", name(worst(findings)))
            .objects(
                "findings",
                findings,
                (fields, finding) ->
                    fields
                        .field("check", finding.check())
                        .field("verdict", name(finding.verdict()))
                        .field("found", finding.found())
                        .field("remedy", finding.remedy())));
  }

  private static String name(Finding.Verdict verdict) {
    return verdict.name().toLowerCase(Locale.ROOT);
  }
}
