package io.orbitkv.cli;

import io.orbitkv.api.settings.ByteSize;
import io.orbitkv.manager.experiment.ConfigurationText;
import io.orbitkv.manager.experiment.Variants;
import io.orbitkv.workload.ab.assign.Arm;
import io.orbitkv.workload.ab.live.LiveSettings;
import io.orbitkv.workload.ab.live.ManagerArms;
import io.orbitkv.workload.ab.live.PairedExperiment;
import io.orbitkv.workload.ab.live.PairedExperiment.Pairs;
import io.orbitkv.workload.ab.live.PairedPlan;
import io.orbitkv.workload.ab.live.StartState;
import io.orbitkv.workload.ab.report.ExperimentReport;
import io.orbitkv.workload.ab.report.ExperimentReport.Fact;
import io.orbitkv.workload.ab.report.LiveReport;
import io.orbitkv.workload.ab.verdict.Criteria;
import io.orbitkv.workload.process.ManagerStartException;
import io.orbitkv.workload.replay.ReplayOptions;
import io.orbitkv.workload.report.Quantity;
import io.orbitkv.workload.trace.GeneratorSettings;
import io.orbitkv.workload.trace.TraceFiles;
import io.orbitkv.workload.trace.TraceGenerator;
import io.orbitkv.workload.trace.TraceSource;
import io.orbitkv.workload.trace.TraceSummary;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Does what {@code ab} was asked for. */
final class AbRunner {
  private static final int GENERATED_REQUESTS = 1_000;
  private static final int MOST_PAIRS = 1_000;
  private static final int WARM_SHARE = 4;
  private static final long MAX_DEVICE_BYTES = 1L << 30;
  private static final int DEVICE_SHARE = 8;
  private static final int DEVICE_TOKENS = 16_384;

  private final AbFlags flags;
  private final boolean ownBytesPerToken;
  private final PrintWriter out;
  private final PrintWriter err;

  AbRunner(AbFlags flags, boolean ownBytesPerToken, PrintWriter out, PrintWriter err) {
    this.flags = flags;
    this.ownBytesPerToken = ownBytesPerToken;
    this.out = out;
    this.err = err;
  }

  int run(int pairs, AbOutput output)
      throws IOException, InterruptedException, ManagerStartException {
    checkTrace();
    if (pairs < 2 || pairs > MOST_PAIRS) {
      throw CommandException.usage("--pairs [" + pairs + "] must be 2 to " + MOST_PAIRS);
    }
    output.check();
    AbSetup setup = AbSetup.read(flags, false);
    if (flags.simulate) {
      return output.write(simulation(setup).report(setup), false, out, err);
    }
    Criteria criteria = setup.criteria(flags, Criteria.byDefault());
    LiveSettings settings = settings(setup);
    Pairs done = pairs(setup, settings, pairs, false);
    ExperimentReport report =
        LiveReport.of(
            setup.name(),
            traceName(),
            facts(setup, settings, pairs),
            policies(setup),
            settings.prefillTokensPerSecond(),
            criteria,
            done,
            notes(setup));
    return output.write(report, done.endedByVoids(), out, err);
  }

  int plan(String effect, int pilots, boolean json)
      throws IOException, InterruptedException, ManagerStartException {
    checkTrace();
    double wanted;
    try {
      wanted = Criteria.parsePercent(effect);
      PairedPlan.requireValid(wanted, pilots);
    } catch (IllegalArgumentException problem) {
      throw CommandException.usage("--effect or --pilots: " + problem.getMessage());
    }
    AbSetup setup = AbSetup.read(flags, true);
    if (flags.simulate) {
      out.print(simulation(setup).plan(setup, wanted, json));
      return 0;
    }
    Criteria criteria = setup.criteria(flags, Criteria.byDefault());
    Pairs done = pairs(setup, settings(setup), pilots, true);
    if (done.endedByVoids() || done.counting().size() < 2) {
      throw CommandException.failure(
          "["
              + done.counting().size()
              + "] pilot pairs count, which is too few to plan with: "
              + String.join(
                  "; ", done.pairs().stream().flatMap(pair -> pair.voids().stream()).toList()),
          null);
    }
    PairedPlan plan = PairedPlan.of(criteria.primary(), wanted, done.counting());
    out.print(json ? plan.json() + "\n" : plan.table());
    return 0;
  }

  AbSimulation simulation(AbSetup setup) {
    return new AbSimulation(flags, ownBytesPerToken, policies(setup), this::open);
  }

  /** Runs pairs; of A alone for pilots. */
  private Pairs pairs(AbSetup setup, LiveSettings settings, int pairs, boolean pilots)
      throws IOException, InterruptedException, ManagerStartException {
    try (AbFiles files = AbFiles.make(setup, flags.plugins);
        Interruption interruption = new Interruption(out)) {
      Map<Arm, List<String>> options = files.serveOptions();
      if (pilots) {
        options.put(Arm.B, options.getOrDefault(Arm.A, List.of()));
      }
      ManagerArms arms =
          new ManagerArms(
              options, files.stores(), settings, this::open, flags.generate ? flags.seed : 0);
      PairedExperiment experiment = new PairedExperiment(arms, pairs, flags.seed);
      interruption.stopWith(experiment::cancel);
      try {
        if (flags.quiet || !ProgressLine.possible()) {
          return experiment.run();
        }
        try (ProgressLine _ = ProgressLine.start(err, () -> text(experiment.progress()))) {
          return experiment.run();
        }
      } catch (ManagerStartException refused) {
        throw refused.exitStatus() == Errors.USAGE
            ? CommandException.usage(files.named(String.valueOf(refused.getMessage())))
            : CommandException.failure(files.named(String.valueOf(refused.getMessage())), refused);
      }
    }
  }

  private static String text(PairedExperiment.Progress now) {
    return "run "
        + now.run()
        + " of "
        + now.runs()
        + ": "
        + now.what()
        + (now.voids() == 0 ? "" : ", " + now.voids() + " void");
  }

  private LiveSettings settings(AbSetup setup) {
    long requests = requests();
    long warm = 0;
    if (flags.start == StartState.WARM) {
      @Nullable Long given = flags.warmRequests;
      warm = given != null ? given : requests / WARM_SHARE;
    } else if (flags.warmRequests != null) {
      throw CommandException.usage("--warm-requests belongs to --start warm");
    }
    EngineFlags engine = flags.engine;
    @Nullable ByteSize deviceSize = engine.deviceSize();
    @Nullable Double speed = flags.speed;
    long least = (long) DEVICE_TOKENS * engine.bytesPerToken();
    long byDefault =
        Math.min(Math.max(setup.configA().poolBytes() / DEVICE_SHARE, least), MAX_DEVICE_BYTES);
    try {
      return new LiveSettings(
          new ReplayOptions(
              engine.pageTokens(),
              engine.bytesPerToken(),
              engine.layers(),
              deviceSize != null ? deviceSize.bytes() : byDefault,
              engine.concurrency(),
              speed != null ? speed : 0,
              requests,
              engine.pace()),
          flags.start,
          warm,
          flags.prefillRate);
    } catch (IllegalArgumentException problem) {
      throw CommandException.usage(problem);
    }
  }

  private long requests() {
    @Nullable Integer given = flags.requests;
    if (given != null) {
      return given;
    }
    if (flags.generate) {
      return GENERATED_REQUESTS;
    }
    try (TraceSource source = open()) {
      return TraceSummary.of(source, flags.engine.pageTokens()).requests();
    } catch (IllegalArgumentException problem) {
      throw CommandException.usage(problem);
    }
  }

  void checkTrace() {
    if ((flags.trace != null) == flags.generate) {
      throw CommandException.usage(
          "say which trace: either --trace FILE or --generate"
              + (flags.generate ? ", not both" : ""));
    }
    if (!flags.simulate && (flags.isolation != null || flags.salt != null)) {
      throw CommandException.usage(
          "--isolation and --salt belong to --simulate: here each variant has runs of its own");
    }
  }

  private TraceSource open() {
    @Nullable Path file = flags.trace;
    if (file != null) {
      return TraceFiles.open(file, flags.seed);
    }
    @Nullable Integer requests = flags.requests;
    try {
      return new TraceGenerator(
          GeneratorSettings.conversations(
              flags.seed, requests != null ? requests : GENERATED_REQUESTS));
    } catch (IllegalArgumentException problem) {
      throw CommandException.usage(problem);
    }
  }

  private String traceName() {
    try (TraceSource source = open()) {
      return source.name();
    }
  }

  private List<Fact> facts(AbSetup setup, LiveSettings settings, int pairs) {
    ReplayOptions replay = settings.replay();
    List<Fact> facts = new ArrayList<>();
    facts.add(new Fact("start", settings.start().key()));
    facts.add(new Fact("pairs", Integer.toString(pairs)));
    facts.add(new Fact("seed", Long.toString(flags.seed)));
    facts.add(new Fact("requests", Quantity.count(replay.maxRequests() - settings.warmRequests())));
    facts.add(new Fact("untimed_requests", Quantity.count(settings.warmRequests())));
    facts.add(new Fact("pool", Quantity.bytes(setup.configA().poolBytes())));
    facts.add(
        new Fact(
            "ssd",
            setup.configA().settings().ssd().paths().isEmpty()
                ? "none"
                : Quantity.bytes(setup.configA().settings().ssd().capacity().bytes())));
    facts.add(new Fact("query_budget", Quantity.bytes(setup.configA().budgetBytes())));
    facts.add(new Fact("device", Quantity.bytes(replay.deviceBytes())));
    facts.add(new Fact("concurrency", Integer.toString(replay.concurrency())));
    facts.add(
        new Fact(
            "arrivals",
            replay.closedLoop()
                ? "closed loop"
                : String.format(Locale.ROOT, "%.4g times as fast", replay.speed())));
    facts.add(new Fact("bytes_per_token", Integer.toString(replay.bytesPerToken())));
    facts.add(new Fact("page_tokens", Integer.toString(replay.pageTokens())));
    return facts;
  }

  private static List<String> notes(AbSetup setup) {
    List<String> notes = new ArrayList<>();
    if (!setup.variants().allowed().isEmpty()) {
      notes.add(
          "The variants differ outside policies too, as --allow says: "
              + String.join(", ", setup.variants().allowed())
              + ".");
    }
    if (setup.variants().differing().isEmpty()) {
      notes.add("No policy differs between the variants: this is an A/A experiment.");
    }
    setup
        .plan()
        .ifPresent(_ ->
            notes.add(
                "Each variant has whole runs of its own; ab.assign is for live traffic and"
                    + " --simulate."));
    return notes;
  }

  private static Map<Arm, String> policies(AbSetup setup) {
    return Map.of(
        Arm.A,
        ConfigurationText.of(Variants.policies(setup.variants().a())),
        Arm.B,
        ConfigurationText.of(Variants.policies(setup.variants().b())));
  }
}
