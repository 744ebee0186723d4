package io.orbitkv.cli;

import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

@Command(
    name = "ab",
    description = {
      "Compare two configurations on one trace, and say which is better, if that can be said.",
      "",
      "Runs come in pairs on a Manager of the command's own, one for each variant, with the same"
          + " requests and the same start state, in a drawn and balanced order; a first pair of A"
          + " against itself is thrown away. One measure with a margin decides; guards must not be"
          + " violated. With --simulate both run on a model of the cache.",
      "",
      "Verdicts: A, B, equivalent, no difference shown. Fewer than six pairs have none.",
      "",
      "With --simulate a token has 147456 bytes unless --bytes-per-token says otherwise, pages are"
          + " the trace's blocks, and options of Managers and engines (--pairs, --start,"
          + " --page-tokens, --layers, --hbm-size, --concurrency, --speed) do nothing."
    },
    footer = {
      "",
      "Exit status 1 when void pairs ended the experiment, or the verdict is not that of"
          + " --require.",
      "",
      "Examples:",
      "  orbitkv ab --a A.yaml --b B.yaml --generate --requests 200 --html report.html",
      "  orbitkv ab --config orbitkv.yaml --trace conversation_trace.jsonl --requests 64 --pairs"
          + " 12",
      "  orbitkv ab --simulate --a A.yaml --b B.yaml --trace conversation_trace.jsonl --json",
      "  orbitkv ab --config orbitkv.yaml --generate --require B",
      "  orbitkv ab plan --effect 3%% --a A.yaml --generate --requests 200",
      "  orbitkv ab calibrate --a A.yaml --generate --json",
      "  orbitkv ab spread --config orbitkv.yaml --trace conversation_trace.jsonl --salts 10",
      "",
      "On the traffic of a running Manager:",
      "  orbitkv ab start --a A.yaml --b B.yaml --for 12h",
      "  orbitkv ab status",
      "  orbitkv ab report --html report.html",
      "  orbitkv ab stop"
    },
    subcommands = {
      AbCommand.Plan.class,
      AbModelCommands.Calibrate.class,
      AbModelCommands.Spread.class,
      AbLiveCommands.Start.class,
      AbLiveCommands.Status.class,
      AbLiveCommands.Report.class,
      AbLiveCommands.Stop.class
    })
final class AbCommand extends BaseCommand implements Callable<Integer> {
  @Mixin private AbFlags flags = new AbFlags();

  @Option(
      names = "--pairs",
      paramLabel = "N",
      defaultValue = "8",
      order = 10,
      description = "Pairs of runs; a verdict needs six. Default: ${DEFAULT-VALUE}.")
  private int pairs;

  @Mixin private AbOutputOptions output = new AbOutputOptions();

  @Override
  public Integer call() throws Exception {
    boolean ownBytes = given("--bytes-per-token");
    return new AbRunner(flags, ownBytes, out(), err()).run(pairs, output.output());
  }

  @Command(
      name = "plan",
      description = {
        "Say how many pairs, or with --simulate how many hours of the workload, it takes to see an"
            + " effect, from pilot pairs of variant A against itself.",
        "",
        "The pilots' spread is raised to what it is below with 80 %%, since few pilots show too"
            + " small a one as often as too large a one. An effect of that size is then seen in"
            + " 80 %% of experiments."
      },
      footer = {
        "",
        "Examples:",
        "  orbitkv ab plan --effect 3%% --a A.yaml --generate --requests 200",
        "  orbitkv ab plan --effect 3%% --simulate --a A.yaml --trace conversation_trace.jsonl"
      })
  static final class Plan extends BaseCommand implements Callable<Integer> {
    @Mixin private AbFlags flags = new AbFlags();

    @Option(
        names = "--effect",
        paramLabel = "PERCENT",
        required = true,
        order = 0,
        description = "Relative change that is to be seen, such as 3%%.")
    private String effect = "";

    @Option(
        names = "--pilots",
        paramLabel = "N",
        defaultValue = "6",
        order = 10,
        description = "Pilot pairs. Default: ${DEFAULT-VALUE}.")
    private int pilots;

    @Mixin private JsonOption json = new JsonOption();

    @Override
    public Integer call() throws Exception {
      boolean ownBytes = given("--bytes-per-token");
      return new AbRunner(flags, ownBytes, out(), err()).plan(effect, pilots, json.json());
    }
  }
}
