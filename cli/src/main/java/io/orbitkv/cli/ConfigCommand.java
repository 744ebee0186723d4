package io.orbitkv.cli;

import java.nio.file.Path;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

@Command(
    name = "config",
    description = "Show, explain, check and reload configurations.",
    synopsisSubcommandLabel = "COMMAND",
    subcommands = {
      ConfigCommand.Show.class,
      ConfigCommand.Schema.class,
      ConfigCommand.Check.class,
      ConfigCommand.Reload.class
    })
final class ConfigCommand extends BaseCommand implements Runnable {
  @Override
  public void run() {
    throw misused("a command is missing: show, schema, check or reload");
  }

  @Command(
      name = "show",
      description =
          "Show every value that a Manager would run with, and where it came from: default, file or"
              + " flag.",
      footer = {"", "Example:", "  orbitkv config show --config conf/orbitkv.yaml --pool-size 8gb"})
  static final class Show extends BaseCommand implements Callable<Integer> {
    @Option(
        names = "--socket",
        paramLabel = "PATH",
        order = 9,
        description = "Unix socket to listen on.")
    private @Nullable Path socket;

    @Mixin private ManagerFlags flags = new ManagerFlags();
    @Mixin private JsonOption json = new JsonOption();

    @Override
    public Integer call() {
      return ConfigOutput.show(flags, socket, json.json(), out());
    }
  }

  @Command(
      name = "schema",
      description =
          "Print every key with type, default, range and meaning, as JSON schema; the policies that"
              + " the plugins here offer, with their settings, among them.",
      footer = {"", "Example:", "  orbitkv config schema > orbitkv.schema.json"})
  static final class Schema extends BaseCommand implements Callable<Integer> {
    // A schema is JSON with or without it.
    @Mixin JsonOption json = new JsonOption();

    @Option(
        names = "--config",
        paramLabel = "FILE",
        description = "Configuration file that says where plugins are.")
    private @Nullable Path config;

    @Override
    public Integer call() {
      return ConfigOutput.schema(config, out());
    }
  }

  @Command(
      name = "check",
      description =
          "Check a configuration file, plugin settings included; prints every problem with its"
              + " place.",
      footer = {"", "Example:", "  orbitkv config check conf/orbitkv.yaml"})
  static final class Check extends BaseCommand implements Callable<Integer> {
    @Parameters(paramLabel = "FILE", arity = "1", description = "The configuration file.")
    private Path file = Path.of("");

    @Mixin private ManagerFlags flags = new ManagerFlags();
    @Mixin private JsonOption json = new JsonOption();

    @Override
    public Integer call() throws Exception {
      return ConfigOutput.check(file, flags, json.json(), out(), err());
    }
  }

  @Command(
      name = "reload",
      description = {
        "Let a running Manager read its configuration file again and serve with the policies that"
            + " it names now.",
        "",
        "A file in which anything else has changed is refused, by key: that needs a restart."
      },
      footer = {"", "Example:", "  orbitkv config reload"})
  static final class Reload extends BaseCommand implements Callable<Integer> {
    @Mixin private SocketOption socket = new SocketOption();
    @Mixin private JsonOption json = new JsonOption();

    @Override
    public Integer call() throws Exception {
      return PolicyOutput.reload(socket, json.json(), out());
    }
  }
}
