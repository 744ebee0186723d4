package io.orbitkv.cli;

import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

@Command(
    name = "bench",
    description = "Measure single parts on this machine.",
    synopsisSubcommandLabel = "COMMAND",
    subcommands = BenchCommand.Wire.class)
final class BenchCommand extends BaseCommand implements Runnable {
  @Override
  public void run() {
    throw misused("a command is missing: wire");
  }

  @Command(
      name = "wire",
      description = {
        "Measure what an answer costs: a query of pages in memory, answered on the status board and"
            + " over the socket, beside an echo of equal size over the same socket in the same"
            + " run.",
        "",
        "Starts a Manager of its own."
      },
      footer = {
        "",
        "Examples:",
        "  orbitkv bench wire",
        "  orbitkv bench wire --rounds 20000 --json"
      })
  static final class Wire extends BaseCommand implements Callable<Integer> {
    @Option(
        names = "--pages",
        paramLabel = "N",
        defaultValue = "512",
        description = "Pages in each query. Default: ${DEFAULT-VALUE}.")
    private int pages;

    @Option(
        names = "--rounds",
        paramLabel = "N",
        defaultValue = "5000",
        description = "Measured round trips of each kind. Default: ${DEFAULT-VALUE}.")
    private int rounds;

    @Option(
        names = "--warm-up",
        paramLabel = "N",
        defaultValue = "5000",
        description = "Round trips before them that do not count. Default: ${DEFAULT-VALUE}.")
    private int warmup;

    @Mixin private JsonOption json = new JsonOption();

    @Override
    public Integer call() throws Exception {
      return Benchmarks.wire(pages, warmup, rounds, json.json(), out());
    }
  }
}
