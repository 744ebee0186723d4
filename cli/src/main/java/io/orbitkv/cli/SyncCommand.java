package io.orbitkv.cli;

import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

@Command(
    name = "sync",
    description = "Wait until every page that was published before is findable or was discarded.",
    footer = {"", "Examples:", "  orbitkv sync --timeout 30", "  orbitkv sync --durable"})
final class SyncCommand extends BaseCommand implements Callable<Integer> {
  @Mixin private SocketOption socket = new SocketOption();

  @Option(
      names = "--timeout",
      paramLabel = "SECONDS",
      defaultValue = "60",
      description = "How long to wait. Default: ${DEFAULT-VALUE}.")
  private int timeoutSeconds;

  @Option(
      names = "--durable",
      description =
          "And until what is queued for the SSD tier by then is written, or given up, and flushed.")
  private boolean durable;

  @Mixin private JsonOption json = new JsonOption();

  @Override
  public Integer call() throws Exception {
    if (timeoutSeconds < 1) {
      throw CommandException.usage("--timeout [" + timeoutSeconds + "] must be at least 1 second");
    }
    return Administration.sync(socket, durable, timeoutSeconds, json.json(), out());
  }
}
