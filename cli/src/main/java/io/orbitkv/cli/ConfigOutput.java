package io.orbitkv.cli;

import io.orbitkv.manager.config.ConfigCommands;
import io.orbitkv.manager.config.ExperimentBinding;
import io.orbitkv.manager.config.HostFacts;
import io.orbitkv.manager.config.ManagerConfig;
import io.orbitkv.manager.config.MetricsExposure;
import io.orbitkv.manager.config.PluginBinding;
import io.orbitkv.manager.config.ShownValue;
import io.orbitkv.manager.plugin.PluginHost;
import io.orbitkv.manager.settings.ConfigException;
import io.orbitkv.manager.settings.Problems;
import io.orbitkv.workload.ab.verdict.Criteria;
import io.orbitkv.workload.ab.verdict.Measure;
import io.orbitkv.workload.report.JsonReport;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** Shows and checks configurations, plugin settings included. */
final class ConfigOutput {
  private ConfigOutput() {}

  static int show(ManagerFlags flags, @Nullable Path socket, boolean json, PrintWriter out) {
    List<ShownValue> values =
        values(Configurations.load(flags, socket, HostFacts.detectForServe()));
    out.print(withLineFeed(json ? ConfigCommands.showJson(values) : ConfigCommands.show(values)));
    return 0;
  }

  static int schema(@Nullable Path file, PrintWriter out) {
    ManagerConfig config = ManagerConfig.load(file, Map.of(), HostFacts.detectForServe());
    try (PluginHost host = Plugins.host(config)) {
      out.print(withLineFeed(ConfigCommands.schema(host.plugins())));
    }
    return 0;
  }

  static int check(Path file, ManagerFlags flags, boolean json, PrintWriter out, PrintWriter err) {
    if (flags.config() != null) {
      throw CommandException.usage("--config names a second file: leave it out");
    }
    if (!Files.exists(file)) {
      throw CommandException.usage("configuration [" + file + "] does not exist: check the path");
    }
    try {
      AtomicInteger count = new AtomicInteger();
      ManagerConfig config =
          ConfigCommands.checked(
              file,
              Configurations.byKey(flags, null),
              HostFacts.detectForServe(),
              read -> count.set(checked(read)));
      List<String> warnings =
          new ArrayList<>(MetricsExposure.warning(config.metricsAddress()).stream().toList());
      experiment(config).ifPresent(warnings::add);
      out.println(
          json
              ? JsonReport.object(report ->
                  report
                      .field("valid", true)
                      .field("values", count.get())
                      .texts("warnings", warnings))
              : "[" + file + "] is valid");
      if (!json) {
        warnings.forEach(warning -> err.println(Main.program() + ": warning: " + warning));
      }
      return 0;
    } catch (ConfigException wrong) {
      if (!json) {
        throw wrong;
      }
      out.println(
          JsonReport.object(report ->
              report
                  .field("valid", false)
                  .texts("problems", String.valueOf(wrong.getMessage()).lines().toList())));
      return Errors.USAGE;
    }
  }

  /** Everything that plugins have to say; returns the number of values. */
  private static int checked(ManagerConfig config) {
    Problems problems = new Problems();
    int values = config.values().size();
    try (PluginHost host = Plugins.host(config)) {
      try {
        values += PluginBinding.of(config, host).values().size();
      } catch (ConfigException wrong) {
        problems.addAll(wrong);
      }
      try {
        ExperimentBinding.check(config, host, new KnownMeasures());
      } catch (ConfigException wrong) {
        problems.addAll(wrong);
      }
    }
    problems.throwIfAny();
    return values;
  }

  /** The measures of {@code ab}. */
  private static final class KnownMeasures implements ExperimentBinding.Measures {
    @Override
    public void measure(String name) {
      var _ = Measure.parse(name);
    }

    @Override
    public void margin(String percent) {
      var _ = Criteria.parsePercent(percent);
    }

    @Override
    public void guard(String name, String limit) {
      var _ = new Criteria.Guard(Measure.parse(name), Criteria.parsePercent(limit));
    }
  }

  /** What is known of the section {@code ab} before a Manager runs, where that is a refusal. */
  private static Optional<String> experiment(ManagerConfig config) {
    return config.values().stream()
        .filter(value -> value.key().equals("ab") && value.reason().contains("would refuse"))
        .map(value -> "ab: " + value.effective() + ": " + value.reason())
        .findFirst();
  }

  /** The Manager's own values and those of the plugins that it would use. */
  private static List<ShownValue> values(ManagerConfig config) {
    List<ShownValue> values = new ArrayList<>(config.values());
    try (PluginHost host = Plugins.host(config)) {
      values.addAll(PluginBinding.of(config, host).values());
    }
    return values;
  }

  private static String withLineFeed(String text) {
    return text.endsWith("\n") ? text : text + "\n";
  }
}
