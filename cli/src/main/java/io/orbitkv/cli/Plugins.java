package io.orbitkv.cli;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.orbitkv.manager.config.HostFacts;
import io.orbitkv.manager.config.ManagerConfig;
import io.orbitkv.manager.environment.ManagerLog;
import io.orbitkv.manager.plugin.Capability;
import io.orbitkv.manager.plugin.PluginCommands;
import io.orbitkv.manager.plugin.PluginDescription;
import io.orbitkv.manager.plugin.PluginHost;
import io.orbitkv.manager.plugin.PluginHostOptions;
import io.orbitkv.manager.plugin.PluginIdentity;
import io.orbitkv.manager.plugin.PluginInstaller;
import io.orbitkv.manager.plugin.PluginList;
import io.orbitkv.manager.plugin.PluginRefusal;
import io.orbitkv.manager.plugin.PluginVerification;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
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

  static int verify(@Nullable Path given, @Nullable Path file, boolean json, PrintWriter out) {
    if (given != null && !Files.exists(given)) {
      throw CommandException.usage("plugin [" + given + "] does not exist: check the path");
    }
    ManagerConfig config = load(file);
    Path plugin = given == null ? config.pluginsDirectory() : given;
    try {
      return Files.isDirectory(plugin) && !PluginCommands.isPluginFolder(plugin)
          ? verifyAll(plugin, config, json, out)
          : verifyOne(plugin, config, json, out);
    } catch (IllegalStateException unusable) {
      throw CommandException.failure(String.valueOf(unusable.getMessage()), unusable);
    }
  }

  private static int verifyOne(Path plugin, ManagerConfig config, boolean json, PrintWriter out) {
    PluginVerification verification =
        PluginCommands.verify(
            plugin, config.pluginsDirectory(), config.pluginTrust(), config.pluginsWorkDirectory());
    println(out, json ? verification.json() : verification.text() + pins(List.of(verification)));
    return verification.passed() ? 0 : Errors.FAILURE;
  }

  private static int verifyAll(Path folder, ManagerConfig config, boolean json, PrintWriter out) {
    List<PluginVerification> all =
        PluginCommands.verifyAll(folder, config.pluginTrust(), config.pluginsWorkDirectory());
    if (all.isEmpty()) {
      throw CommandException.usage(
          "there are no plugins in [" + folder + "]: name a plugin's zip, or another folder");
    }
    StringBuilder text = new StringBuilder();
    for (PluginVerification one : all) {
      text.append(one.passed() ? one.file() + " can be used\n" : one.text());
    }
    println(out, json ? PluginVerification.json(all) : text + pins(all));
    return all.stream().allMatch(PluginVerification::passed) ? 0 : Errors.FAILURE;
  }

  private static String pins(List<PluginVerification> verified) {
    String pins = PluginVerification.pins(verified);
    return pins.isEmpty() ? "" : "\nTo load nothing but what was checked here, configure:\n" + pins;
  }

  static int install(
      Path zip,
      @Nullable Path directory,
      @Nullable Path file,
      boolean force,
      boolean json,
      PrintWriter out)
      throws IOException {
    if (!Files.isRegularFile(zip)) {
      throw CommandException.usage(
          "plugin [" + zip + "] is no file: name the zip that was packed, as target/x-1.0.0.zip");
    }
    ManagerConfig config = load(file);
    ManagerLog.install("ERROR");
    PluginInstaller installer =
        new PluginInstaller(
            directory == null ? config.pluginsDirectory() : directory,
            config.pluginTrust(),
            PluginHostOptions.of(
                config.pluginsWorkDirectory(), new SimpleMeterRegistry(), System::nanoTime));
    try {
      PluginInstaller.Installed done = installer.install(zip, force);
      println(out, json ? done.json() : text(done));
      return 0;
    } catch (IllegalArgumentException refused) {
      throw CommandException.failure(String.valueOf(refused.getMessage()), refused);
    } catch (IllegalStateException unusable) {
      throw CommandException.failure(String.valueOf(unusable.getMessage()), unusable);
    }
  }

  private static String text(PluginInstaller.Installed done) {
    StringBuilder text = new StringBuilder();
    text.append(done.plugin().id()).append(' ').append(done.plugin().version());
    text.append(" is installed in [").append(done.file()).append("]\n");
    for (String old : done.replaced()) {
      text.append("  it took the place of [").append(old).append("]\n");
    }
    text.append("  sha-256 ").append(done.plugin().digest()).append('\n');
    for (Capability capability : done.plugin().capabilities()) {
      text.append("  offers the ").append(capability.kind().words()).append(' ');
      text.append(capability.name());
      if (!capability.slots().isEmpty()) {
        text.append(" in ").append(String.join(", ", capability.slots()));
      }
      text.append('\n');
    }
    return text.append("A Manager that runs finds it at its next start.\n").toString();
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
    return host(config, List.of());
  }

  /**
   * The same, with plugins that are not installed.
   *
   * @param also zips that were named for this run, which must be usable
   */
  static PluginHost host(ManagerConfig config, List<Path> also) {
    return host(config, also, config.settings().log().level().name());
  }

  /** The same, with a level of the log. */
  static PluginHost host(ManagerConfig config, List<Path> also, String level) {
    ManagerLog.install(level);
    for (Path zip : also) {
      if (!Files.exists(zip)) {
        throw CommandException.usage("plugin [" + zip + "] does not exist: check the path");
      }
      identify(zip, config);
    }
    PluginHost host = open(config, also);
    for (Path zip : also) {
      String name = String.valueOf(zip.getFileName());
      for (PluginRefusal refusal : host.refusals()) {
        if (refusal.file().equals(name)) {
          host.close();
          throw CommandException.usage(refusal.line());
        }
      }
    }
    return host;
  }

  /** Who a zip is; its digest is compared with the one beside it. */
  static PluginIdentity identify(Path zip, ManagerConfig config) {
    try {
      return PluginCommands.identify(zip, config.pluginsWorkDirectory());
    } catch (IllegalArgumentException unusable) {
      throw CommandException.usage(unusable);
    }
  }

  private static PluginHost open(ManagerConfig config, List<Path> also) {
    try {
      return PluginHost.open(
          config.pluginsDirectory(),
          also,
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
