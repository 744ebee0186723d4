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
    description = "Show, check and explain plugins.",
    synopsisSubcommandLabel = "COMMAND",
    subcommands = {
      PluginsCommand.List.class,
      PluginsCommand.Verify.class,
      PluginsCommand.Describe.class
    })
final class PluginsCommand extends BaseCommand implements Runnable {
  @Override
  public void run() {
    throw misused("a command is missing: list, verify or describe");
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
      description =
          "Check a plugin's zip or folder: descriptor, API range, modules, start and stop.",
      footer = {"", "Example:", "  orbitkv plugins verify my-policy-1.0.zip"})
  static final class Verify extends BaseCommand implements Callable<Integer> {
    @Parameters(paramLabel = "ZIP", arity = "1", description = "The plugin.")
    private Path file = Path.of("");

    @Option(names = "--config", paramLabel = "FILE", description = "Configuration file.")
    private @Nullable Path config;

    @Mixin private JsonOption json = new JsonOption();

    @Override
    public Integer call() throws Exception {
      return Plugins.verify(file, config, json.json(), out());
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
