package io.orbitkv.kernel.budget;

import io.orbitkv.kernel.BrokenInvariant;
import io.orbitkv.kernel.OperationLimits;
import org.jspecify.annotations.Nullable;

/** How many operations there are, of each session and of all. Dispatcher. */
public final class Permits {
  private final OperationLimits limits;
  private int all;
  private int speculative;

  /** Nothing is given. */
  public Permits(OperationLimits limits) {
    this.limits = limits;
  }

  /**
   * A permit for a new operation, or null when a limit is reached.
   *
   * @param forSpeculation whether it is a preparation or a warming
   * @param preparation whether it is a preparation
   */
  public @Nullable Permit acquire(
      PermitAccount account, boolean forSpeculation, boolean preparation) {
    if (account.all >= limits.sessionQueries() || all >= limits.managerQueries()) {
      return null;
    }
    if (forSpeculation
        && (account.speculative >= limits.sessionSpeculative()
            || speculative >= limits.managerSpeculative())) {
      return null;
    }
    if (preparation && account.preparations >= limits.sessionPreparations()) {
      return null;
    }
    Permit permit = new Permit(account, forSpeculation, preparation);
    count(permit, 1);
    return permit;
  }

  /** The operation is foreground work from now on; repeating it is harmless. */
  public void makeForeground(Permit permit) {
    if (permit.holders > 0) {
      count(permit, -1);
      permit.speculative = false;
      permit.preparation = false;
      count(permit, 1);
    }
  }

  /** One holder less; the last one gives the permit back. */
  public void release(Permit permit) {
    if (permit.holders <= 0) {
      throw new BrokenInvariant("a permit is given back twice");
    }
    permit.holders--;
    if (permit.holders == 0) {
      count(permit, -1);
    }
  }

  private void count(Permit permit, int sign) {
    all += sign;
    permit.account.all += sign;
    if (permit.speculative) {
      speculative += sign;
      permit.account.speculative += sign;
    }
    if (permit.preparation) {
      permit.account.preparations += sign;
    }
  }

  /** Permits that are held. */
  public int all() {
    return all;
  }

  /** Speculative ones among them. */
  public int speculative() {
    return speculative;
  }
}
