package io.orbitkv.cli;

import java.nio.file.Path;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

@Command(
    name = "plugins",
    description = "Show, check, explain and install plugins.",
    synopsisSubcommandLabel = "COMMAND",
    subcommands = {
      PluginsCommand.List.class,
      PluginsCommand.Verify.class,
      PluginsCommand.Install.class,
      PluginsCommand.Describe.class
    })
final class PluginsCommand extends BaseCommand implements Runnable {
  @Override
  public void run() {
    throw misused("a command is missing: list, verify, install or describe");
  }

  @Command(
      name = "list",
      description =
          "List the plugins that a Manager would load, what each offers, and those it would"
              + " refuse.",
      footer = {"", "Example:", "  orbitkv plugins list --json"})
  static final class List extends BaseCommand implements Callable<Integer> {
    @Option(names = "--config", paramLabel = "FILE", description = "Configuration file.")
    private @Nullable Path config;

    @Mixin private JsonOption json = new JsonOption();

    @Override
    public Integer call() throws Exception {
      return Plugins.list(config, json.json(), out());
    }
  }

  @Command(
      name = "verify",
      description = {
        "Check a plugin's zip or folder, or each one in a folder of plugins: archive, digest,"
            + " descriptor, pin, API range, dependencies, modules. Nothing of it runs.",
        "",
        "Where FILE.zip.sha256 lies beside the zip, the digest must be the one that it says. For"
            + " what passes, 'plugins.digests' is printed ready to paste into the configuration:"
            + " with 'plugins.trust: pinned' nothing else is loaded."
      },
      footer = {
        "",
        "Examples:",
        "  orbitkv plugins verify my-policy-1.0.0.zip",
        "  orbitkv plugins verify"
      })
  static final class Verify extends BaseCommand implements Callable<Integer> {
    @Parameters(
        paramLabel = "ZIP|DIR",
        arity = "0..1",
        description = "The plugin, or a folder of plugins. Default: those that are installed.")
    private @Nullable Path file;

    @Option(names = "--config", paramLabel = "FILE", description = "Configuration file.")
    private @Nullable Path config;

    @Mixin private JsonOption json = new JsonOption();

    @Override
    public Integer call() throws Exception {
      return Plugins.verify(file, config, json.json(), out());
    }
  }

  @Command(
      name = "install",
      description = {
        "Check a plugin's zip as 'plugins verify' does, start it once beside the installed plugins,"
            + " and copy it to them: whole, or not at all.",
        "",
        "Refused with the reason: what was made for another API, what does not start, what offers"
            + " something under a name that is taken, and with 'plugins.trust: pinned' what is not"
            + " pinned. A plugin runs with the Manager's rights: install what you trust."
      },
      footer = {
        "",
        "Examples:",
        "  orbitkv plugins install target/my-policy-1.0.0.zip",
        "  orbitkv plugins install my-policy-1.1.0.zip --force"
      })
  static final class Install extends BaseCommand implements Callable<Integer> {
    @Parameters(paramLabel = "ZIP", arity = "1", description = "The plugin.")
    private Path zip = Path.of("");

    @Option(
        names = "--plugins",
        paramLabel = "DIR",
        description = "Folder of plugins. Default: that of the configuration.")
    private @Nullable Path plugins;

    @Option(
        names = "--force",
        description = "Take the place of an installed plugin of the same id, or of its file.")
    private boolean force;

    @Option(names = "--config", paramLabel = "FILE", description = "Configuration file.")
    private @Nullable Path config;

    @Mixin private JsonOption json = new JsonOption();

    @Override
    public Integer call() throws Exception {
      return Plugins.install(zip, plugins, config, force, json.json(), out());
    }
  }

  @Command(
      name = "describe",
      description =
          "Explain one plugin: what it offers, and each of its settings with default and range.",
      footer = {"", "Example:", "  orbitkv plugins describe dram-tier"})
  static final class Describe extends BaseCommand implements Callable<Integer> {
    @Parameters(
        paramLabel = "ID",
        arity = "1",
        description = "Id of the plugin, as 'plugins list' shows it.")
    private String id = "";

    @Option(names = "--config", paramLabel = "FILE", description = "Configuration file.")
    private @Nullable Path config;

    @Mixin private JsonOption json = new JsonOption();

    @Override
    public Integer call() throws Exception {
      return Plugins.describe(id, config, json.json(), out());
    }
  }
}
