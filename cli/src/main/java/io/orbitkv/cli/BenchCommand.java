package io.orbitkv.cli;

import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

@Command(
    name = "bench",
    description = "Measure single parts on this machine.",
    synopsisSubcommandLabel = "COMMAND",
    subcommands = {
      BenchCommand.Wire.class,
      BenchCommand.Delivery.class,
      BenchCommand.Kernel.class,
      SsdBenchCommand.class,
      CopyBenchCommand.class,
      PolicyBenchCommand.class,
      ShadowBenchCommand.class,
      ModelBenchCommand.class
    })
final class BenchCommand extends BaseCommand implements Runnable {
  @Override
  public void run() {
    throw misused(
        "a command is missing: wire, delivery, kernel, ssd, copy, policy, shadow or model");
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

  @Command(
      name = "delivery",
      description = {
        "Measure how long an offer lies on the status board before its acknowledgement is back,"
            + " under many queries at a time: from the Manager's write of the offer to the arrival"
            + " of the acknowledgement, by the Manager's own clock. Medians over the runs.",
        "",
        "Starts a Manager of its own for each run."
      },
      footer = {
        "",
        "Examples:",
        "  orbitkv bench delivery",
        "  orbitkv bench delivery --concurrent 128 --pages 64 --json"
      })
  static final class Delivery extends BaseCommand implements Callable<Integer> {
    @Option(
        names = "--concurrent",
        paramLabel = "N",
        defaultValue = "64",
        description = "Queries at a time. Default: ${DEFAULT-VALUE}.")
    private int concurrent;

    @Option(
        names = "--pages",
        paramLabel = "N",
        defaultValue = "512",
        description = "Pages in each query. Default: ${DEFAULT-VALUE}.")
    private int pages;

    @Option(
        names = "--queries",
        paramLabel = "N",
        defaultValue = "50000",
        description = "Queries of each run. Default: ${DEFAULT-VALUE}.")
    private int queries;

    @Option(
        names = "--runs",
        paramLabel = "N",
        defaultValue = "5",
        description = "Runs, of which the median is told. Default: ${DEFAULT-VALUE}.")
    private int runs;

    @Mixin private JsonOption json = new JsonOption();

    @Override
    public Integer call() throws Exception {
      return Benchmarks.delivery(concurrent, pages, queries, runs, json.json(), out());
    }
  }

  @Command(
      name = "kernel",
      description = {
        "Measure the kernel alone, on one thread: queries of 8 and of 512 pages in memory, each"
            + " with its acknowledgement and the release of its lease, and publishes that evict."
            + " Every page was evicted and replaced once before. Medians over the rounds.",
        "",
        "Starts no Manager. The kernel's books need about 90 bytes of heap a page: 10 million"
            + " pages fit the heap that this command has by default, more need ORBITKV_HEAP."
      },
      footer = {
        "",
        "Examples:",
        "  orbitkv bench kernel",
        "  orbitkv bench kernel --pages 1000000 --json",
        "  ORBITKV_HEAP=4g orbitkv bench kernel --pages 30000000"
      })
  static final class Kernel extends BaseCommand implements Callable<Integer> {
    @Option(
        names = "--pages",
        paramLabel = "N",
        split = ",",
        defaultValue = "10000,1000000,10000000",
        description = "Resident pages, one row of figures each. Default: ${DEFAULT-VALUE}.")
    private List<Integer> pages = List.of();

    @Option(
        names = "--rounds",
        paramLabel = "N",
        defaultValue = "5",
        description = "Rounds, of which the median is told. Default: ${DEFAULT-VALUE}.")
    private int rounds;

    @Option(
        names = "--retention",
        description = {
          "Let a retention policy be asked after the turnover, which scores by the last use; its"
              + " work counts."
        })
    private boolean retention;

    @Mixin private JsonOption json = new JsonOption();

    @Override
    public Integer call() throws Exception {
      return Benchmarks.kernel(pages, rounds, retention, json.json(), out(), err());
    }
  }
}
