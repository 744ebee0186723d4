package io.orbitkv.cli;

import io.orbitkv.manager.plugin.PluginHost;
import io.orbitkv.model.ModelTrace;
import io.orbitkv.workload.ab.simulate.Calibration;
import io.orbitkv.workload.ab.simulate.CalibrationResult;
import io.orbitkv.workload.ab.simulate.SplitSpread;
import io.orbitkv.workload.policy.ModelTraces;
import io.orbitkv.workload.trace.GeneratorSettings;
import io.orbitkv.workload.trace.TraceGenerator;
import io.orbitkv.workload.trace.TraceSource;
import java.util.concurrent.Callable;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Commands about experiments on the model: how far they can be trusted. */
final class AbModelCommands {
  private static final int CALIBRATION_REQUESTS = 4_000;

  /** Of load in a generated trace: verdicts need fifty minutes once the tiers are full. */
  private static final double CALIBRATION_SECONDS = 4_500;

  private AbModelCommands() {}

  @Command(
      name = "calibrate",
      description = {
        "Find out how often verdicts of ab --simulate are wrong: many experiments of variant A"
            + " against itself, each with another split of the conversations (and, generated, with"
            + " another trace), of which at most 9 %% may have a winner; and as many in which B is"
            + " made worse by twice what the experiment before could detect, of which at least"
            + " 80 %% must name A.",
        "",
        "Everything is as in any other experiment with --isolation partition: trace, policies,"
            + " model, bootstrap and verdict. The effect is planted in what the model says of B.",
        "",
        "It is always a model: a token has 147456 bytes unless --bytes-per-token says otherwise,"
            + " pages are the trace's blocks, and options of Managers and engines (--start,"
            + " --page-tokens, --layers, --hbm-size, --concurrency, --speed) do nothing."
      },
      footer = {
        "",
        "Exit status 1 when a hundred experiments or more are wrong more often than that.",
        "",
        "Examples:",
        "  orbitkv ab calibrate --a A.yaml --generate",
        "  orbitkv ab calibrate --a A.yaml --trace conversation_trace.jsonl --primary ttft.mean"
            + " --json"
      })
  static final class Calibrate extends BaseCommand implements Callable<Integer> {
    @Mixin private AbFlags flags = new AbFlags();

    @Option(
        names = "--experiments",
        paramLabel = "N",
        defaultValue = "200",
        order = 10,
        description = "Experiments of each kind. Default: ${DEFAULT-VALUE}.")
    private int experiments;

    @Mixin private JsonOption json = new JsonOption();

    @Override
    public Integer call() {
      flags.simulate = true;
      AbRunner runner = new AbRunner(flags, given("--bytes-per-token"), out(), err());
      runner.checkTrace();
      AbSetup setup = AbSetup.read(flags, true);
      AbSimulation simulation = runner.simulation(setup);
      try (PluginHost host = simulation.host(setup)) {
        CalibrationResult result =
            run(simulation.calibration(setup, host, traces(simulation), experiments));
        out().print(json.json() ? result.json() + "\n" : result.table());
        return result.enough() && !result.sound() ? Errors.FAILURE : 0;
      } catch (IllegalArgumentException problem) {
        throw CommandException.usage(problem);
      }
    }

    private CalibrationResult run(Calibration calibration) {
      if (flags.quiet || json.json() || !ProgressLine.possible()) {
        return calibration.run();
      }
      try (ProgressLine _ =
          ProgressLine.start(
              err(), () -> "experiment " + calibration.done() + " of " + experiments)) {
        return calibration.run();
      }
    }

    /** A file is read once; of generated traces each experiment has its own. */
    private IntFunction<ModelTrace> traces(AbSimulation simulation) {
      if (!flags.generate) {
        ModelTrace trace = simulation.trace();
        return _ -> trace;
      }
      @Nullable Integer given = flags.requests;
      int requests = given != null ? given : CALIBRATION_REQUESTS;
      return number -> {
        try (TraceSource source = new TraceGenerator(generated(flags.seed + number, requests))) {
          return ModelTraces.read(source, 0, requests);
        }
      };
    }

    private static GeneratorSettings generated(long seed, int requests) {
      GeneratorSettings usual = GeneratorSettings.conversations(seed, requests);
      return new GeneratorSettings(
          usual.seed(),
          usual.requests(),
          usual.requests() / (usual.meanTurns() * CALIBRATION_SECONDS),
          usual.meanTurns(),
          usual.thinkSeconds(),
          usual.systemPrompts(),
          usual.zipfExponent(),
          usual.systemTokens(),
          usual.userTokens(),
          usual.outputTokens(),
          usual.sigma(),
          usual.maxInputTokens());
    }
  }

  @Command(
      name = "spread",
      description = {
        "Show what a split of the conversations does to an effect in ab --simulate --isolation"
            + " partition: the measure that decides, with one salt after the other, their mean and"
            + " their spread, beside each variant alone with all requests and the whole capacity,"
            + " which is what either would do.",
        "",
        "It is always a model, with the defaults of ab --simulate."
      },
      footer = {
        "",
        "Exit status 1 when the mean over all salts has another sign than each alone.",
        "",
        "Example:",
        "  orbitkv ab spread --config experiment.yaml --trace conversation_trace.jsonl --salts 10"
      })
  static final class Spread extends BaseCommand implements Callable<Integer> {
    @Mixin private AbFlags flags = new AbFlags();

    @Option(
        names = "--salts",
        paramLabel = "N",
        defaultValue = "10",
        order = 10,
        description =
            "Splits; the first has the salt of --salt or ab.assign, each further one the next."
                + " Default: ${DEFAULT-VALUE}.")
    private int salts;

    @Mixin private JsonOption json = new JsonOption();

    @Override
    public Integer call() {
      flags.simulate = true;
      if (flags.isolation == null && flags.config == null) {
        flags.isolation = "partition";
      }
      AbRunner runner = new AbRunner(flags, given("--bytes-per-token"), out(), err());
      runner.checkTrace();
      AbSetup setup = AbSetup.read(flags, false);
      try {
        SplitSpread spread = runner.simulation(setup).spread(setup, salts);
        out().print(json.json() ? spread.json() + "\n" : spread.table());
        return spread.sameSign() ? 0 : Errors.FAILURE;
      } catch (IllegalArgumentException problem) {
        throw CommandException.usage(problem);
      }
    }
  }
}
