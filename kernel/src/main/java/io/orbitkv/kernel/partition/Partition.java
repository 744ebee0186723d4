package io.orbitkv.kernel.partition;

import io.orbitkv.kernel.budget.Budget;
import io.orbitkv.kernel.lease.Leases;
import io.orbitkv.kernel.residency.Residency;

/**
 * One cache of its own: a key is looked up, charged and leased inside it. The default configuration
 * has one.
 *
 * @param residency pages
 * @param budget query bytes
 * @param leases on the pages
 */
public record Partition(Residency residency, Budget budget, Leases leases) {
  /** The cheap check of every step. */
  public void check() {
    residency.check();
    budget.check();
  }
}
