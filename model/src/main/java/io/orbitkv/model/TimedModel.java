package io.orbitkv.model;

import io.orbitkv.api.policy.ChainFacts;
import io.orbitkv.api.policy.CutoffPolicy;
import io.orbitkv.api.policy.CutoffPolicy.OnDeadline;
import io.orbitkv.api.policy.CutoffPolicy.ReadLimits;
import io.orbitkv.api.policy.EngineFacts;
import io.orbitkv.api.policy.Facts;
import io.orbitkv.api.policy.PolicySlot;
import io.orbitkv.api.policy.RequestFacts;
import io.orbitkv.api.policy.TierFacts;
import io.orbitkv.api.policy.TierKind;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;

/**
 * A {@link ModelRun} with times. The SSD and the engine are queues: reads and writes share the one,
 * prompts are computed one after another by the other, and a request's first token comes after its
 * pages were read, copied, and the rest of its prompt was computed. While one request's pages are
 * read the engine computes others.
 *
 * <p>The contents of the tiers change when a request is served, in the order of service, not when
 * its last byte has moved: times follow from contents and not the other way, but for cutoffs. A
 * cutoff is asked before a read; of its limits {@code restorePages}, {@code batchBytes} with {@code
 * maxBatches}, and {@code deadline} are modelled. One thread.
 */
public final class TimedModel {
  private static final double NANOS_PER_SECOND = 1e9;
  private static final String INSTANCE = "model";

  private final ModelTrace trace;
  private final ModelSettings settings;
  private final TimedSettings times;
  private final ModelRun run;
  private final List<HostedPolicy> cutoffs;
  private final RequestOutcome[] outcomes;

  /** Prompts that the engine has not begun. */
  private final PriorityQueue<Prompt> waiting = new PriorityQueue<>();

  private double ssdFreeAt;
  private double engineFreeAt;

  private record Prompt(int request, double start, double ready, int tokens)
      implements Comparable<Prompt> {
    @Override
    public int compareTo(Prompt other) {
      int byTime = Double.compare(ready, other.ready);
      return byTime != 0 ? byTime : Integer.compare(request, other.request);
    }
  }

  /**
   * A run with empty tiers.
   *
   * @param policies by slot; a cutoff among them is asked first
   * @param furtherCutoffs asked too; of all answers the strictest counts
   */
  public TimedModel(
      ModelTrace trace,
      ModelSettings settings,
      TimedSettings times,
      Map<PolicySlot, HostedPolicy> policies,
      List<HostedPolicy> furtherCutoffs) {
    this.trace = trace;
    this.settings = settings;
    this.times = times;
    run = new ModelRun(trace, settings, policies);
    outcomes = new RequestOutcome[trace.requests()];
    cutoffs = new ArrayList<>(furtherCutoffs);
    HostedPolicy first = policies.get(PolicySlot.CUTOFF);
    if (first != null) {
      cutoffs.addFirst(first);
    }
  }

  /** Serves all requests. */
  public List<RequestOutcome> run() {
    double last = 0;
    for (int r = 0; r < trace.requests(); r++) {
      double start = trace.arrivalNanos(r) / NANOS_PER_SECOND;
      if (times.concurrency() > 0) {
        // In a closed loop the trace gives the order alone: a request comes when one has ended.
        start = waiting.size() < times.concurrency() ? last : Math.max(last, computeNext());
      } else {
        computeUntil(start);
      }
      last = start;
      serve(r, start);
    }
    while (!waiting.isEmpty()) {
      double _ = computeNext();
    }
    return List.of(outcomes);
  }

  private void serve(int r, double start) {
    ModelRun.Found found = run.find(r);
    double readSeconds = found.ssdPages() * settings.pageBytes() / times.ssdReadBytesPerSecond();
    double readStart = Math.max(start, ssdFreeAt);
    int restore = found.pages();
    double deadline = Double.POSITIVE_INFINITY;
    if (found.ssdPages() > 0) {
      for (HostedPolicy cutoff : cutoffs) {
        cutoff.context().advance(Math.round(start * NANOS_PER_SECOND), cutoff.policy());
        ReadLimits limits = plan(cutoff, r, found, start);
        restore = Math.min(restore, pages(limits, found, start, readStart));
        if (limits.deadline().isPositive()) {
          deadline = Math.min(deadline, start + limits.deadline().toNanos() / NANOS_PER_SECOND);
        }
      }
    }
    RequestOutcome outcome = run.serve(r, Math.round(start * NANOS_PER_SECOND), restore);
    double ready = start;
    if (outcome.ssdReadBytes() > 0) {
      ssdFreeAt = readStart + outcome.ssdReadBytes() / times.ssdReadBytesPerSecond();
      ready = ssdFreeAt;
    } else if (restore < found.pages() && deadline < Double.POSITIVE_INFINITY) {
      // It was waited for in vain.
      ready = Math.min(deadline, readStart + readSeconds);
    }
    if (outcome.ssdWrittenBytes() > 0) {
      ssdFreeAt =
          Math.max(ssdFreeAt, start) + outcome.ssdWrittenBytes() / times.ssdWriteBytesPerSecond();
    }
    double copied = outcome.hitPages() * settings.pageBytes() / times.linkBytesPerSecond();
    int rest = Math.max(1, trace.inputTokens(r) - outcome.hitPages() * trace.pageTokens());
    outcomes[r] = outcome;
    waiting.add(new Prompt(r, start, ready + copied, rest));
  }

  /** The engine takes prompts in the order in which they are ready, as far as it gets by then. */
  private void computeUntil(double seconds) {
    for (Prompt next = waiting.peek();
        next != null && Math.max(next.ready(), engineFreeAt) <= seconds;
        next = waiting.peek()) {
      double _ = computeNext();
    }
  }

  /**
   * Computes the prompt that is ready first.
   *
   * @return when its first token is there
   */
  private double computeNext() {
    Prompt prompt = waiting.remove();
    engineFreeAt =
        Math.max(prompt.ready(), engineFreeAt) + prompt.tokens() / times.prefillTokensPerSecond();
    double firstToken = engineFreeAt + times.firstTokenSeconds();
    outcomes[prompt.request()] = outcomes[prompt.request()].withTtft(firstToken - prompt.start());
    return firstToken;
  }

  private long queuedTokens(double now) {
    double tokens = Math.max(0, engineFreeAt - now) * times.prefillTokensPerSecond();
    for (Prompt prompt : waiting) {
      tokens += prompt.ready() <= now ? prompt.tokens() : 0;
    }
    return Math.round(tokens);
  }

  /** Pages of the hit that the limits leave. */
  private int pages(ReadLimits limits, ModelRun.Found found, double start, double readStart) {
    int pages = Math.clamp(limits.restorePages(), 0, found.pages());
    if (limits.batchBytes() > 0 && limits.maxBatches() > 0) {
      long batched = limits.batchBytes() / settings.pageBytes() * limits.maxBatches();
      pages = (int) Math.min(pages, found.dramPages() + batched);
    }
    if (limits.deadline().isPositive()) {
      double until = start + limits.deadline().toNanos() / NANOS_PER_SECOND;
      long inTime =
          (long) ((until - readStart) * times.ssdReadBytesPerSecond() / settings.pageBytes());
      if (inTime < found.ssdPages()) {
        boolean handsOver = limits.onDeadline() == OnDeadline.HAND_OVER;
        pages = (int) Math.min(pages, handsOver ? found.dramPages() + Math.max(0, inTime) : 0);
      }
    }
    return pages;
  }

  private ReadLimits plan(HostedPolicy cutoff, int r, ModelRun.Found found, double start) {
    int pages = trace.pages(r);
    int last = trace.page(r, pages - 1);
    RequestFacts request =
        new RequestFacts(
            INSTANCE,
            Integer.toString(r),
            "",
            Math.round(start * NANOS_PER_SECOND),
            trace.inputTokens(r),
            pages,
            new ChainFacts(
                trace.id(last),
                Facts.UNKNOWN,
                0,
                found.pages(),
                0,
                found.pages() * settings.pageBytes(),
                TierKind.SSD,
                Facts.UNKNOWN,
                1,
                trace.unitHash(last)),
            0,
            found.dramPages(),
            found.ssdPages(),
            false,
            List.of());
    TierFacts stored = run.ssdFacts();
    TierFacts source =
        new TierFacts(
            TierKind.SSD,
            stored.capacityBytes(),
            stored.freeBytes(),
            Math.round(Math.max(0, ssdFreeAt - start) * times.ssdReadBytesPerSecond()),
            Math.round(times.ssdReadBytesPerSecond()),
            Math.round(times.ssdWriteBytesPerSecond()),
            Math.round(settings.pageBytes() / times.ssdReadBytesPerSecond() * NANOS_PER_SECOND),
            stored.writeBudgetLeft());
    EngineFacts engine =
        new EngineFacts(
            INSTANCE, Math.round(times.prefillTokensPerSecond()), 0, queuedTokens(start));
    return ((CutoffPolicy) cutoff.policy()).plan(request, source, engine);
  }
}
