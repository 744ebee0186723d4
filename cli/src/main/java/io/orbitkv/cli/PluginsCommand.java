package io.orbitkv.cli;

import java.nio.file.Path;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

@Command(
    name = "plugins",
    description = "Show, check and explain plugins.",
    synopsisSubcommandLabel = "COMMAND",
    subcommands = {PluginsCommand.List.class, PluginsCommand.Verify.class, PluginsCommand.Describe.class})
final class PluginsCommand implements Runnable {
  @Spec private CommandSpec spec = CommandSpec.create();
  @Mixin private HelpOption help = new HelpOption();

  @Override
  public void run() {
    throw new ParameterException(spec.commandLine(), "a command is missing: list, verify or describe");
  }

  @Command(
      name = "list",
      description = "List the plugins that a Manager would load, what each offers, and those it would refuse.",
      footer = {"", "Example:", "  orbitkv plugins list --json"})
  static final class List implements Callable<Integer> {
    @Spec private CommandSpec spec = CommandSpec.create();

    @Option(names = "--config", paramLabel = "FILE", description = "Configuration file.")
    private @Nullable Path config;

    @Mixin private JsonOption json = new JsonOption();
    @Mixin private HelpOption help = new HelpOption();

    @Override
    public Integer call() throws Exception {
      return Plugins.list(config, json.json(), spec.commandLine().getOut());
    }
  }

  @Command(
      name = "verify",
      description = "Check a plugin's zip or folder: descriptor, API range, modules, start and stop.",
      footer = {"", "Example:", "  orbitkv plugins verify my-policy-1.0.zip"})
  static final class Verify implements Callable<Integer> {
    @Spec private CommandSpec spec = CommandSpec.create();

    @Parameters(paramLabel = "ZIP", description = "The plugin.")
    private @Nullable Path file;

    @Option(names = "--config", paramLabel = "FILE", description = "Configuration file.")
    private @Nullable Path config;

    @Mixin private JsonOption json = new JsonOption();
    @Mixin private HelpOption help = new HelpOption();

    @Override
    public Integer call() throws Exception {
      Path named = file;
      if (named == null) {
        throw new ParameterException(spec.commandLine(), "a plugin is missing");
      }
      return Plugins.verify(named, config, json.json(), spec.commandLine().getOut());
    }
  }

  @Command(
      name = "describe",
      description = "Explain one plugin: what it offers, and each of its settings with default and range.",
      footer = {"", "Example:", "  orbitkv plugins describe dram-tier"})
  static final class Describe implements Callable<Integer> {
    @Spec private CommandSpec spec = CommandSpec.create();

    @Parameters(paramLabel = "ID", description = "Id of the plugin, as 'plugins list' shows it.")
    private @Nullable String id;

    @Option(names = "--config", paramLabel = "FILE", description = "Configuration file.")
    private @Nullable Path config;

    @Mixin private JsonOption json = new JsonOption();
    @Mixin private HelpOption help = new HelpOption();

    @Override
    public Integer call() throws Exception {
      String named = id;
      if (named == null) {
        throw new ParameterException(spec.commandLine(), "a plugin id is missing");
      }
      return Plugins.describe(named, config, json.json(), spec.commandLine().getOut());
    }
  }
}
