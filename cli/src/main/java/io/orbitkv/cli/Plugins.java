package io.orbitkv.cli;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.orbitkv.manager.config.HostFacts;
import io.orbitkv.manager.config.ManagerConfig;
import io.orbitkv.manager.environment.ManagerLog;
import io.orbitkv.manager.plugin.PluginCommands;
import io.orbitkv.manager.plugin.PluginDescription;
import io.orbitkv.manager.plugin.PluginHost;
import io.orbitkv.manager.plugin.PluginHostOptions;
import io.orbitkv.manager.plugin.PluginList;
import io.orbitkv.manager.plugin.PluginVerification;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Looks at plugins as a Manager would load them. */
final class Plugins {
  private Plugins() {}

  static int list(@Nullable Path file, boolean json, PrintWriter out) {
    try (PluginHost host = host(load(file))) {
      PluginList list = PluginCommands.list(host);
      println(out, json ? list.json() : list.text());
      // Nothing could be served with what is there.
      return list.plugins().isEmpty() && !list.refusals().isEmpty() ? Errors.FAILURE : 0;
    }
  }

  static int verify(Path plugin, @Nullable Path file, boolean json, PrintWriter out) {
    if (!Files.exists(plugin)) {
      throw CommandException.usage("plugin [" + plugin + "] does not exist: check the path");
    }
    ManagerConfig config = load(file);
    PluginVerification verification =
        PluginCommands.verify(
            plugin, config.pluginsDirectory(), config.pluginTrust(), config.pluginsWorkDirectory());
    println(out, json ? verification.json() : verification.text());
    return verification.passed() ? 0 : Errors.FAILURE;
  }

  static int describe(String id, @Nullable Path file, boolean json, PrintWriter out) {
    try (PluginHost host = host(load(file))) {
      PluginDescription description;
      try {
        description = PluginCommands.describe(host, id);
      } catch (IllegalArgumentException unknown) {
        throw CommandException.usage(unknown);
      }
      println(out, json ? description.json() : description.text());
      return 0;
    }
  }

  /** Loads and starts what can be. */
  static PluginHost host(ManagerConfig config) {
    ManagerLog.install(config.settings().log().level().name());
    try {
      return PluginHost.open(
          config.pluginsDirectory(),
          config.pluginTrust(),
          PluginHostOptions.of(
              config.pluginsWorkDirectory(), new SimpleMeterRegistry(), System::nanoTime));
    } catch (IllegalStateException unusable) {
      throw CommandException.failure(String.valueOf(unusable.getMessage()), unusable);
    }
  }

  private static ManagerConfig load(@Nullable Path file) {
    return ManagerConfig.load(file, Map.of(), HostFacts.detectForServe());
  }

  private static void println(PrintWriter out, String text) {
    out.print(text.endsWith("\n") ? text : text + "\n");
  }
}
