package io.orbitkv.manager.experiment;

import io.orbitkv.api.policy.PolicySlot;
import java.time.Duration;
import java.util.EnumSet;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/** How variants are kept from each other's effects. */
public enum Isolation {
  /** Each variant owns its share of every tier, budget and write allowance; no page is shared. */
  PARTITION,
  /** One variant at a time, in turns. */
  TIME,
  /** Both in one cache. */
  SHARED;

  /** Slots that change when a page is read, not which pages there are. */
  private static final Set<PolicySlot> HARMLESS =
      EnumSet.of(PolicySlot.CUTOFF, PolicySlot.LOOKAHEAD, PolicySlot.WARMING);

  /** Whether these slots change when a page is read, and not which pages there are. */
  public static boolean sharable(Set<PolicySlot> slots) {
    return HARMLESS.containsAll(slots);
  }

  /** How it is written. */
  public String key() {
    return name().toLowerCase(Locale.ROOT);
  }

  /**
   * Why variants that differ in these slots cannot be told apart this way.
   *
   * @param differing the slots
   * @param slot length of a turn under {@link #TIME}
   * @param turnover time in which the cache's content is replaced; zero when not known
   * @return empty when they can
   */
  public Optional<String> refusal(Set<PolicySlot> differing, Duration slot, Duration turnover) {
    return switch (this) {
      case PARTITION -> Optional.empty();
      case TIME ->
          slot.compareTo(turnover) >= 0
              ? Optional.empty()
              : Optional.of(
                  "slots of ["
                      + slot.toSeconds()
                      + "s] are shorter than the cache's turnover of "
                      + turnover.toSeconds()
                      + "s: each variant would be measured on what the other left behind; make"
                      + " them longer or use partition");
      case SHARED -> {
        Set<PolicySlot> misleading = EnumSet.noneOf(PolicySlot.class);
        misleading.addAll(differing);
        misleading.removeAll(HARMLESS);
        yield misleading.isEmpty()
            ? Optional.empty()
            : Optional.of(
                "[shared] misleads where variants differ in "
                    + misleading.stream().map(PolicySlot::key).collect(Collectors.joining(", "))
                    + ": both would use the pages that the other keeps, which turned the sign of a"
                    + " measured effect (+0.004 where the truth is -0.041); use partition or time;"
                    + " shared is for cutoff, lookahead and warming");
      }
    };
  }

  /** What a report must say beside every figure; empty when there is nothing. */
  public String label() {
    return switch (this) {
      case PARTITION, TIME -> "";
      case SHARED -> "interference possible";
    };
  }
}
