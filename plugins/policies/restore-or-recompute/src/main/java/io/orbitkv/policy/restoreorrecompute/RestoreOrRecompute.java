package io.orbitkv.policy.restoreorrecompute;

import io.orbitkv.api.policy.CutoffPolicy;
import io.orbitkv.api.policy.EngineFacts;
import io.orbitkv.api.policy.Facts;
import io.orbitkv.api.policy.PolicyContext;
import io.orbitkv.api.policy.Reason;
import io.orbitkv.api.policy.RequestFacts;
import io.orbitkv.api.policy.TierFacts;
import io.orbitkv.api.settings.ByteSize;
import io.orbitkv.api.settings.Setting;
import io.orbitkv.policy.restoreorrecompute.Choice.Costs;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Restores from a backing tier what comes sooner than the engine would compute it: all stored
 * pages, as many as can be read while the engine is busy with others, or none. For everybody with a
 * backing tier: a disk that gives fewer tokens a second than the engine computes is worse than no
 * disk at all, and by how much depends on both queues at the moment. The choice is described at
 * {@link Choice}; pages in host memory are always restored.
 *
 * <p>A read never holds a request longer than computing it would take, with what that would cost
 * the requests behind it: what is there by then is handed over. With an engine that nobody waits
 * for that is the time that computing takes; where requests queue for it, those that could be read
 * wait for the tier rather than make all others wait. A tier that nobody measured yet is tried with
 * small reads, one at a time; one that was too slow is tried again now and then.
 *
 * <p>Not in the seed documents, which leave the decision to the engines; measured to be needed on a
 * host whose disk gives a quarter of what its engine computes.
 */
final class RestoreOrRecompute implements CutoffPolicy {
  static final Reason NOTHING_STORED = Reason.of("nothing-stored");
  static final Reason ALL = Reason.of("restore-all");
  static final Reason FIRST_PAGES = Reason.of("restore-first-pages");
  static final Reason RECOMPUTE = Reason.of("recompute");
  static final Reason TRIAL = Reason.of("tier-not-measured-small-read");
  static final Reason BETWEEN_TRIALS = Reason.of("tier-not-measured-recompute");
  static final Reason TRIAL_AGAIN = Reason.of("slow-tier-measured-again");

  /** Engines that are remembered; the one that was silent longest is forgotten. */
  private static final int MOST_ENGINES = 64;

  private static final double NANOS_PER_SECOND = 1e9;

  /** A deadline of 0 would be none. */
  private static final long SHORTEST_DEADLINE_NANOS = 1_000_000;

  private static final long LONGEST_DEADLINE_NANOS = 3_600_000_000_000L;

  private static final double ROUNDING_NANOS = 1e-3;

  private static final ReadLimits NOTHING =
      new ReadLimits(0, 0, Duration.ZERO, OnDeadline.HAND_OVER, Integer.MAX_VALUE, NOTHING_STORED);

  private final PolicyContext context;
  private final Settings settings;
  private final Trials trials;
  private final Map<String, EngineLoad> loads =
      new LinkedHashMap<>(16, 0.75f, true) {
        @java.io.Serial private static final long serialVersionUID = 1;

        @Override
        protected boolean removeEldestEntry(Map.Entry<String, EngineLoad> eldest) {
          return size() > MOST_ENGINES;
        }
      };

  /**
   * What it assumes and how it measures.
   *
   * @param assumedPrefill tokens a second
   * @param trial bytes
   * @param trialInterval time without a read
   */
  public record Settings(
      @Setting(
              def = "20000",
              min = "1",
              max = "100000000",
              doc = "tokens a second that an engine is taken to compute until it tells its rate")
          long assumedPrefill,
      @Setting(
              def = "32mb",
              min = "4kb",
              max = "1gb",
              doc = "bytes of a read that measures a backing tier, but at least one page")
          ByteSize trial,
      @Setting(
              def = "1m",
              min = "0ms",
              max = "1h",
              doc =
                  "time without a read after which a backing tier that was too slow is measured"
                      + " again, when that delays a request little, and after ten times as long in"
                      + " any case; 0: never")
          Duration trialInterval) {}

  RestoreOrRecompute(Settings settings, PolicyContext context) {
    this.context = context;
    this.settings = settings;
    this.trials = new Trials(settings.trialInterval().toNanos());
  }

  @Override
  public ReadLimits plan(RequestFacts request, TierFacts source, EngineFacts engine) {
    if (request.ssdPages() <= 0) {
      return NOTHING;
    }
    long now = context.nanoTime();
    EngineLoad load = loads.computeIfAbsent(engine.instance(), _ -> new EngineLoad(now));
    boolean told = engine.queuedTokens() != Facts.UNKNOWN;
    Costs costs = costs(request, source, engine, told ? 0 : load.nanosLeft(now));
    double price = told ? load.price(costs.engineNanos()) : load.guessedPrice();
    load.met(now, costs.engineNanos(), costs.computeNanos());
    ReadLimits limits =
        source.readBytesPerSecond() > 0
            ? measured(request, costs, price, now)
            : trial(request, costs, price, now);
    int read = pagesRead(request, limits);
    if (read > 0) {
      trials.reading(now);
    }
    load.add(now, costs.rest(read));
    return limits;
  }

  private ReadLimits measured(RequestFacts request, Costs costs, double price, long now) {
    Choice best = request.groups() > 1 ? costs.bestWhole(price) : costs.best(price);
    if (best.pages() > 0) {
      boolean all = best.pages() == request.ssdPages();
      return limits(request, costs, price, best.pages(), all ? ALL : FIRST_PAGES);
    }
    Choice again = costs.of(trialPages(request));
    double extra = again.finishNanos() - best.finishNanos();
    return trials.again(now, extra, best.finishNanos())
        ? limits(request, costs, price, again.pages(), TRIAL_AGAIN)
        : limits(request, costs, price, 0, RECOMPUTE);
  }

  private ReadLimits trial(RequestFacts request, Costs costs, double price, long now) {
    return trials.first(now)
        ? limits(request, costs, price, trialPages(request), TRIAL)
        : limits(request, costs, price, 0, BETWEEN_TRIALS);
  }

  /** Pages of a read that measures; all of them where a part is of no use. */
  private int trialPages(RequestFacts request) {
    double bytes = pageBytes(request);
    double pages = bytes == 0 ? request.ssdPages() : settings.trial().bytes() / bytes;
    return request.groups() > 1
        ? request.ssdPages()
        : (int) Math.clamp(pages, 1, request.ssdPages());
  }

  private Costs costs(
      RequestFacts request, TierFacts source, EngineFacts engine, double guessedEngineNanos) {
    double tokensPerNano =
        (engine.prefillTokensPerSecond() > 0
                ? engine.prefillTokensPerSecond()
                : settings.assumedPrefill())
            / NANOS_PER_SECOND;
    double bytesPerNano = Math.max(1, source.readBytesPerSecond()) / NANOS_PER_SECOND;
    double pageTokens =
        request.pages() <= 0 ? 0 : Math.max(0, request.tokens()) / (double) request.pages();
    double resident = (double) request.devicePages() + request.dramPages();
    double missing = Math.max(0, request.tokens() - resident * pageTokens);
    double engineNanos =
        engine.queuedTokens() == Facts.UNKNOWN
            ? guessedEngineNanos
            : engine.queuedTokens() / tokensPerNano;
    return new Costs(
        request.ssdPages(),
        Math.max(0, source.queuedBytes()) / bytesPerNano + Math.max(0, source.readLatencyNanos()),
        pageBytes(request) / bytesPerNano,
        engineNanos,
        pageTokens / tokensPerNano,
        missing / tokensPerNano);
  }

  private static double pageBytes(RequestFacts request) {
    return request.chain().pages() <= 0
        ? 0
        : (double) request.chain().bytes() / request.chain().pages();
  }

  private static int pagesRead(RequestFacts request, ReadLimits limits) {
    int resident = residentPages(request);
    return Math.clamp((long) limits.restorePages() - resident, 0, request.ssdPages());
  }

  private static int residentPages(RequestFacts request) {
    return (int)
        Math.min(
            Integer.MAX_VALUE,
            Math.max(0L, request.devicePages()) + Math.max(0L, request.dramPages()));
  }

  /** Limits of a read that may take as long as doing without it would, with what that costs. */
  private static ReadLimits limits(
      RequestFacts request, Costs costs, double price, int pages, Reason reason) {
    if (pages == 0) {
      // With several groups the first pages alone are of no use, so there a miss is what is left.
      int resident = request.groups() > 1 ? 0 : residentPages(request);
      return new ReadLimits(0, 0, Duration.ZERO, OnDeadline.HAND_OVER, resident, reason);
    }
    long nanos =
        (long)
            Math.clamp(
                Math.ceil(costs.longestRead(price) - ROUNDING_NANOS),
                SHORTEST_DEADLINE_NANOS,
                LONGEST_DEADLINE_NANOS);
    int restore =
        pages >= request.ssdPages()
            ? Integer.MAX_VALUE
            : (int) Math.min(Integer.MAX_VALUE, (long) residentPages(request) + pages);
    return new ReadLimits(0, 0, Duration.ofNanos(nanos), OnDeadline.HAND_OVER, restore, reason);
  }
}
