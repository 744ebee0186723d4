package io.orbitkv.manager.shadow;

import io.orbitkv.api.policy.PolicySlot;
import io.orbitkv.manager.policy.PolicySpec;
import io.orbitkv.manager.policy.ShadowPlan;
import io.orbitkv.model.HostedPolicy;
import io.orbitkv.model.Miniature;
import io.orbitkv.model.ModelContext;
import io.orbitkv.model.ModelSettings;
import io.orbitkv.model.SampledPages;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Miniatures that began together, empty: one with all policies that serve, and for each shadow one
 * in which it takes its slot. They serve the same requests one after another. One thread at a time;
 * when that is lost in a call of a policy, the next one goes on behind the miniature in which it
 * was lost.
 */
final class ShadowGroup {
  private static final Logger log = LoggerFactory.getLogger(ShadowGroup.class);

  /** Chance is the same in all of them. */
  private static final long SEED = 1;

  private final SampledPages pages;
  private final ModelSettings settings;
  private final Supplier<Lane> lane;
  private final List<Entry> entries = new ArrayList<>();
  private @Nullable Work work;
  private int next;
  private boolean limited;
  private double firstGrant;

  /** What is done with each miniature in turn. */
  private sealed interface Work {
    record Make() implements Work {}

    record Serve(boolean asked, long atNanos) implements Work {}

    record Advance(long toNanos) implements Work {}
  }

  /** One miniature and what it runs. */
  private static final class Entry {
    private final ShadowPlan.@Nullable Shadow shadow;
    private final Map<PolicySlot, PolicySpec> policies;
    private @Nullable Miniature miniature;
    private String state = "running";
    private String trouble = "";

    Entry(ShadowPlan.@Nullable Shadow shadow, Map<PolicySlot, PolicySpec> policies) {
      this.shadow = shadow;
      this.policies = policies;
    }

    boolean running() {
      return state.equals("running");
    }
  }

  /**
   * Miniatures that are not made so far.
   *
   * @param settings of each
   * @param lane of the thread that works now
   */
  ShadowGroup(
      SampledPages pages,
      ModelSettings settings,
      Map<PolicySlot, PolicySpec> serving,
      List<ShadowPlan.Shadow> shadows,
      Supplier<Lane> lane) {
    this.pages = pages;
    this.settings = settings;
    this.lane = lane;
    entries.add(new Entry(null, serving));
    for (ShadowPlan.Shadow shadow : shadows) {
      Map<PolicySlot, PolicySpec> policies = new EnumMap<>(PolicySlot.class);
      policies.putAll(serving);
      PolicySpec policy = shadow.policy();
      if (policy == null) {
        policies.remove(shadow.slot());
      } else {
        policies.put(shadow.slot(), policy);
      }
      entries.add(new Entry(shadow, policies));
    }
  }

  SampledPages pages() {
    return pages;
  }

  ModelSettings settings() {
    return settings;
  }

  /** Makes them, with their policies. */
  void make() {
    begin(new Work.Make());
  }

  /** Serves the current request of the pages. */
  void serve(boolean asked, long atNanos) {
    begin(new Work.Serve(asked, atNanos));
  }

  /** Lets timers go off. */
  void advance(long toNanos) {
    begin(new Work.Advance(toNanos));
  }

  private void begin(Work newWork) {
    work = newWork;
    next = 0;
    resume();
  }

  /** Goes on where a thread was lost, if one was. */
  void resume() {
    Work now = work;
    while (now != null && next < entries.size()) {
      Entry entry = entries.get(next++);
      if (entry.running()) {
        try {
          work(entry, now);
        } catch (GuardedPolicy.FailedException failed) {
          lose(entry, "failed", String.valueOf(failed.getMessage()));
        }
      }
    }
    work = null;
  }

  /** The thread was lost in a call of a policy, so long ago: its miniature is, too. */
  void abandonCurrent(long patienceMillis) {
    if (work != null && next > 0) {
      Entry entry = entries.get(next - 1);
      lose(
          entry,
          "abandoned",
          "[" + name(entry) + "] did not return from a call for [" + patienceMillis + "] ms");
    }
  }

  private void work(Entry entry, Work now) {
    Miniature miniature = entry.miniature;
    switch (now) {
      case Work.Make _ -> entry.miniature = made(entry);
      case Work.Serve(boolean asked, long atNanos) when miniature != null ->
          miniature.serve(asked, atNanos);
      case Work.Advance(long toNanos) when miniature != null -> miniature.advance(toNanos);
      case Work.Serve _, Work.Advance _ -> {}
    }
  }

  // As in the Manager, slots that name one policy with equal settings share an instance.
  private Miniature made(Entry entry) {
    Map<Object, HostedPolicy> instances = new HashMap<>();
    Map<PolicySlot, HostedPolicy> hosted = new EnumMap<>(PolicySlot.class);
    entry.policies.forEach((slot, spec) -> {
      HostedPolicy instance = instances.get(spec.identity());
      if (instance == null) {
        ModelContext context = new ModelContext(spec.name(), SEED);
        instance = new HostedPolicy(spec.name(), new GuardedPolicy(spec, context, lane), context);
        instances.put(spec.identity(), instance);
      }
      hosted.put(slot, instance);
    });
    Miniature miniature = new Miniature(pages, settings, hosted);
    if (limited) {
      miniature.limitWrites();
      miniature.grantWrites(firstGrant);
    }
    return miniature;
  }

  private void lose(Entry entry, String state, String trouble) {
    entry.state = state;
    entry.trouble = trouble;
    Miniature miniature = entry.miniature;
    if (miniature != null) {
      miniature.leave();
    }
    log.warn(
        "the miniature of [{}] is {}: {}; requests are not concerned", name(entry), state, trouble);
  }

  private static String name(Entry entry) {
    ShadowPlan.Shadow shadow = entry.shadow;
    return shadow == null ? "what serves" : shadow.slot().key() + ": " + shadow.name();
  }

  /**
   * Before they are made: each may write so much to the backing tier, and what is granted later.
   */
  void limitWrites(double bytes) {
    limited = true;
    firstGrant = bytes;
  }

  /** Adds to what each may write to the backing tier. */
  void grantWrites(double bytes) {
    for (Entry entry : entries) {
      Miniature miniature = entry.miniature;
      if (miniature != null) {
        miniature.grantWrites(bytes);
      }
    }
  }

  boolean turnedOver() {
    Miniature active = entries.getFirst().miniature;
    return active != null && active.turnedOver();
  }

  /** For each slot that has shadows the active miniature, followed by those. */
  List<ShadowFigures.Mini> figures() {
    List<ShadowFigures.Mini> all = new ArrayList<>();
    for (PolicySlot slot : PolicySlot.values()) {
      boolean first = true;
      for (Entry entry : entries) {
        ShadowPlan.Shadow shadow = entry.shadow;
        if (shadow == null || shadow.slot() != slot) {
          continue;
        }
        if (first) {
          all.add(active(slot));
          first = false;
        }
        all.add(figures(slot, shadow.name(), shadow.settings(), entry));
      }
    }
    return all;
  }

  private ShadowFigures.Mini active(PolicySlot slot) {
    Entry entry = entries.getFirst();
    PolicySpec policy = entry.policies.get(slot);
    return policy == null
        ? figures(slot, "none", "", entry)
        : figures(slot, policy.name(), policy.settings(), entry);
  }

  private static ShadowFigures.Mini figures(
      PolicySlot slot, String policy, String settings, Entry entry) {
    Miniature miniature = entry.miniature;
    boolean active = entry.shadow == null;
    return miniature == null
        ? new ShadowFigures.Mini(
            slot.key(), policy, settings, active, entry.state, entry.trouble, 0, 0, 0, 0, 0)
        : new ShadowFigures.Mini(
            slot.key(),
            policy,
            settings,
            active,
            entry.state,
            entry.trouble,
            miniature.lookups(),
            miniature.lookedUpPages(),
            miniature.hitPages(),
            miniature.dramWrittenBytes(),
            miniature.ssdWrittenBytes());
  }
}
