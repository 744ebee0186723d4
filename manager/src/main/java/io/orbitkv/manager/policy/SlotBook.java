package io.orbitkv.manager.policy;

import io.orbitkv.api.policy.PolicySlot;
import io.orbitkv.manager.dispatch.PolicyFigures;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * What one policy has done in one slot since it began to serve there. Dispatcher. Its kinds of
 * decisions are bounded: a policy that makes up reasons has the rest counted as {@code other}.
 */
final class SlotBook {
  static final String NO_VARIANT = "none";
  static final String VARIANT_A = "A";
  static final String VARIANT_B = "B";
  private static final int MOST_KINDS = 64;
  private static final String OTHER = "other";

  private final PolicySlot slot;
  private final String policy;
  private final String settings;
  private final String variant;
  private final long epoch;
  private final Map<Kind, long[]> kinds = new LinkedHashMap<>();
  private long asked;
  private long answered;
  private long late;
  private long failed;
  private long facts;
  private long droppedFacts;

  private record Kind(String choice, String reason, boolean byDefault) {}

  SlotBook(PolicySlot slot, String policy, String settings, String variant, long epoch) {
    this.slot = slot;
    this.policy = policy;
    this.settings = settings;
    this.variant = variant;
    this.epoch = epoch;
  }

  PolicySlot slot() {
    return slot;
  }

  String policy() {
    return policy;
  }

  String variant() {
    return variant;
  }

  long epoch() {
    return epoch;
  }

  void asked() {
    asked++;
  }

  /** Questions without an answer so far. */
  long open() {
    return asked - answered - late - failed;
  }

  void told(boolean heard) {
    facts++;
    droppedFacts += heard ? 0 : 1;
  }

  void decided(Reply.Outcome outcome, String choice, String reason) {
    switch (outcome) {
      case ANSWERED -> answered++;
      case LATE -> late++;
      case FAILED -> failed++;
    }
    boolean byDefault = outcome != Reply.Outcome.ANSWERED;
    Kind kind = new Kind(choice, reason, byDefault);
    long[] count = kinds.get(kind);
    if (count == null) {
      Kind counted = kinds.size() < MOST_KINDS || byDefault ? kind : new Kind(choice, OTHER, false);
      count = kinds.computeIfAbsent(counted, _ -> new long[1]);
    }
    count[0]++;
  }

  PolicyFigures figures(String state, boolean serves, boolean leaked) {
    List<PolicyFigures.Decisions> decisions = new ArrayList<>(kinds.size());
    kinds.forEach((kind, count) ->
        decisions.add(
            new PolicyFigures.Decisions(kind.choice(), kind.reason(), kind.byDefault(), count[0])));
    return new PolicyFigures(
        slot.key(),
        policy,
        settings,
        variant,
        epoch,
        state,
        serves,
        leaked,
        asked,
        answered,
        late,
        failed,
        facts,
        droppedFacts,
        decisions);
  }
}
