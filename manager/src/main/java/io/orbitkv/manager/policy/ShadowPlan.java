package io.orbitkv.manager.policy;

import io.orbitkv.api.policy.PolicySlot;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Which policies run as shadows. Whoever keeps one keeps the classes of plugins.
 *
 * @param share of the conversations and of the capacity that a miniature has, above 0 and at most 1
 * @param memoryBytes for all miniatures together, without what their policies keep
 * @param shadows in the order of the slots; none for no miniatures at all
 */
public record ShadowPlan(double share, long memoryBytes, List<Shadow> shadows) {
  /** Slots in which keys alone tell what a policy is worth. */
  public static final Set<PolicySlot> SLOTS =
      PolicySlot.setOf(
          EnumSet.of(
              PolicySlot.ADMISSION_DRAM,
              PolicySlot.ADMISSION_SSD,
              PolicySlot.ADMISSION_PROMOTE,
              PolicySlot.RETENTION_DRAM,
              PolicySlot.RETENTION_SSD));

  /** Shadows of one slot at most. */
  public static final int MOST_OF_A_SLOT = 4;

  /** Shadows at most. */
  public static final int MOST = 8;

  /** No shadows. */
  public static final ShadowPlan NONE = new ShadowPlan(0.25, 64L << 20, List.of());

  /** Copies the list. */
  public ShadowPlan {
    shadows = List.copyOf(shadows);
  }

  /**
   * A policy that another one is compared with.
   *
   * @param slot where it would serve
   * @param name in the configuration
   * @param policy null for what is built in
   */
  public record Shadow(PolicySlot slot, String name, @Nullable PolicySpec policy) {
    /** Settings in canonical form; empty when it has none. */
    public String settings() {
      return policy == null ? "" : policy.settings();
    }

    /** Equal for two of which one is enough. */
    public Object identity() {
      return policy == null ? name : policy.identity();
    }
  }

  /** Whether another one runs the same miniatures. */
  public boolean same(ShadowPlan other) {
    return share == other.share
        && memoryBytes == other.memoryBytes
        && identities().equals(other.identities());
  }

  private List<Object> identities() {
    List<Object> identities = new ArrayList<>();
    for (Shadow shadow : shadows) {
      identities.add(List.of(shadow.slot(), shadow.identity()));
    }
    return identities;
  }
}
