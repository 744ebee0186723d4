package io.orbitkv.manager.shadow;

import io.orbitkv.api.backing.BackingUsage;
import io.orbitkv.api.page.PageKey;
import io.orbitkv.api.policy.TierKind;
import io.orbitkv.api.query.QueryKind;
import io.orbitkv.kernel.Event;
import io.orbitkv.kernel.policy.Lineage;
import io.orbitkv.kernel.policy.PageIds;
import io.orbitkv.manager.policy.ShadowPlan;
import io.orbitkv.model.ConversationSample;
import io.orbitkv.model.Miniature;
import io.orbitkv.model.ModelSettings;
import io.orbitkv.model.SampledPages;
import io.orbitkv.model.VictimRule;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Finds the conversation of what the dispatcher heard, and lets the miniatures serve those of the
 * sample. The thread of the shadows, one after another when one is lost.
 */
final class ShadowWorker {
  private static final Logger log = LoggerFactory.getLogger(ShadowWorker.class);
  private static final int LINEAGE_BYTES = 56;
  private static final int LEAST_PAGES = 256;
  private static final int MOST_PREPARED = 256;
  private static final long ALLOWANCE_NANOS = 1_000_000_000;

  /** Of the memory, what conversations are told apart by; the rest is the miniatures'. */
  private static final double LINEAGE_SHARE = 0.25;

  /** So many pages are known for each that a miniature holds: they do not hold the same ones. */
  private static final int KNOWN_PER_HELD = 4;

  private final Shadows.Parts parts;
  private final IntFunction<@Nullable Long> pageBytes;
  private final Map<Operation, Prepared> prepared = new LinkedHashMap<>();
  private @Nullable Lane lane;
  private Shadows.Wanted applied = new Shadows.Wanted(ShadowPlan.NONE, 0, "start", Map.of(), 0);
  // Of the miniatures: what changed since concerns none of them.
  private long begunEpoch;
  private String begunCause = "start";
  private Lineage lineage = new Lineage(1);
  private ConversationSample sample = new ConversationSample(1, 0);
  private @Nullable ShadowGroup group;
  private long originNanos;
  private long lastNanos;
  private long allowanceNanos;
  private @Nullable BackingUsage lastUsage;
  private long[] ids = new long[64];
  private long sampled;
  private long others;
  private long leftOut;
  private volatile ShadowFigures figures = ShadowFigures.OFF;

  private record Operation(long session, long operation) {}

  private record Prepared(Event.Submit submit) {}

  /**
   * Nothing to do so far.
   *
   * @param pageBytes of a page of group 0, by instance; null for unknown
   */
  ShadowWorker(Shadows.Parts parts, IntFunction<@Nullable Long> pageBytes) {
    this.parts = parts;
    this.pageBytes = pageBytes;
  }

  /** A thread begins to work. */
  void enter(Lane mine) {
    lane = mine;
  }

  /** The thread before was lost in a call of a policy. */
  void goOn(long patienceMillis) {
    ShadowGroup now = group;
    if (now != null) {
      now.abandonCurrent(patienceMillis);
      now.resume();
    }
    publish();
  }

  /** Something is broken that is not a policy. */
  void broke(Throwable broken) {
    group = null;
    figures =
        new ShadowFigures(
            "failed",
            broken.getClass().getName(),
            applied.epoch(),
            applied.cause(),
            0,
            0,
            0,
            0,
            false,
            lookups(),
            List.of());
  }

  /** Begins anew when other miniatures are wanted. */
  void adjust(Shadows.Wanted wanted) {
    if (wanted.equals(applied)) {
      return;
    }
    boolean same = wanted.same(applied);
    boolean sameMemory = wanted.plan().memoryBytes() == applied.plan().memoryBytes();
    applied = wanted;
    if (same) {
      return;
    }
    group = null;
    if (wanted.plan().shadows().isEmpty()) {
      lineage = new Lineage(1);
    } else if (!sameMemory || !lineage.listening()) {
      // Conversations stay what they are when policies change.
      lineage = new Lineage(lineagePages(wanted.plan()));
      lineage.listen(true);
    }
    publish();
  }

  private static int lineagePages(ShadowPlan plan) {
    return (int)
        Math.min(
            Lineage.MOST_PAGES,
            Math.max(LEAST_PAGES, plan.memoryBytes() * LINEAGE_SHARE / LINEAGE_BYTES));
  }

  // ---- what was heard ------------------------------------------------------------------------

  void handle(Shadows.Told told) {
    switch (told.event()) {
      case Event.Submit submit when submit.kind() == QueryKind.PREPARE -> remember(submit);
      case Event.Submit submit when submit.kind() == QueryKind.SELECTED -> leftOut++;
      case Event.Submit submit -> lookUp(submit, told.nanos());
      case Event.Claim claim -> {
        Prepared one = prepared.remove(new Operation(claim.session(), claim.operation()));
        if (one == null) {
          leftOut++;
        } else {
          lookUp(one.submit(), told.nanos());
        }
      }
      case Event.Publish publish -> publish(publish, told.nanos());
      default -> throw new IllegalArgumentException("nobody asked for [" + told.event() + "]");
    }
  }

  // Its logical lookup comes with the claim, which names no keys.
  private void remember(Event.Submit submit) {
    prepared.put(new Operation(submit.session(), submit.operation()), new Prepared(submit));
    if (prepared.size() > MOST_PREPARED) {
      prepared.remove(prepared.keySet().iterator().next());
    }
  }

  private void lookUp(Event.Submit submit, long nanos) {
    boolean dense = submit.groups().length > 0 && submit.groups()[0] == 0;
    int count = dense ? submit.pagesOfGroup()[0] : 0;
    // Until it is known to be something else: a thread that is lost on the way does not come back.
    leftOut++;
    if (applied.plan().shadows().isEmpty()
        || count == 0
        || 2 * count > submit.keys().length
        || !fits(submit.instance(), nanos)) {
      return;
    }
    ShadowGroup now = group;
    double unit = conversation(PageKey.NONE, submit.keys(), count);
    if (now == null || !sample.takes(unit)) {
      leftOut--;
      others++;
      return;
    }
    SampledPages.Taken taken = now.pages().lookUp(identify(submit.keys(), count), count, unit);
    if (taken == SampledPages.Taken.TAKEN) {
      leftOut--;
      sampled++;
      now.serve(true, time(nanos));
    }
  }

  private void publish(Event.Publish publish, long nanos) {
    int count = publish.keys().length / 2;
    if (count == 0 || applied.plan().shadows().isEmpty() || !fits(publish.instance(), nanos)) {
      return;
    }
    ShadowGroup now = group;
    double unit = conversation(publish.parent(), publish.keys(), count);
    if (now == null || !sample.takes(unit)) {
      return;
    }
    boolean behind = !publish.parent().isNone();
    long before = PageIds.of(publish.parent().high(), publish.parent().low());
    SampledPages.Taken taken =
        now.pages().publish(behind, before, identify(publish.keys(), count), count, unit);
    if (taken == SampledPages.Taken.TAKEN) {
      now.serve(false, time(nanos));
    }
  }

  private double conversation(PageKey parent, long[] keys, int count) {
    lineage.learn(parent.high(), parent.low(), keys, 0, count);
    int last = count - 1;
    long high = last == 0 ? parent.high() : keys[2 * last - 2];
    long low = last == 0 ? parent.low() : keys[2 * last - 1];
    return lineage.chain(high, low, keys, last, count, 0, TierKind.DRAM).unitHash();
  }

  private long[] identify(long[] keys, int count) {
    if (ids.length < count) {
      ids = new long[Math.max(count, 2 * ids.length)];
    }
    for (int i = 0; i < count; i++) {
      ids[i] = PageIds.of(keys[2 * i], keys[2 * i + 1]);
    }
    return ids;
  }

  private long time(long nanos) {
    lastNanos = Math.max(lastNanos, nanos - originNanos);
    return lastNanos;
  }

  // ---- beginnings ----------------------------------------------------------------------------

  /** Whether the instance has pages of the size of the miniatures, which the first one decides. */
  private boolean fits(int instance, long nanos) {
    Long bytes = pageBytes.apply(instance);
    if (bytes == null || bytes <= 0) {
      return false;
    }
    ShadowGroup now = group;
    if (now == null) {
      if (parts.backed() && parts.ssd().get().isEmpty()) {
        // It will tell its size in a moment.
        return false;
      }
      begin(bytes, nanos);
      return true;
    }
    return now.settings().pageBytes() == bytes;
  }

  private void begin(long bytesOfPage, long nanos) {
    ShadowPlan plan = applied.plan();
    Optional<BackingUsage> usage = parts.ssd().get();
    long ssdBytes = usage.map(BackingUsage::capacityBytes).orElse(0L);
    int miniatures = plan.shadows().size() + 1;
    long perPage = SampledPages.PAGE_BYTES + (long) miniatures * Miniature.PAGE_BYTES;
    int known =
        (int)
            Math.min(
                Lineage.MOST_PAGES,
                Math.max(LEAST_PAGES, plan.memoryBytes() * (1 - LINEAGE_SHARE) / perPage));
    double pages = ((double) parts.dramBytes() + ssdBytes) / bytesOfPage;
    double share = Math.min(plan.share(), known / (KNOWN_PER_HELD * Math.max(1, pages)));
    sample = new ConversationSample(share, 0);
    ModelSettings settings =
        new ModelSettings(
            bytesOfPage,
            (long) (parts.dramBytes() * share),
            (long) (ssdBytes * share),
            VictimRule.lockstep().betweenRequests(false).scaled(share),
            0,
            1);
    Supply first = supply(usage);
    ShadowGroup made =
        new ShadowGroup(
            new SampledPages(known), settings, applied.serving(), plan.shadows(), this::lane);
    if (first.limited()) {
      made.limitWrites(share * first.bytes());
    }
    begunEpoch = applied.epoch();
    begunCause = applied.cause();
    originNanos = nanos;
    lastNanos = 0;
    allowanceNanos = nanos;
    lastUsage = usage.orElse(null);
    group = made;
    log.info(
        "[{}] miniatures begin ({}): [{}] of the conversations, [{}] pages of host memory, [{}] of"
            + " the backing tier",
        miniatures,
        applied.cause(),
        share,
        settings.dramBytes() / bytesOfPage,
        settings.ssdBytes() / bytesOfPage);
    // Seen by others before a policy's code is called, which may not return.
    publish();
    made.make();
  }

  private Lane lane() {
    Lane now = lane;
    if (now == null) {
      throw new IllegalStateException("no thread works");
    }
    return now;
  }

  // ---- time ----------------------------------------------------------------------------------

  /** Often. Timers of policies go off, and what may be written grows. */
  void pass(long nowNanos) {
    ShadowGroup now = group;
    if (now == null || nowNanos - allowanceNanos < ALLOWANCE_NANOS) {
      return;
    }
    grant(now, nowNanos);
    now.advance(time(nowNanos));
    publish();
  }

  /**
   * What the backing tier may write now.
   *
   * @param bytes of payload; 0 without a limit
   */
  private record Supply(boolean limited, double bytes) {}

  private static Supply supply(Optional<BackingUsage> usage) {
    return usage
        .filter(now -> now.writeBudgetLeftBytes() != BackingUsage.UNLIMITED)
        .map(now ->
            new Supply(true, Math.max(0, now.writeBudgetLeftBytes()) / now.writeAmplification()))
        .orElse(new Supply(false, 0));
  }

  // What came in is what is there more than before, and what was written meanwhile.
  private void grant(ShadowGroup now, long nowNanos) {
    allowanceNanos = nowNanos;
    BackingUsage before = lastUsage;
    BackingUsage usage = parts.ssd().get().orElse(null);
    lastUsage = usage;
    if (before == null
        || usage == null
        || before.writeBudgetLeftBytes() == BackingUsage.UNLIMITED
        || usage.writeBudgetLeftBytes() == BackingUsage.UNLIMITED) {
      return;
    }
    double came =
        (double) usage.writeBudgetLeftBytes()
            - before.writeBudgetLeftBytes()
            + usage.writtenBytes()
            - before.writtenBytes();
    if (came > 0) {
      now.grantWrites(sample.share() * came / Math.max(1, usage.writeAmplification()));
    }
  }

  // ---- pictures ------------------------------------------------------------------------------

  /** Any thread. As of the last batch. */
  ShadowFigures figures() {
    return figures;
  }

  private ShadowFigures.Lookups lookups() {
    return new ShadowFigures.Lookups(0, sampled, others, 0, leftOut);
  }

  /** Lets others see how things stand. */
  void publish() {
    ShadowGroup now = group;
    boolean none = applied.plan().shadows().isEmpty();
    if (now == null) {
      figures =
          new ShadowFigures(
              none ? "off" : "waiting",
              "",
              applied.epoch(),
              applied.cause(),
              0,
              0,
              0,
              0,
              false,
              lookups(),
              List.of());
      return;
    }
    ModelSettings settings = now.settings();
    figures =
        new ShadowFigures(
            "running",
            "",
            begunEpoch,
            begunCause,
            sample.share(),
            (int) (settings.dramBytes() / settings.pageBytes()),
            (int) (settings.ssdBytes() / settings.pageBytes()),
            now.pages().distinctPages(),
            now.turnedOver(),
            lookups(),
            now.figures());
  }
}
