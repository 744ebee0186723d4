package io.orbitkv.testkit.policy;

import io.orbitkv.api.policy.AdmissionPolicy;
import io.orbitkv.api.policy.CutoffPolicy;
import io.orbitkv.api.policy.LookaheadPolicy;
import io.orbitkv.api.policy.Policy;
import io.orbitkv.api.policy.PolicyContext;
import io.orbitkv.api.policy.PolicyFactory;
import io.orbitkv.api.policy.PolicySlot;
import io.orbitkv.api.policy.RetentionPolicy;
import io.orbitkv.api.policy.WarmingPolicy;
import io.orbitkv.api.settings.ByteSize;
import io.orbitkv.model.HostedPolicy;
import io.orbitkv.model.ModelContext;
import io.orbitkv.model.ModelSettings;
import io.orbitkv.model.ModelTotals;
import io.orbitkv.model.ModelTrace;
import io.orbitkv.model.References;
import io.orbitkv.model.RequestOutcome;
import io.orbitkv.model.TimedModel;
import io.orbitkv.model.TimedSettings;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;

/**
 * A policy that meets a whole trace, on the model of the cache that {@code orbitkv policy try} and
 * {@code bench policy} use: keys alone, the policy called inline. Host memory holds a thirty-second
 * of what the trace asks for and a backing tier an eighth, until said otherwise. Test thread.
 *
 * {@snippet :
 * TraceResult result =
 *     PolicyTester.of(new MyPlugin()).onTrace(TestTraces.conversations(2_000, 1)).run();
 * assertThat(result.prefixHitRatio()).isGreaterThan(0.9 * result.lru());
 * }
 */
public final class TraceTrial {
  /** Qwen3-8B in BF16. */
  private static final long TOKEN_BYTES = 147_456;

  private final PolicyFactory<?> factory;
  private final Function<? super PolicyContext, ? extends Policy> create;
  private final ModelTrace trace;
  private final long seed;
  private final Set<PolicySlot> slots = EnumSet.noneOf(PolicySlot.class);
  private long memoryBytes;
  private long storeBytes;
  private long writeBytesPerSecond;

  TraceTrial(
      PolicyFactory<?> factory,
      Function<? super PolicyContext, ? extends Policy> create,
      ModelTrace trace,
      long seed) {
    this.factory = factory;
    this.create = create;
    this.trace = trace;
    this.seed = seed;
    long all = trace.distinctPages() * TOKEN_BYTES * trace.pageTokens();
    this.memoryBytes = Math.max(1, all / 32);
    this.storeBytes = all / 8;
  }

  /** Host memory for pages, such as {@code 8gb}. */
  public TraceTrial memory(String size) {
    memoryBytes = ByteSize.parse(size).bytes();
    return this;
  }

  /** The backing tier, such as {@code 64gb}; {@code 0b} for none. */
  public TraceTrial store(String size) {
    storeBytes = ByteSize.parse(size).bytes();
    return this;
  }

  /** What may be written to the backing tier each second, such as {@code 100mb}. */
  public TraceTrial writeAllowance(String size) {
    writeBytesPerSecond = ByteSize.parse(size).bytes();
    return this;
  }

  /**
   * The slots that it serves in. By default: retention in both tiers, admission at the border of
   * the backing tier (of host memory when there is none), cutoff.
   */
  public TraceTrial in(PolicySlot... chosen) {
    slots.clear();
    slots.addAll(List.of(chosen));
    return this;
  }

  /**
   * Runs the trace with the policy and without.
   *
   * @throws IllegalArgumentException when the policy serves in no slot that the model asks, or not
   *     in one that was named
   */
  public TraceResult run() {
    List<RequestOutcome> plain = outcomes(Map.of());
    ModelContext context = new ModelContext(factory.name(), seed);
    Policy policy = create.apply(context);
    Map<PolicySlot, HostedPolicy> serving = new EnumMap<>(PolicySlot.class);
    for (PolicySlot slot : slots.isEmpty() ? byDefault(policy) : slots) {
      if (!factory.slots().contains(slot)) {
        throw new IllegalArgumentException(
            "policy [" + factory.name() + "] does not serve in slot [" + slot.key() + "]");
      }
      serving.put(slot, new HostedPolicy(factory.name(), policy, context));
    }
    List<RequestOutcome> outcomes = outcomes(serving);
    ModelSettings settings = settings();
    int pages =
        (int) Math.min(trace.distinctPages(), (memoryBytes + storeBytes) / settings.pageBytes());
    return new TraceResult(
        trace.requests(),
        trace.totalPages(),
        ModelTotals.of(outcomes),
        ModelTotals.of(plain),
        References.clairvoyant(trace, pages),
        References.infinite(trace),
        meanSeconds(outcomes),
        meanSeconds(plain));
  }

  private Set<PolicySlot> byDefault(Policy policy) {
    Set<PolicySlot> wanted =
        switch (policy) {
          case RetentionPolicy _ -> EnumSet.of(PolicySlot.RETENTION_DRAM, PolicySlot.RETENTION_SSD);
          case AdmissionPolicy _ ->
              storeBytes > 0 && factory.slots().contains(PolicySlot.ADMISSION_SSD)
                  ? EnumSet.of(PolicySlot.ADMISSION_SSD)
                  : EnumSet.of(PolicySlot.ADMISSION_DRAM);
          case CutoffPolicy _ -> EnumSet.of(PolicySlot.CUTOFF);
          case LookaheadPolicy _ -> throw notAsked();
          case WarmingPolicy _ -> throw notAsked();
        };
    wanted.retainAll(factory.slots());
    return wanted;
  }

  private IllegalArgumentException notAsked() {
    return new IllegalArgumentException(
        "policy ["
            + factory.name()
            + "] serves in "
            + factory.slots().stream().map(PolicySlot::key).toList()
            + ", which the model does not ask: use PolicyTester.queue, and 'orbitkv policy try'");
  }

  private List<RequestOutcome> outcomes(Map<PolicySlot, HostedPolicy> serving) {
    return new TimedModel(
            trace, settings(), TimedSettings.measured(0).withDevice(0), serving, new ArrayList<>())
        .run();
  }

  private ModelSettings settings() {
    ModelSettings unlimited =
        ModelSettings.twoTiers(trace, TOKEN_BYTES, memoryBytes, storeBytes, seed);
    return writeBytesPerSecond == 0
        ? unlimited
        : unlimited.withWriteLimit((double) writeBytesPerSecond);
  }

  private static double meanSeconds(List<RequestOutcome> outcomes) {
    return outcomes.stream().mapToDouble(RequestOutcome::ttftSeconds).average().orElse(0);
  }
}
