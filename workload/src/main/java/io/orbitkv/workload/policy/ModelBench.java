package io.orbitkv.workload.policy;

import io.orbitkv.api.policy.PolicySlot;
import io.orbitkv.model.HostedPolicy;
import io.orbitkv.model.ModelSettings;
import io.orbitkv.model.ModelTrace;
import io.orbitkv.model.RequestOutcome;
import io.orbitkv.model.TimedModel;
import io.orbitkv.model.TimedSettings;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.function.LongFunction;

/**
 * Whether a cache is worth having: the {@link ReuseWorkload} in a closed loop on the timed model,
 * with no cache but the engine's own, with every slot at what is built in (everything is copied,
 * written and restored), and with the default configuration. Deterministic. One thread.
 */
public final class ModelBench {
  private static final long GIB = 1L << 30;

  /** Host memory and backing tier of each comparison, in bytes. */
  private static final List<long[]> SIZES =
      List.of(new long[] {8 * GIB, 0}, new long[] {8 * GIB, 36 * GIB}, new long[] {40 * GIB, 0});

  private final int requests;
  private final int seeds;
  private final TimedSettings times;
  private final LongFunction<Map<PolicySlot, HostedPolicy>> byDefault;

  /**
   * A benchmark.
   *
   * @param requests of each run
   * @param seeds runs, whose requests are taken together
   * @param times speeds, with a closed loop
   * @param byDefault new instances of the policies of the default configuration, by seed
   */
  public ModelBench(
      int requests,
      int seeds,
      TimedSettings times,
      LongFunction<Map<PolicySlot, HostedPolicy>> byDefault) {
    if (requests < 1 || seeds < 1 || seeds > 101 || (long) requests * seeds > 10_000_000) {
      throw new IllegalArgumentException(
          "[" + requests + "] requests with [" + seeds + "] seeds: 1 to 10,000,000 in all");
    }
    if (times.concurrency() < 1) {
      throw new IllegalArgumentException(
          "[" + times.concurrency() + "] requests at a time: at least one");
    }
    this.requests = requests;
    this.seeds = seeds;
    this.times = times;
    this.byDefault = byDefault;
  }

  /** Runs all of them. */
  public ModelBenchResult run() {
    ModelBenchResult.Row none = row("none", 0, 0, _ -> Map.of());
    List<ModelBenchResult.Row> builtIn = new ArrayList<>();
    List<ModelBenchResult.Row> defaults = new ArrayList<>();
    for (long[] size : SIZES) {
      builtIn.add(row("built-in", size[0], size[1], _ -> Map.of()));
      defaults.add(row("default", size[0], size[1], byDefault));
    }
    return new ModelBenchResult(requests, seeds, times, none, builtIn, defaults);
  }

  private ModelBenchResult.Row row(
      String name,
      long dramBytes,
      long ssdBytes,
      LongFunction<Map<PolicySlot, HostedPolicy>> policies) {
    double[] all = new double[requests * seeds];
    int at = 0;
    double seconds = 0;
    long pages = 0;
    long hits = 0;
    long onDevice = 0;
    long published = 0;
    long read = 0;
    long written = 0;
    for (int seed = 1; seed <= seeds; seed++) {
      ModelTrace trace = ReuseWorkload.trace(seed, requests);
      ModelSettings settings =
          ModelSettings.twoTiers(
              trace, PolicyBenchOptions.QWEN3_8B_TOKEN_BYTES, dramBytes, ssdBytes, seed);
      double end = 0;
      for (RequestOutcome outcome :
          new TimedModel(trace, settings, times, policies.apply(seed), List.of()).run()) {
        all[at++] = outcome.ttftSeconds();
        end = Math.max(end, outcome.arrivalNanos() / 1e9 + outcome.ttftSeconds());
        pages += outcome.pages();
        hits += outcome.hitPages();
        onDevice += outcome.devicePages();
        published += outcome.publishedBytes();
        read += outcome.ssdReadBytes();
        written += outcome.ssdWrittenBytes();
      }
      seconds += end;
    }
    Arrays.sort(all);
    return new ModelBenchResult.Row(
        name,
        dramBytes,
        ssdBytes,
        all.length / seconds,
        Arrays.stream(all).sum() / all.length,
        all[all.length / 2],
        all[(int) (0.95 * all.length)],
        (double) hits / pages,
        (double) onDevice / pages,
        published,
        read,
        written);
  }
}
