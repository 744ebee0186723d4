package io.orbitkv.manager.policy;

import io.orbitkv.api.policy.PolicySlot;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** One line of the journal. Immutable; nothing of a plugin's classes. */
sealed interface JournalEntry {
  /** Milliseconds since 1970, for people: nothing is decided by it. */
  long timeMillis();

  /** In which it happened. */
  long epoch();

  /**
   * A decision.
   *
   * @param timeMillis when, for people
   * @param nanoTime when, in the time of the facts
   * @param epoch in which the policy began to serve in the slot
   * @param variant of an experiment, or {@code none}
   * @param slot where
   * @param policy who was asked
   * @param ticket the kernel's name of the question; 0 when it has none
   * @param request the engine's name of the request; empty when it is about none
   * @param chain id of the chain or of the first page; {@link io.orbitkv.api.policy.Facts#UNKNOWN}
   *     when it is about none
   * @param choice what stands
   * @param reason why
   * @param detail what the choice does not tell, such as the limits of a read; may be empty
   * @param nanos that the policy's call took; 0 when it did not return in time
   * @param byDefault whether the default stands in for the policy
   * @param inputs what the policy saw; null when this decision is not of the sample
   */
  record Decision(
      long timeMillis,
      long nanoTime,
      long epoch,
      String variant,
      PolicySlot slot,
      String policy,
      long ticket,
      String request,
      long chain,
      String choice,
      String reason,
      String detail,
      long nanos,
      boolean byDefault,
      @Nullable Inputs inputs)
      implements JournalEntry {
    boolean concerns(long page) {
      Inputs seen = inputs;
      return chain == page || (seen != null && seen.concerns(page));
    }
  }

  /**
   * A decision boundary: who serves from here on.
   *
   * @param timeMillis when, for people
   * @param epoch that begins
   * @param variant of an experiment, or {@code none}
   * @param cause why, such as {@code start}
   * @param seed of the policies' chance that are new
   * @param slots what serves, a line a slot
   */
  record Boundary(
      long timeMillis, long epoch, String variant, String cause, long seed, List<Served> slots)
      implements JournalEntry {
    public Boundary {
      slots = List.copyOf(slots);
    }
  }

  /**
   * What serves in a slot.
   *
   * @param slot its key
   * @param serves names and settings
   * @param fresh whether it is new there; all state but the pages' of the one before is lost
   */
  record Served(String slot, String serves, boolean fresh) {}
}
