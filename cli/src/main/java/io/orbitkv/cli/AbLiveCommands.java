package io.orbitkv.cli;

import java.nio.file.Path;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Experiments on the traffic of a running Manager. */
final class AbLiveCommands {
  private AbLiveCommands() {}

  @Command(
      name = "start",
      description = {
        "Start an experiment on the traffic of a running Manager.",
        "",
        "Without a file the section ab of the Manager's own configuration is started, with --config"
            + " that of another one: its variants are patches on the Manager's policies, or on"
            + " those of the file if it has any. With isolation time (the default of --a and --b)"
            + " the Manager serves with A and B in turns; with shared both serve at once, each"
            + " request its own variant, which is for cutoff, lookahead and warming alone; with"
            + " partition each variant has a cell of its own, with its share of every tier and"
            + " budget, which the Manager's configuration must ask for before it starts (ab.assign:"
            + " {by: instance, isolation: partition}). First"
            + " both run A for a while; in the middle of each period the variants change their"
            + " places. How long it takes is fixed at the start: there is no verdict before.",
        "",
        "While it runs, policies cannot be swapped and the configuration cannot be reloaded. It"
            + " survives a restart of the Manager. At its end every slot runs what the"
            + " configuration names."
      },
      footer = {
        "",
        "Examples:",
        "  orbitkv ab start --for 12h",
        "  orbitkv ab start --config experiment.yaml --for 12h --aa 3h",
        "  orbitkv ab start --a A.yaml --b B.yaml --for 12h --block 15m",
        "  orbitkv ab start --a A.yaml --b B.yaml --for 6h --isolation shared --by instance"
      })
  static final class Start extends BaseCommand implements Callable<Integer> {
    @Option(
        names = "--a",
        paramLabel = "FILE",
        order = 2,
        description = "Configuration of variant A, with --b: what the Manager runs.")
    private @Nullable Path a;

    @Option(
        names = "--b",
        paramLabel = "FILE",
        order = 3,
        description = "Configuration of variant B, which differs in policies alone.")
    private @Nullable Path b;

    @Option(
        names = "--for",
        paramLabel = "DURATION",
        order = 4,
        description = "How long the variants are compared, such as 12h. Default: ab.live.for.")
    private String horizon = "";

    @Option(
        names = "--aa",
        paramLabel = "DURATION",
        order = 5,
        description =
            "How long both run A before; what differs then is taken off. Default: ab.live.aa, or a"
                + " quarter of --for.")
    private String same = "";

    @Option(
        names = "--block",
        paramLabel = "DURATION",
        order = 6,
        description =
            "Length of a turn, or of a block with shared and partition. Default: ab.assign.slot"
                + " (15m), or ab.live.block (5m).")
    private String block = "";

    @Option(
        names = "--short-blocks",
        order = 7,
        description = "Let --block be shorter than 5m; the report says so.")
    private boolean shortBlocks;

    @Option(
        names = "--isolation",
        paramLabel = "time|shared|partition",
        order = 8,
        description =
            "Instead of ab.assign.isolation. On a Manager that is divided into cells it is"
                + " partition, on any other one of the others.")
    private String isolation = "";

    @Option(
        names = "--by",
        paramLabel = "chain|instance",
        order = 9,
        description = "With isolation shared: what is assigned. Instead of ab.assign.by.")
    private String by = "";

    @Option(
        names = "--salt",
        paramLabel = "N",
        order = 10,
        description = "Another salt, another split. Instead of ab.assign.salt.")
    private String salt = "";

    @Option(
        names = "--primary",
        paramLabel = "MEASURE",
        order = 11,
        description =
            "Measure that decides. Default: ab.primary, or prefix_hit_ratio, or wait.mean where"
                + " both serve at once.")
    private String primary = "";

    @Option(
        names = "--margin",
        paramLabel = "PERCENT",
        order = 12,
        description = "Relative change that means nothing to anybody. Default: 2%%.")
    private String margin = "";

    @Option(
        names = "--fallbacks",
        paramLabel = "PERCENT",
        order = 13,
        description =
            "Share of a block's questions that a default may answer in a policy's place before the"
                + " block is void. Default: 0%%.")
    private String fallbacks = "";

    @Mixin private SocketOption socket = new SocketOption();
    @Mixin private JsonOption json = new JsonOption();

    @Override
    public Integer call() throws Exception {
      return AbLive.start(
          socket,
          AbLive.files(socket.config(), a, b),
          report ->
              report
                  .field("for", horizon)
                  .field("aa", same)
                  .field("block", block)
                  .field("short_blocks", shortBlocks)
                  .field("isolation", isolation)
                  .field("by", by)
                  .field("salt", salt)
                  .field("primary", primary)
                  .field("margin", margin)
                  .field("fallbacks", fallbacks),
          json.json(),
          out());
    }
  }

  @Command(
      name = "status",
      description = "Show how the experiment on a Manager's traffic stands.",
      footer = {"", "Example:", "  orbitkv ab status"})
  static final class Status extends BaseCommand implements Callable<Integer> {
    @Mixin private SocketOption socket = new SocketOption();
    @Mixin private JsonOption json = new JsonOption();

    @Override
    public Integer call() throws Exception {
      return AbLive.status(socket, json.json(), out());
    }
  }

  @Command(
      name = "report",
      description = {
        "Report on the experiment on a Manager's traffic: the running one, or the last one.",
        "",
        "Each variant's blocks are drawn again and again, before and after the swap apart; what the"
            + " same method finds where both ran A is taken off. There is no verdict before the"
            + " horizon."
      },
      footer = {
        "",
        "Exit status 1 when void blocks ended the experiment, or the verdict is not that of"
            + " --require.",
        "",
        "Examples:",
        "  orbitkv ab report",
        "  orbitkv ab report --html report.html --csv blocks.csv --require B"
      })
  static final class Report extends BaseCommand implements Callable<Integer> {
    @Mixin private SocketOption socket = new SocketOption();
    @Mixin private AbOutputOptions output = new AbOutputOptions();

    @Override
    public Integer call() throws Exception {
      return AbLive.report(socket, output.output(), out(), err());
    }
  }

  @Command(
      name = "stop",
      description = {
        "End the experiment on a Manager's traffic before its horizon: there will be no verdict.",
        "",
        "Every slot runs what the configuration names."
      },
      footer = {"", "Example:", "  orbitkv ab stop"})
  static final class Stop extends BaseCommand implements Callable<Integer> {
    @Mixin private SocketOption socket = new SocketOption();
    @Mixin private JsonOption json = new JsonOption();

    @Override
    public Integer call() throws Exception {
      return AbLive.stop(socket, json.json(), out());
    }
  }
}
