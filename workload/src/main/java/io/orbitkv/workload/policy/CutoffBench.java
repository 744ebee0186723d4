package io.orbitkv.workload.policy;

import io.orbitkv.api.policy.CutoffPolicy;
import io.orbitkv.api.policy.CutoffPolicy.OnDeadline;
import io.orbitkv.api.policy.CutoffPolicy.ReadLimits;
import io.orbitkv.api.policy.Reason;
import io.orbitkv.model.HostedPolicy;
import io.orbitkv.model.ModelContext;
import io.orbitkv.model.ModelSettings;
import io.orbitkv.model.ModelTrace;
import io.orbitkv.model.Recording;
import io.orbitkv.model.RequestOutcome;
import io.orbitkv.model.TimedModel;
import io.orbitkv.model.TimedSettings;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * Measures cutoffs against always restoring and always recomputing, over speeds of a backing tier
 * and of an engine, in open loops below and above what the engine can compute, and in closed loops.
 * A load is what would have to be computed without a backing tier in a second, as a share of what
 * the engine computes. What the tiers hold is recorded once and timed for each. One thread.
 */
public final class CutoffBench {
  private static final double[] SSD_BYTES_PER_SECOND = {0.5e9, 1e9, 1.5e9, 3e9, 7e9, 14e9};
  private static final double[] PREFILL_TOKENS_PER_SECOND = {4e3, 10e3, 20e3, 40e3, 50e3};
  private static final double[] LOADS = {0.3, 0.6, 0.9, 1.2};
  private static final int[] CONCURRENCY = {1, 8, 32};
  private static final double NANOS_PER_SECOND = 1e9;
  private static final long LINK_BYTES_PER_SECOND = 55_000_000_000L;
  private static final double REQUEST_SECONDS = 0.02;
  private static final Reason RECOMPUTE = Reason.of("recompute");

  private final PolicyBenchOptions options;
  private final ModelTrace trace;
  private final List<BenchedPolicy> policies;
  private final Grid grid;
  private volatile String progress = "";

  /**
   * What is combined with what.
   *
   * @param ssdBytesPerSecond speeds of the backing tier
   * @param prefillTokensPerSecond speeds of the engine
   * @param loads of open loops
   * @param concurrency of closed loops
   */
  record Grid(
      double[] ssdBytesPerSecond,
      double[] prefillTokensPerSecond,
      double[] loads,
      int[] concurrency) {}

  /** A benchmark over the whole grid. */
  public CutoffBench(PolicyBenchOptions options, ModelTrace trace, List<BenchedPolicy> policies) {
    this(
        options,
        trace,
        policies,
        new Grid(SSD_BYTES_PER_SECOND, PREFILL_TOKENS_PER_SECOND, LOADS, CONCURRENCY));
  }

  CutoffBench(
      PolicyBenchOptions options, ModelTrace trace, List<BenchedPolicy> policies, Grid grid) {
    if (trace.requests() < 2 || trace.totalPages() == 0) {
      throw new IllegalArgumentException(
          "--trace [" + trace.name() + "] has fewer than two requests with pages: no load");
    }
    this.options = options;
    this.trace = trace;
    this.policies = List.copyOf(policies);
    this.grid = grid;
  }

  /** What is measured right now. Any thread. */
  public String progress() {
    return progress;
  }

  /** Measures. */
  public CutoffBenchResult run() {
    Recording recording =
        new Recording(
            trace,
            ModelSettings.twoTiers(
                trace, options.tokenBytes(), options.dramBytes(), options.ssdBytes(), 1));
    double seconds =
        (trace.arrivalNanos(trace.requests() - 1) - trace.arrivalNanos(0)) / NANOS_PER_SECOND;
    double offered = recording.meanTokensWithoutSsd() * trace.requests() / Math.max(1, seconds);
    List<CutoffBenchResult.Cell> cells = new ArrayList<>();
    for (double ssd : grid.ssdBytesPerSecond()) {
      for (double prefill : grid.prefillTokensPerSecond()) {
        for (double load : grid.loads()) {
          cells.add(cell(recording, ssd, prefill, load, offered / prefill / load, 0));
        }
        for (int concurrency : grid.concurrency()) {
          cells.add(cell(recording, ssd, prefill, 0, 1, concurrency));
        }
      }
    }
    progress = "";
    return new CutoffBenchResult(
        options, trace, policies.stream().map(BenchedPolicy::name).toList(), cells);
  }

  private CutoffBenchResult.Cell cell(
      Recording recording,
      double ssd,
      double prefill,
      double load,
      double stretch,
      int concurrency) {
    progress = String.format(Locale.ROOT, "SSD %.1f GB/s, %.0f tokens/s", ssd / 1e9, prefill);
    TimedSettings times =
        new TimedSettings(prefill, ssd, ssd, LINK_BYTES_PER_SECOND, REQUEST_SECONDS, concurrency);
    double restore = mean(recording, times, stretch, List.of());
    double recompute = mean(recording, times, stretch, List.of(recompute()));
    double[] own = new double[policies.size()];
    for (int i = 0; i < own.length; i++) {
      own[i] = mean(recording, times, stretch, List.of(hosted(policies.get(i))));
    }
    return new CutoffBenchResult.Cell(ssd, prefill, load, concurrency, restore, recompute, own);
  }

  private static double mean(
      Recording recording, TimedSettings times, double stretch, List<HostedPolicy> cutoffs) {
    double sum = 0;
    List<RequestOutcome> outcomes = new TimedModel(recording, times, stretch, cutoffs).run();
    for (RequestOutcome outcome : outcomes) {
      sum += outcome.ttftSeconds();
    }
    return sum / outcomes.size();
  }

  private static HostedPolicy recompute() {
    CutoffPolicy nothing =
        (request, source, engine) ->
            new ReadLimits(
                0,
                0,
                Duration.ZERO,
                OnDeadline.HAND_OVER,
                request.devicePages() + request.dramPages(),
                RECOMPUTE);
    return new HostedPolicy("recompute", nothing, new ModelContext("recompute", 1));
  }

  private static HostedPolicy hosted(BenchedPolicy policy) {
    ModelContext context = new ModelContext(policy.name(), 1);
    return new HostedPolicy(policy.name(), policy.create().apply(context), context);
  }
}
