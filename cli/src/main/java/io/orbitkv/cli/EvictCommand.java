package io.orbitkv.cli;

import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

@Command(
    name = "evict",
    description = {
      "Make every page of a running Manager unfindable until it is published anew.",
      "",
      "With --tier all, also in the SSD tier, and for good before the command returns. What"
          + " somebody uses is freed when it is let go."
    },
    footer = {"", "Examples:", "  orbitkv evict", "  orbitkv evict --tier dram"})
final class EvictCommand extends BaseCommand implements Callable<Integer> {
  /** Where pages go. */
  enum Tier {
    /** Host memory alone. */
    dram,
    /** Host memory and the backing tier. */
    all
  }

  @Mixin private SocketOption socket = new SocketOption();

  @Option(
      names = "--tier",
      paramLabel = "TIER",
      defaultValue = "all",
      description =
          "Where: ${COMPLETION-CANDIDATES}; dram leaves the SSD tier alone. Default:"
              + " ${DEFAULT-VALUE}.")
  private Tier tier = Tier.all;

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
    return Administration.evict(socket, tier == Tier.all, timeoutSeconds, json.json(), out());
  }
}
