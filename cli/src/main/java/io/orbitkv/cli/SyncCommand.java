package io.orbitkv.cli;

import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

@Command(
    name = "sync",
    description = "Wait until every page that was published before is findable or was discarded.",
    footer = {"", "Example:", "  orbitkv sync --timeout 30"})
final class SyncCommand implements Callable<Integer> {
  @Spec private CommandSpec spec = CommandSpec.create();
  @Mixin private SocketOption socket = new SocketOption();

  @Option(
      names = "--timeout",
      paramLabel = "SECONDS",
      defaultValue = "60",
      description = "How long to wait. Default: ${DEFAULT-VALUE}.")
  private int timeoutSeconds;

  @Mixin private JsonOption json = new JsonOption();
  @Mixin private HelpOption help = new HelpOption();

  @Override
  public Integer call() throws Exception {
    if (timeoutSeconds < 1) {
      throw CommandException.usage("--timeout [" + timeoutSeconds + "] must be at least 1 second");
    }
    return Administration.sync(socket, timeoutSeconds, json.json(), spec.commandLine().getOut());
  }
}
