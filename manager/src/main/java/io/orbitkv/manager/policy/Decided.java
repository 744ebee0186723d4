package io.orbitkv.manager.policy;

import io.orbitkv.api.policy.Admission;
import io.orbitkv.api.policy.CutoffPolicy;
import io.orbitkv.api.policy.Reason;
import io.orbitkv.api.policy.RequestFacts;
import io.orbitkv.kernel.policy.AdmissionVerdict;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.stream.Collectors;

/**
 * A decision in words.
 *
 * @param choice one of a few
 * @param reason why, as the policy says
 * @param detail the rest
 */
record Decided(String choice, String reason, String detail) {
  static final Reason DEFAULT = Reason.of("default");

  /** The reason of policies that tell none. */
  private static final String UNTOLD = "untold";

  private static final Duration LONGEST = Duration.ofDays(1);
  private static final int MOST_IDS = 8;

  // ---- admission -----------------------------------------------------------------------------

  static final Admission ADMIT = Admission.admit(DEFAULT);

  static boolean sensible(Admission admission) {
    return switch (admission) {
      case Admission.Admit(Reason reason) -> reason != null;
      case Admission.Drop(Reason reason) -> reason != null;
      case Admission.Later(Reason reason, Duration delay) ->
          reason != null && delay != null && bounded(delay);
    };
  }

  static Decided of(Admission admission) {
    return new Decided(
        switch (admission) {
          case Admission.Admit _ -> "admit";
          case Admission.Drop _ -> "drop";
          case Admission.Later _ -> "later";
        },
        admission.reason().name(),
        admission instanceof Admission.Later later ? "after " + later.delay() : "");
  }

  static AdmissionVerdict verdict(Admission admission) {
    return switch (admission) {
      case Admission.Admit _ -> AdmissionVerdict.ADMIT;
      case Admission.Drop _ -> AdmissionVerdict.DROP;
      case Admission.Later _ -> AdmissionVerdict.LATER;
    };
  }

  // ---- reads ---------------------------------------------------------------------------------

  static final CutoffPolicy.ReadLimits NO_LIMITS =
      new CutoffPolicy.ReadLimits(
          0, 0, Duration.ZERO, CutoffPolicy.OnDeadline.MISS, Integer.MAX_VALUE, DEFAULT);

  static boolean sensible(CutoffPolicy.ReadLimits limits) {
    return limits.batchBytes() >= 0
        && limits.maxBatches() >= 0
        && limits.deadline() != null
        && bounded(limits.deadline())
        && limits.onDeadline() != null
        && limits.restorePages() >= 0
        && limits.reason() != null;
  }

  static Decided of(CutoffPolicy.ReadLimits limits) {
    List<String> detail = new ArrayList<>();
    if (limits.restorePages() != Integer.MAX_VALUE) {
      detail.add("restore-pages " + limits.restorePages());
    }
    if (limits.batchBytes() > 0) {
      detail.add("batch-bytes " + limits.batchBytes());
    }
    if (limits.maxBatches() > 0) {
      detail.add("max-batches " + limits.maxBatches());
    }
    if (!limits.deadline().isZero()) {
      detail.add("deadline " + limits.deadline().toMillis() + "ms " + limits.onDeadline());
    }
    boolean whole = limits.restorePages() == Integer.MAX_VALUE;
    boolean limited =
        limits.batchBytes() > 0 || limits.maxBatches() > 0 || !limits.deadline().isZero();
    return new Decided(
        limits.restorePages() == 0 ? "nothing" : !whole ? "part" : limited ? "limited" : "whole",
        limits.reason().name(),
        String.join(", ", detail));
  }

  /**
   * The strictest of several limits: the smallest of each. What a deadline means is said by whoever
   * set the shortest one; of equals the miss wins. The reason is that of whoever restores least, or
   * of the shortest deadline where all restore everything. One that wants to be asked before each
   * batch is enough for all to be asked.
   */
  static CutoffPolicy.ReadLimits strictest(List<CutoffPolicy.ReadLimits> all) {
    CutoffPolicy.ReadLimits strictest = NO_LIMITS;
    for (CutoffPolicy.ReadLimits next : all) {
      strictest = strictest(strictest, next);
    }
    return strictest;
  }

  private static CutoffPolicy.ReadLimits strictest(
      CutoffPolicy.ReadLimits one, CutoffPolicy.ReadLimits other) {
    boolean otherDeadline =
        !other.deadline().isZero()
            && (one.deadline().isZero() || other.deadline().compareTo(one.deadline()) < 0);
    boolean equalDeadlines =
        !one.deadline().isZero() && other.deadline().compareTo(one.deadline()) == 0;
    CutoffPolicy.OnDeadline onDeadline =
        otherDeadline
            ? other.onDeadline()
            : equalDeadlines && other.onDeadline() == CutoffPolicy.OnDeadline.MISS
                ? CutoffPolicy.OnDeadline.MISS
                : one.onDeadline();
    boolean otherDecides =
        other.restorePages() < one.restorePages()
            || (other.restorePages() == one.restorePages()
                && (otherDeadline || one.reason().equals(DEFAULT)));
    return new CutoffPolicy.ReadLimits(
        smallest(one.batchBytes(), other.batchBytes()),
        (int) smallest(one.maxBatches(), other.maxBatches()),
        otherDeadline ? other.deadline() : one.deadline(),
        onDeadline,
        Math.min(one.restorePages(), other.restorePages()),
        otherDecides ? other.reason() : one.reason(),
        one.stepwise() || other.stepwise());
  }

  private static long smallest(long one, long other) {
    return one == 0 ? other : other == 0 ? one : Math.min(one, other);
  }

  static Decided ofGoingOn(boolean goOn) {
    return new Decided(goOn ? "go-on" : "stop", UNTOLD, "");
  }

  // ---- queues --------------------------------------------------------------------------------

  /** Whether these are indices into the queue, each once. */
  static boolean indices(List<Integer> chosen, int size) {
    HashSet<Integer> seen = new HashSet<>();
    for (Integer index : chosen) {
      if (index == null || index < 0 || index >= size || !seen.add(index)) {
        return false;
      }
    }
    return true;
  }

  static List<String> requestIds(List<Integer> chosen, List<RequestFacts> queue) {
    return chosen.stream().map(index -> queue.get(index).requestId()).toList();
  }

  static Decided ofQueue(String choice, List<Integer> chosen, List<RequestFacts> queue) {
    return new Decided(
        chosen.isEmpty() ? "nothing" : choice,
        UNTOLD,
        chosen.stream()
            .limit(MOST_IDS)
            .map(index -> queue.get(index).requestId())
            .collect(Collectors.joining(", ")));
  }

  static Decided ofScores(boolean adopted, int pages) {
    return new Decided(adopted ? "adopted" : "scored", UNTOLD, pages + " pages");
  }

  private static boolean bounded(Duration duration) {
    return !duration.isNegative() && duration.compareTo(LONGEST) <= 0;
  }
}
