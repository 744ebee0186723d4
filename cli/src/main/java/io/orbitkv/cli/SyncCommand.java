package io.orbitkv.cli;

import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

@Command(
    name = "sync",
    description = "Wait until every page that was published before is findable or was discarded.",
    footer = {"", "Example:", "  orbitkv sync --timeout 30"})
final class SyncCommand extends BaseCommand implements Callable<Integer> {
  @Mixin private SocketOption socket = new SocketOption();

  @Option(
      names = "--timeout",
      paramLabel = "SECONDS",
      defaultValue = "60",
      description = "How long to wait. Default: ${DEFAULT-VALUE}.")
  private int timeoutSeconds;

  @Mixin private JsonOption json = new JsonOption();

  @Override
  public Integer call() throws Exception {
    if (timeoutSeconds < 1) {
      throw CommandException.usage("--timeout [" + timeoutSeconds + "] must be at least 1 second");
    }
    return Administration.sync(socket, timeoutSeconds, json.json(), out());
  }
}
