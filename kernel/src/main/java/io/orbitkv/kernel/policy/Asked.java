package io.orbitkv.kernel.policy;

import io.orbitkv.api.policy.PolicySlot;
import java.util.Set;

/** Which slots a policy serves, and the tickets of the questions. Dispatcher. */
public final class Asked {
  private Set<PolicySlot> asked = Set.of();
  private Set<PolicySlot> fresh = Set.of();
  private long lastTicket;

  /** Nobody is asked. */
  public Asked() {}

  /**
   * A decision boundary.
   *
   * @param nowAsked who is asked from now on
   * @param nowFresh those of them that another policy served before, or none
   */
  public void set(Set<PolicySlot> nowAsked, Set<PolicySlot> nowFresh) {
    asked = nowAsked;
    fresh = nowFresh;
  }

  /** Whether a policy serves the slot; otherwise the built-in default holds. */
  public boolean asks(PolicySlot slot) {
    return asked.contains(slot);
  }

  /** Whether the policy of the slot is another one since the last decision boundary. */
  public boolean isFresh(PolicySlot slot) {
    return fresh.contains(slot);
  }

  /** The name of a question, never used twice. */
  public long nextTicket() {
    return ++lastTicket;
  }
}
