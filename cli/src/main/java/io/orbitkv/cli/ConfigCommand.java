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
    name = "config",
    description = "Show, explain and check configurations.",
    synopsisSubcommandLabel = "COMMAND",
    subcommands = {ConfigCommand.Show.class, ConfigCommand.Schema.class, ConfigCommand.Check.class})
final class ConfigCommand implements Runnable {
  @Spec private CommandSpec spec = CommandSpec.create();
  @Mixin private HelpOption help = new HelpOption();

  @Override
  public void run() {
    throw new ParameterException(spec.commandLine(), "a command is missing: show, schema or check");
  }

  @Command(
      name = "show",
      description = "Show every value that a Manager would run with, and where it came from: default, file or flag.",
      footer = {"", "Example:", "  orbitkv config show --config conf/orbitkv.yaml --pool-size 8gb"})
  static final class Show implements Callable<Integer> {
    @Spec private CommandSpec spec = CommandSpec.create();

    @Option(names = "--socket", paramLabel = "PATH", order = 9, description = "Unix socket to listen on.")
    private @Nullable Path socket;

    @Mixin private ManagerFlags flags = new ManagerFlags();
    @Mixin private JsonOption json = new JsonOption();
    @Mixin private HelpOption help = new HelpOption();

    @Override
    public Integer call() {
      return ConfigOutput.show(flags, socket, json.json(), spec.commandLine().getOut());
    }
  }

  @Command(
      name = "schema",
      description = "Print every key with type, default, range and meaning, as JSON schema.",
      footer = {"", "Example:", "  orbitkv config schema > orbitkv.schema.json"})
  static final class Schema implements Callable<Integer> {
    @Spec private CommandSpec spec = CommandSpec.create();
    @Mixin private JsonOption json = new JsonOption();
    @Mixin private HelpOption help = new HelpOption();

    @Override
    public Integer call() {
      return ConfigOutput.schema(spec.commandLine().getOut());
    }
  }

  @Command(
      name = "check",
      description = "Check a configuration file, plugin settings included; prints every problem with its place.",
      footer = {"", "Example:", "  orbitkv config check conf/orbitkv.yaml"})
  static final class Check implements Callable<Integer> {
    @Spec private CommandSpec spec = CommandSpec.create();

    @Parameters(paramLabel = "FILE", description = "The configuration file.")
    private @Nullable Path file;

    @Mixin private ManagerFlags flags = new ManagerFlags();
    @Mixin private JsonOption json = new JsonOption();
    @Mixin private HelpOption help = new HelpOption();

    @Override
    public Integer call() throws Exception {
      Path named = file;
      if (named == null) {
        throw new ParameterException(spec.commandLine(), "a configuration file is missing");
      }
      return ConfigOutput.check(named, flags, json.json(), spec.commandLine().getOut());
    }
  }
}
