package io.orbitkv.workload.policy;

import io.orbitkv.api.policy.Policy;
import io.orbitkv.api.policy.PolicySlot;
import io.orbitkv.model.HostedPolicy;
import io.orbitkv.model.ModelContext;
import io.orbitkv.model.ModelRun;
import io.orbitkv.model.ModelSettings;
import io.orbitkv.model.ModelTotals;
import io.orbitkv.model.ModelTrace;
import io.orbitkv.model.References;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Measures policies on a whole trace, on the model: real policies, called inline, over pages that
 * are keys alone. Each run starts cold and sees the same requests. One thread runs it; any may ask
 * for the progress.
 */
public final class PolicyBench {
  /** Write limits of {@link PolicyRole#WRITE_ADMISSION}, in percent of what writing all writes. */
  private static final int[] LIMITS_PERCENT = {10, 25, 50};

  private static final double NANOS_PER_SECOND = 1e9;

  private final PolicyBenchOptions options;
  private final ModelTrace trace;
  private final List<BenchedPolicy> policies;
  private volatile String progress = "";

  /**
   * A benchmark.
   *
   * @throws IllegalArgumentException when the trace has no pages
   */
  public PolicyBench(PolicyBenchOptions options, ModelTrace trace, List<BenchedPolicy> policies) {
    if (trace.totalPages() == 0) {
      throw new IllegalArgumentException(
          "--trace ["
              + trace.name()
              + "] has no complete page of ["
              + trace.pageTokens()
              + "] tokens: nothing can be kept of it");
    }
    this.options = options;
    this.trace = trace;
    this.policies = List.copyOf(policies);
  }

  /** What is measured right now. Any thread. */
  public String progress() {
    return progress;
  }

  /** Measures. */
  public PolicyBenchResult run() {
    ModelSettings settings = settings(1);
    progress = "reference lines";
    double infinite = References.infinite(trace);
    int pages =
        (int)
            Math.min(
                trace.distinctPages(),
                (options.dramBytes() + options.ssdBytes()) / settings.pageBytes());
    double clairvoyant = References.clairvoyant(trace, pages);
    ModelTotals plain = totals(settings, null, 1);
    List<PolicyFigures> figures = new ArrayList<>();
    for (BenchedPolicy policy : policies) {
      figures.add(figures(policy, 0, plain, clairvoyant));
    }
    List<PolicyBenchResult.Limited> limited = new ArrayList<>();
    if (options.role() == PolicyRole.WRITE_ADMISSION) {
      for (int percent : LIMITS_PERCENT) {
        limited.add(limited(percent, plain, clairvoyant));
      }
    }
    progress = "";
    return new PolicyBenchResult(options, trace, infinite, clairvoyant, plain, figures, limited);
  }

  private PolicyBenchResult.Limited limited(int percent, ModelTotals plain, double clairvoyant) {
    double seconds = trace.arrivalNanos(trace.requests() - 1) / NANOS_PER_SECOND;
    double rate = plain.ssdWrittenBytes() * (percent / 100.0) / Math.max(1, seconds);
    ModelTotals queue = totals(settings(1).withWriteLimit(rate), null, 1);
    List<PolicyFigures> figures = new ArrayList<>();
    for (BenchedPolicy policy : policies) {
      figures.add(figures(policy, rate, plain, clairvoyant));
    }
    return new PolicyBenchResult.Limited(percent, queue, figures);
  }

  private PolicyFigures figures(
      BenchedPolicy policy, double writeLimit, ModelTotals plain, double clairvoyant) {
    int seeds = options.seeds();
    double[] ratios = new double[seeds];
    long[] written = new long[seeds];
    for (int i = 0; i < seeds; i++) {
      progress = policy.name() + (seeds == 1 ? "" : ", seed " + (i + 1) + " of " + seeds);
      ModelSettings settings = settings(i + 1);
      ModelTotals totals =
          totals(writeLimit == 0 ? settings : settings.withWriteLimit(writeLimit), policy, i + 1);
      ratios[i] = totals.prefixHitRatio();
      written[i] = totals.ssdWrittenBytes();
    }
    Arrays.sort(ratios);
    Arrays.sort(written);
    double ratio = ratios[seeds / 2];
    double gap = clairvoyant - plain.prefixHitRatio();
    return new PolicyFigures(
        policy.name(),
        ratio,
        gap <= 0 ? 0 : (ratio - plain.prefixHitRatio()) / gap,
        ratios[seeds - 1] - ratios[0],
        written[seeds / 2]);
  }

  private ModelSettings settings(long seed) {
    return ModelSettings.twoTiers(
        trace, options.tokenBytes(), options.dramBytes(), options.ssdBytes(), seed);
  }

  private ModelTotals totals(ModelSettings settings, @Nullable BenchedPolicy policy, long seed) {
    Map<PolicySlot, HostedPolicy> slots = new EnumMap<>(PolicySlot.class);
    if (policy != null) {
      switch (options.role()) {
        case RETENTION -> {
          slots.put(PolicySlot.RETENTION_DRAM, hosted(policy, seed));
          if (options.ssdBytes() > 0) {
            // An instance for each tier, so that a policy need not tell the tiers' events apart.
            slots.put(PolicySlot.RETENTION_SSD, hosted(policy, seed + 1));
          }
        }
        case WRITE_ADMISSION -> slots.put(PolicySlot.ADMISSION_SSD, hosted(policy, seed));
        case CUTOFF ->
            throw new IllegalArgumentException("cutoffs are measured in time: use CutoffBench");
      }
    }
    return ModelTotals.of(new ModelRun(trace, settings, slots).run());
  }

  private static HostedPolicy hosted(BenchedPolicy policy, long seed) {
    ModelContext context = new ModelContext(policy.name(), seed);
    Policy instance = policy.create().apply(context);
    return new HostedPolicy(policy.name(), instance, context);
  }
}
