package io.orbitkv.workload.policy;

import io.orbitkv.api.policy.ChainFacts;
import io.orbitkv.api.policy.Facts;
import io.orbitkv.api.policy.LookaheadPolicy;
import io.orbitkv.api.policy.Policy;
import io.orbitkv.api.policy.PolicySlot;
import io.orbitkv.api.policy.RequestFacts;
import io.orbitkv.api.policy.TierKind;
import io.orbitkv.api.policy.WarmingPolicy;
import io.orbitkv.model.HostedPolicy;
import io.orbitkv.model.ModelContext;
import io.orbitkv.model.ModelRun;
import io.orbitkv.model.ModelSettings;
import io.orbitkv.model.ModelTotals;
import io.orbitkv.model.ModelTrace;
import io.orbitkv.model.References;
import io.orbitkv.model.RequestOutcome;
import io.orbitkv.model.TimedModel;
import io.orbitkv.model.TimedSettings;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Lets one policy meet a trace on the model, beside another one: what it decides and why, what it
 * keeps, and what goes wrong with it. One thread runs it; any may ask what is called right now.
 */
public final class PolicyTrial {
  /** What the Manager waits where a publish or a read is held up. */
  private static final long SHORT_NANOS = 20_000_000;

  /** What it waits elsewhere. */
  private static final long LONG_NANOS = 1_000_000_000;

  /** Requests that wait behind the one that runs, for policies that choose from the queue. */
  private static final int QUEUED = 8;

  private final PolicyTrialOptions options;
  private final ModelTrace trace;
  private final BenchedPolicy policy;
  private final Set<PolicySlot> slots;
  private final @Nullable BenchedPolicy against;
  private final PolicyWatch watch;

  /**
   * A trial.
   *
   * @param slots that both serve in
   * @param against the other one; null for the built-in default
   * @throws IllegalArgumentException when the trace has no pages
   */
  public PolicyTrial(
      PolicyTrialOptions options,
      ModelTrace trace,
      BenchedPolicy policy,
      Set<PolicySlot> slots,
      @Nullable BenchedPolicy against) {
    if (trace.totalPages() == 0) {
      throw new IllegalArgumentException(
          "the trace [" + trace.name() + "] has no complete page: nothing can be kept of it");
    }
    this.options = options;
    this.trace = trace;
    this.policy = policy;
    this.slots = PolicySlot.setOf(slots);
    this.against = against;
    boolean holdsUp =
        slots.contains(PolicySlot.ADMISSION_DRAM) || slots.contains(PolicySlot.CUTOFF);
    this.watch =
        new PolicyWatch(System::nanoTime, holdsUp ? SHORT_NANOS : LONG_NANOS, options.decisions());
  }

  /** What was seen of the policy; while it runs, what it does right now. */
  public PolicyWatch watch() {
    return watch;
  }

  /** Runs the trace with each of them. */
  public PolicyTrialResult run() {
    ModelSettings settings = settings();
    int pages =
        (int)
            Math.min(
                trace.distinctPages(),
                (options.dramBytes() + options.ssdBytes()) / settings.pageBytes());
    double clairvoyant = References.clairvoyant(trace, pages);
    double infinite = References.infinite(trace);
    if (slots.contains(PolicySlot.LOOKAHEAD) || slots.contains(PolicySlot.WARMING)) {
      QueueFigures own = queues(instance(policy, true));
      QueueFigures other =
          against == null
              ? new QueueFigures(own.asked(), 0, 0, own.neededPages(), 0)
              : queues(instance(against, false));
      PolicyTrialResult.Kept plain = kept(Map.of());
      return result(plain, plain, plain, clairvoyant, infinite, own, other);
    }
    PolicyTrialResult.Kept plain = kept(Map.of());
    PolicyTrialResult.Kept other =
        against == null ? plain : kept(serving(instance(against, false)));
    PolicyTrialResult.Kept own = kept(serving(instance(policy, true)));
    return result(own, other, plain, clairvoyant, infinite, null, null);
  }

  private PolicyTrialResult result(
      PolicyTrialResult.Kept own,
      PolicyTrialResult.Kept other,
      PolicyTrialResult.Kept plain,
      double clairvoyant,
      double infinite,
      @Nullable QueueFigures ownQueues,
      @Nullable QueueFigures otherQueues) {
    return new PolicyTrialResult(
        options,
        trace,
        policy.name(),
        against == null ? "default" : against.name(),
        slots,
        own,
        other,
        plain,
        clairvoyant,
        infinite,
        ownQueues,
        otherQueues,
        watch);
  }

  private HostedPolicy instance(BenchedPolicy of, boolean watched) {
    ModelContext context = new ModelContext(of.name(), options.seed());
    Policy made = of.create().apply(context);
    return new HostedPolicy(of.name(), watched ? ObservedPolicy.of(made, watch) : made, context);
  }

  private Map<PolicySlot, HostedPolicy> serving(HostedPolicy hosted) {
    Map<PolicySlot, HostedPolicy> serving = new EnumMap<>(PolicySlot.class);
    slots.forEach(slot -> serving.put(slot, hosted));
    return serving;
  }

  private PolicyTrialResult.Kept kept(Map<PolicySlot, HostedPolicy> serving) {
    List<RequestOutcome> outcomes =
        new TimedModel(
                trace,
                settings(),
                TimedSettings.measured(0).withDevice(0),
                serving,
                new ArrayList<>())
            .run();
    return new PolicyTrialResult.Kept(
        ModelTotals.of(outcomes),
        outcomes.stream().mapToDouble(RequestOutcome::ttftSeconds).average().orElse(0));
  }

  /** The model reads nothing ahead: what is measured is whether the right requests were chosen. */
  private QueueFigures queues(HostedPolicy hosted) {
    ModelRun run = new ModelRun(trace, settings(), Map.of());
    long asked = 0;
    long chosen = 0;
    long inVain = 0;
    long needed = 0;
    long covered = 0;
    Set<Integer> picked = new HashSet<>();
    for (int r = 0; r < trace.requests(); r++) {
      long now = trace.arrivalNanos(r);
      List<RequestFacts> queue = new ArrayList<>();
      List<Integer> queued = new ArrayList<>();
      for (int i = r; i <= Math.min(trace.requests() - 1, r + QUEUED); i++) {
        if (trace.pages(i) > 0) {
          queue.add(facts(run, i, now, i == r));
          queued.add(i);
        }
      }
      // One that is chosen only as it begins comes too late.
      boolean before = picked.remove(r);
      asked++;
      List<Integer> choice =
          hosted.policy() instanceof LookaheadPolicy lookahead
              ? lookahead.prepare(queue)
              : ((WarmingPolicy) hosted.policy()).warm(queue);
      for (int index : choice) {
        chosen++;
        inVain += queue.get(index).ssdPages() == 0 ? 1 : 0;
        picked.add(queued.get(index));
      }
      int fromSsd = run.serve(r, now, Integer.MAX_VALUE).ssdPages();
      needed += fromSsd;
      covered += before ? fromSsd : 0;
    }
    return new QueueFigures(asked, chosen, inVain, needed, covered);
  }

  private RequestFacts facts(ModelRun run, int r, long now, boolean executing) {
    ModelRun.Found found = run.find(r);
    int last = trace.page(r, trace.pages(r) - 1);
    ChainFacts chain =
        new ChainFacts(
            trace.id(last),
            Facts.UNKNOWN,
            0,
            found.pages(),
            0,
            found.pages() * settings().pageBytes(),
            found.ssdPages() > 0 ? TierKind.SSD : TierKind.DRAM,
            Facts.UNKNOWN,
            1,
            trace.unitHash(last));
    return new RequestFacts(
        "model",
        Integer.toString(r),
        "",
        now,
        trace.inputTokens(r),
        trace.pages(r),
        chain,
        0,
        found.dramPages(),
        found.ssdPages(),
        executing,
        List.of());
  }

  private ModelSettings settings() {
    ModelSettings settings =
        ModelSettings.twoTiers(
            trace, options.tokenBytes(), options.dramBytes(), options.ssdBytes(), options.seed());
    return options.writeBytesPerSecond() == 0
        ? settings
        : settings.withWriteLimit((double) options.writeBytesPerSecond());
  }
}
