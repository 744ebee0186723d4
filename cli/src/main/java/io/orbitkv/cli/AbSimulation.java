package io.orbitkv.cli;

import io.orbitkv.api.policy.Policy;
import io.orbitkv.api.policy.PolicyFactory;
import io.orbitkv.api.policy.PolicySlot;
import io.orbitkv.manager.config.BoundPolicy;
import io.orbitkv.manager.config.DefaultPolicies;
import io.orbitkv.manager.config.ManagerConfig;
import io.orbitkv.manager.config.PolicyBinding;
import io.orbitkv.manager.experiment.Assignment;
import io.orbitkv.manager.experiment.ExperimentPlan;
import io.orbitkv.manager.experiment.Isolation;
import io.orbitkv.manager.plugin.PluginHost;
import io.orbitkv.model.HostedPolicy;
import io.orbitkv.model.ModelContext;
import io.orbitkv.model.ModelTrace;
import io.orbitkv.model.TimedSettings;
import io.orbitkv.workload.ab.assign.Arm;
import io.orbitkv.workload.ab.assign.Split;
import io.orbitkv.workload.ab.report.ExperimentReport;
import io.orbitkv.workload.ab.report.ExperimentReport.Fact;
import io.orbitkv.workload.ab.report.SimulatedReport;
import io.orbitkv.workload.ab.simulate.Calibration;
import io.orbitkv.workload.ab.simulate.ModelledCache;
import io.orbitkv.workload.ab.simulate.SimulatedExperiment;
import io.orbitkv.workload.ab.simulate.SimulatedExperiment.Resamples;
import io.orbitkv.workload.ab.simulate.SimulatedExperiment.Result;
import io.orbitkv.workload.ab.simulate.SimulatedModel;
import io.orbitkv.workload.ab.simulate.SplitSpread;
import io.orbitkv.workload.ab.verdict.Criteria;
import io.orbitkv.workload.ab.verdict.Measure;
import io.orbitkv.workload.policy.ModelTraces;
import io.orbitkv.workload.report.JsonReport;
import io.orbitkv.workload.report.Quantity;
import io.orbitkv.workload.report.TextTable;
import io.orbitkv.workload.trace.TraceSource;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.IntFunction;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Does what {@code ab --simulate} was asked for. */
final class AbSimulation {
  /** Qwen3-8B in BF16. */
  private static final long TOKEN_BYTES = 147_456;

  private static final double EVEN = 0.5;

  /** What the model asks policies for. */
  private static final Set<PolicySlot> MODELLED =
      EnumSet.of(
          PolicySlot.CUTOFF,
          PolicySlot.ADMISSION_DRAM,
          PolicySlot.ADMISSION_SSD,
          PolicySlot.ADMISSION_PROMOTE,
          PolicySlot.RETENTION_DRAM,
          PolicySlot.RETENTION_SSD);

  private final AbFlags flags;
  private final boolean ownBytesPerToken;
  private final Map<Arm, String> policies;
  private final Supplier<TraceSource> trace;

  AbSimulation(
      AbFlags flags,
      boolean ownBytesPerToken,
      Map<Arm, String> policies,
      Supplier<TraceSource> trace) {
    this.flags = flags;
    this.ownBytesPerToken = ownBytesPerToken;
    this.policies = policies;
    this.trace = trace;
  }

  ExperimentReport report(AbSetup setup) {
    Optional<Split> split = split(setup);
    ModelTrace requests = trace();
    try (PluginHost host = host(setup)) {
      SimulatedModel model = model(setup, requests, host, false);
      Criteria criteria = setup.criteria(flags, byDefault());
      Result result = judge(model, criteria, split);
      return SimulatedReport.of(
          setup.name(),
          model.trace(),
          facts(model, split, requests),
          policies,
          model.durationSeconds(),
          criteria,
          result,
          model.references(),
          notes(setup));
    }
  }

  /** Hours of the workload that see an effect, from A against A with conversations of its own. */
  String plan(AbSetup setup, double effect, boolean json) {
    Split split = split(setup).orElseGet(() -> new Split(EVEN, salt(setup)));
    ModelTrace requests = trace();
    try (PluginHost host = host(setup)) {
      SimulatedModel model = model(setup, requests, host, true);
      Measure primary = setup.criteria(flags, byDefault()).primary();
      Criteria criteria = new Criteria(primary, Math.abs(effect), List.of());
      double hours = judge(model, criteria, Optional.of(split)).hoursForMargin();
      if (json) {
        return JsonReport.object(report -> {
          report.field("measure", primary.key()).field("effect", effect, 6);
          if (Double.isFinite(hours)) {
            report.field("hours", hours, 3);
          }
        })
            + "\n";
      }
      return new TextTable()
          .row("measure", primary.key())
          .row("effect", String.format(Locale.ROOT, "%.3g %%", 100 * effect))
          .row(
              "hours",
              Double.isFinite(hours)
                  ? String.format(Locale.ROOT, "%.2f of this workload", hours)
                  : "not known: the trace is too short, or nothing varied")
          .text();
    }
  }

  /**
   * How often experiments of A against itself, and with a planted effect, are right.
   *
   * @param traces by experiment
   */
  Calibration calibration(
      AbSetup setup, PluginHost host, IntFunction<ModelTrace> traces, int experiments) {
    return new Calibration(
        number -> model(setup, traces.apply(number), host, true),
        setup.criteria(flags, byDefault()),
        shareOfA(setup),
        salt(setup) + flags.seed,
        experiments);
  }

  /** What the split of the conversations does to the effect. */
  SplitSpread spread(AbSetup setup, int salts) {
    double shareOfA = shareOfA(setup);
    ModelTrace requests = trace();
    try (PluginHost host = host(setup)) {
      return SplitSpread.of(
          model(setup, requests, host, false),
          setup.criteria(flags, byDefault()),
          shareOfA,
          salt(setup),
          salts);
    }
  }

  private double shareOfA(AbSetup setup) {
    return split(setup).map(Split::shareOfA).orElse(EVEN);
  }

  private Result judge(SimulatedModel model, Criteria criteria, Optional<Split> split) {
    Resamples resamples = Resamples.of(flags.seed);
    try {
      return split.isPresent()
          ? SimulatedExperiment.partition(model, criteria, split.get(), resamples)
          : SimulatedExperiment.alone(model, criteria, resamples);
    } catch (IllegalArgumentException problem) {
      throw CommandException.usage(problem);
    }
  }

  private static Criteria byDefault() {
    return new Criteria(Measure.PREFIX_HIT_RATIO, 0.02, List.of());
  }

  private Optional<Split> split(AbSetup setup) {
    @Nullable String text = flags.isolation;
    boolean planned = setup.plan().isPresent();
    if (text == null && !planned) {
      if (flags.salt != null) {
        throw CommandException.usage("--salt belongs to --isolation partition");
      }
      return Optional.empty();
    }
    String wanted = text != null ? text : setup.assignment().isolation().key();
    if (wanted.equals(Isolation.SHARED.key())) {
      Isolation.SHARED
          .refusal(setup.variants().differing(), Duration.ZERO, Duration.ZERO)
          .ifPresent(reason -> {
            throw CommandException.usage("--isolation: " + reason);
          });
    }
    if (!wanted.equals(Isolation.PARTITION.key())) {
      throw CommandException.usage(
          "isolation ["
              + wanted
              + "] cannot be simulated: use partition, or compare each alone with --a and --b");
    }
    return Optional.of(new Split(setup.assignment().percentOfA() / 100.0, salt(setup)));
  }

  private long salt(AbSetup setup) {
    @Nullable Long given = flags.salt;
    return given != null
        ? given
        : setup.plan().map(ExperimentPlan::assignment).map(Assignment::salt).orElse(0L);
  }

  ModelTrace trace() {
    @Nullable Integer most = flags.requests;
    try (TraceSource source = trace.get()) {
      return ModelTraces.read(source, 0, most != null ? most : Integer.MAX_VALUE);
    }
  }

  private long tokenBytes() {
    return ownBytesPerToken ? flags.engine.bytesPerToken() : TOKEN_BYTES;
  }

  private SimulatedModel model(
      AbSetup setup, ModelTrace requests, PluginHost host, boolean aloneA) {
    ManagerConfig config = setup.configA();
    Map<Arm, List<BoundPolicy>> bound = new EnumMap<>(Arm.class);
    bound.put(Arm.A, bound(config, host));
    bound.put(Arm.B, aloneA ? bound.getOrDefault(Arm.A, List.of()) : bound(setup.configB(), host));
    return new ModelledCache(
        requests,
        tokenBytes(),
        config.poolBytes(),
        config.settings().ssd().paths().isEmpty() ? 0 : config.settings().ssd().capacity().bytes(),
        flags.seed,
        times(),
        arm -> instances(bound.getOrDefault(arm, List.of())));
  }

  private static List<BoundPolicy> bound(ManagerConfig config, PluginHost host) {
    PolicyBinding.bind(config.policies(), host);
    return PolicyBinding.bind(DefaultPolicies.completed(config.policies(), host), host);
  }

  private TimedSettings times() {
    TimedSettings measured = TimedSettings.measured(0);
    try {
      return new TimedSettings(
          flags.prefillRate,
          flags.ssdReadRate.bytes(),
          flags.ssdWriteRate.bytes(),
          flags.linkRate.bytes(),
          measured.requestSeconds(),
          0);
    } catch (IllegalArgumentException problem) {
      throw CommandException.usage(problem);
    }
  }

  /** New instances; one for all slots that name a policy with equal settings. */
  private ModelledCache.Policies instances(List<BoundPolicy> bound) {
    Map<PolicySlot, HostedPolicy> bySlot = new EnumMap<>(PolicySlot.class);
    List<HostedPolicy> cutoffs = new ArrayList<>();
    Map<String, HostedPolicy> made = new HashMap<>();
    for (BoundPolicy policy : bound) {
      PolicySlot slot = policy.choice().slot();
      if (MODELLED.contains(slot)) {
        String name = policy.choice().name();
        HostedPolicy hosted =
            made.computeIfAbsent(
                name + " " + policy.settings(),
                _ -> instance(policy, new ModelContext(name, flags.seed)));
        if (slot == PolicySlot.CUTOFF) {
          cutoffs.add(hosted);
        } else {
          bySlot.put(slot, hosted);
        }
      }
    }
    return new ModelledCache.Policies(bySlot, cutoffs);
  }

  private static HostedPolicy instance(BoundPolicy policy, ModelContext context) {
    return policy
        .provided()
        .call(factory ->
            new HostedPolicy(
                policy.choice().name(), create(factory, policy.settings(), context), context));
  }

  private static <S extends Record> Policy create(
      PolicyFactory<S> factory, Record settings, ModelContext context) {
    return factory.create().apply(factory.settings().cast(settings), context);
  }

  PluginHost host(AbSetup setup) {
    return Plugins.host(setup.configA(), flags.plugins);
  }

  private List<Fact> facts(SimulatedModel model, Optional<Split> split, ModelTrace requests) {
    List<Fact> facts = new ArrayList<>();
    facts.add(
        new Fact(
            "isolation",
            split
                .map(of ->
                    String.format(
                        Locale.ROOT,
                        "partition: %.0f %% of conversations and capacity for A, salt %d",
                        100 * of.shareOfA(),
                        of.salt()))
                .orElse("each alone with all requests and the whole capacity")));
    facts.add(new Fact("requests", Quantity.count(model.requests())));
    facts.add(new Fact("duration", String.format(Locale.ROOT, "%.0f s", model.durationSeconds())));
    facts.add(new Fact("memory", Quantity.bytes(model.dramBytes())));
    facts.add(new Fact("ssd", model.ssdBytes() == 0 ? "none" : Quantity.bytes(model.ssdBytes())));
    facts.add(
        new Fact(
            "speeds",
            String.format(
                Locale.ROOT,
                "prefill %,.0f tokens/s, SSD %s read and %s written, link %s a second",
                flags.prefillRate,
                flags.ssdReadRate,
                flags.ssdWriteRate,
                flags.linkRate)));
    facts.add(new Fact("bytes_per_token", Long.toString(tokenBytes())));
    facts.add(new Fact("page_tokens", Integer.toString(requests.pageTokens())));
    facts.add(new Fact("seed", Long.toString(flags.seed)));
    return facts;
  }

  private static List<String> notes(AbSetup setup) {
    List<String> notes = new ArrayList<>();
    String notModelled =
        setup.variants().differing().stream()
            .filter(slot -> !MODELLED.contains(slot))
            .map(PolicySlot::key)
            .sorted()
            .collect(Collectors.joining(", "));
    if (!notModelled.isEmpty()) {
      notes.add(
          "The variants differ in "
              + notModelled
              + ", which the model does not ask policies for: that difference is not in these"
              + " figures.");
    }
    if (setup.variants().differing().isEmpty()) {
      notes.add("No policy differs between the variants: this is an A/A experiment.");
    }
    return notes;
  }
}
