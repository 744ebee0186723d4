package io.orbitkv.workload.policy;

import io.orbitkv.api.policy.PolicySlot;
import io.orbitkv.model.ConversationSample;
import io.orbitkv.model.HostedPolicy;
import io.orbitkv.model.Miniature;
import io.orbitkv.model.ModelContext;
import io.orbitkv.model.ModelRun;
import io.orbitkv.model.ModelSettings;
import io.orbitkv.model.ModelTotals;
import io.orbitkv.model.ModelTrace;
import io.orbitkv.model.SampledPages;
import io.orbitkv.model.VictimRule;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * How far miniatures can be trusted: the difference between two policies on a whole trace at the
 * whole size, and what pairs of miniatures with a share of both say of it, each pair with another
 * sample of the conversations. One thread runs it; any may ask for the progress.
 */
public final class MiniatureBench {
  private static final int MOST_SAMPLES = 100;
  private static final int MOST_PAGES = 1 << 22;
  private static final long SEED = 1;

  private final Options options;
  private final ModelTrace trace;
  private volatile String progress = "";

  /**
   * What is compared.
   *
   * @param slot in which the two serve; what is built in serves in the others
   * @param active one of them; null for what is built in
   * @param shadow the other one; null for what is built in
   * @param dramBytes host memory for pages
   * @param ssdBytes the backing tier; 0 for none
   * @param tokenBytes bytes of a token's keys and values
   * @param share of conversations and capacity that a miniature has
   * @param samples pairs of miniatures
   */
  public record Options(
      PolicySlot slot,
      @Nullable BenchedPolicy active,
      @Nullable BenchedPolicy shadow,
      long dramBytes,
      long ssdBytes,
      long tokenBytes,
      double share,
      int samples) {
    /**
     * Checks the sizes.
     *
     * @throws IllegalArgumentException naming the option that does not fit
     */
    public Options {
      if (dramBytes < 1) {
        throw new IllegalArgumentException("--capacity [" + dramBytes + "] must be positive");
      }
      if (ssdBytes < 0) {
        throw new IllegalArgumentException("--ssd [" + ssdBytes + "] is negative");
      }
      if (ssdBytes == 0
          && (slot != PolicySlot.RETENTION_DRAM && slot != PolicySlot.ADMISSION_DRAM)) {
        throw new IllegalArgumentException(
            "--slot " + slot.key() + " needs a backing tier: give --ssd, such as 1tb");
      }
      if (tokenBytes < 1) {
        throw new IllegalArgumentException("--token-bytes [" + tokenBytes + "] must be positive");
      }
      if (!(share > 0 && share <= 1)) {
        throw new IllegalArgumentException(
            "--sample [" + 100 * share + "%] must be above 0% and at most 100%");
      }
      if (samples < 1 || samples > MOST_SAMPLES) {
        throw new IllegalArgumentException(
            "--samples [" + samples + "] must be 1 to " + MOST_SAMPLES);
      }
    }
  }

  /**
   * A benchmark.
   *
   * @throws IllegalArgumentException when the trace has no pages, or more than there is memory for
   */
  public MiniatureBench(Options options, ModelTrace trace) {
    if (trace.totalPages() == 0) {
      throw new IllegalArgumentException(
          "--trace [" + trace.name() + "] has no complete page: nothing can be kept of it");
    }
    if (trace.distinctPages() > MOST_PAGES) {
      throw new IllegalArgumentException(
          "--trace ["
              + trace.name()
              + "] has ["
              + trace.distinctPages()
              + "] different pages, more than ["
              + MOST_PAGES
              + "]: take fewer --requests or larger --page-tokens");
    }
    this.options = options;
    this.trace = trace;
  }

  /** What is measured right now. Any thread. */
  public String progress() {
    return progress;
  }

  /** Measures. */
  public MiniatureBenchResult run() {
    progress = "the whole trace";
    ModelTotals active = whole(options.active());
    ModelTotals shadow = whole(options.shadow());
    List<MiniatureBenchResult.Pair> pairs = new ArrayList<>();
    for (int salt = 0; salt < options.samples(); salt++) {
      progress = "sample " + (salt + 1) + " of " + options.samples();
      pairs.add(pair(salt));
    }
    progress = "";
    return new MiniatureBenchResult(options, trace, active, shadow, pairs);
  }

  private ModelTotals whole(@Nullable BenchedPolicy policy) {
    return ModelTotals.of(new ModelRun(trace, settings(1), hosted(policy)).run());
  }

  private MiniatureBenchResult.Pair pair(int salt) {
    ConversationSample sample = new ConversationSample(options.share(), salt);
    SampledPages pages = new SampledPages(Math.max(16, trace.distinctPages()));
    ModelSettings settings = settings(options.share());
    Miniature active = new Miniature(pages, settings, hosted(options.active()));
    Miniature shadow = new Miniature(pages, settings, hosted(options.shadow()));
    for (int r = 0; r < trace.requests(); r++) {
      int count = trace.pages(r);
      double unit = count == 0 ? 0 : trace.unitHash(trace.page(r, count - 1));
      if (count == 0 || !sample.takes(unit)) {
        continue;
      }
      long[] ids = new long[count];
      for (int i = 0; i < count; i++) {
        ids[i] = trace.id(trace.page(r, i));
      }
      // There is a number for each page of the trace.
      if (pages.lookUp(ids, count, unit) == SampledPages.Taken.TAKEN) {
        active.serve(true, trace.arrivalNanos(r));
        shadow.serve(true, trace.arrivalNanos(r));
      }
    }
    return new MiniatureBenchResult.Pair(
        active.lookups(),
        active.lookedUpPages(),
        active.hitPages(),
        shadow.hitPages(),
        active.ssdWrittenBytes(),
        shadow.ssdWrittenBytes());
  }

  private ModelSettings settings(double share) {
    VictimRule rule = VictimRule.kernel(trace.pageTokens());
    return new ModelSettings(
        options.tokenBytes() * trace.pageTokens(),
        (long) (options.dramBytes() * share),
        (long) (options.ssdBytes() * share),
        share == 1 ? rule : rule.scaled(share),
        0,
        SEED);
  }

  private Map<PolicySlot, HostedPolicy> hosted(@Nullable BenchedPolicy policy) {
    if (policy == null) {
      return Map.of();
    }
    ModelContext context = new ModelContext(policy.name(), SEED);
    return Map.of(
        options.slot(), new HostedPolicy(policy.name(), policy.create().apply(context), context));
  }
}
