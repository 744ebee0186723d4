package io.orbitkv.model;

import io.orbitkv.api.policy.TierFacts;
import java.util.List;
import java.util.Map;

/**
 * What every request of a trace finds, made once and timed any number of times. What the tiers hold
 * does not depend on what is restored: what was found and not read is computed, and then it is in
 * host memory all the same. So cutoffs, speeds and loads can be compared without running the cache
 * anew. With every slot at its built-in default and no prefix cache on the device. Immutable; any
 * thread.
 */
public final class Recording {
  private final ModelTrace trace;
  private final ModelSettings settings;
  private final List<RequestOutcome> outcomes;
  private final TierFacts tier;

  /** Runs the trace through the tiers. */
  public Recording(ModelTrace trace, ModelSettings settings) {
    this.trace = trace;
    this.settings = settings;
    ModelRun run = new ModelRun(trace, settings, Map.of());
    outcomes = run.run();
    tier = run.ssdFacts();
  }

  /** Tokens that are in neither tier and in host memory alone are left out. */
  public double meanTokensWithoutSsd() {
    double tokens = 0;
    for (RequestOutcome outcome : outcomes) {
      int found = outcome.dramPages() * trace.pageTokens();
      tokens += Math.max(1, trace.inputTokens(outcome.index()) - found);
    }
    return outcomes.isEmpty() ? 0 : tokens / outcomes.size();
  }

  ModelTrace trace() {
    return trace;
  }

  ModelSettings settings() {
    return settings;
  }

  /** A player of it. */
  Contents contents() {
    return new Contents() {
      @Override
      public ModelRun.Found find(int r, int devicePages) {
        RequestOutcome outcome = outcomes.get(r);
        return new ModelRun.Found(outcome.dramPages(), outcome.ssdPages());
      }

      @Override
      public RequestOutcome serve(
          int r, long atNanos, int devicePages, int restorePages, int writePages) {
        RequestOutcome outcome = outcomes.get(r);
        int dram = Math.min(outcome.dramPages(), restorePages);
        int ssd = Math.min(outcome.ssdPages(), restorePages - dram);
        int again = outcome.ssdPages() - ssd;
        return new RequestOutcome(
            r,
            atNanos,
            outcome.pages(),
            0,
            dram,
            ssd,
            outcome.publishedBytes() + again * settings.pageBytes(),
            ssd * settings.pageBytes(),
            Math.min(outcome.ssdWrittenBytes(), writePages * settings.pageBytes()),
            0,
            outcome.chainRoot());
      }

      @Override
      public TierFacts ssdFacts() {
        return tier;
      }
    };
  }
}
