package io.orbitkv.manager.boot;

import io.orbitkv.api.lease.BudgetLimits;
import io.orbitkv.kernel.OperationLimits;
import io.orbitkv.kernel.WriteSettings;
import io.orbitkv.manager.experiment.ArmSplit;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What one cell gets of everything that is limited. Shares of one amount add up to no more than the
 * amount.
 *
 * @param number of the cell, from 0
 * @param percent of everything, 1 to 100
 * @param cells that there are
 */
record CellShare(int number, int percent, int cells) {
  /** Everything. */
  static final CellShare ALL = new CellShare(0, 100, 1);

  /**
   * The cells of a Manager.
   *
   * @param split null: it is not divided
   */
  static List<CellShare> cells(@Nullable ArmSplit split) {
    return split == null
        ? List.of(ALL)
        : List.of(new CellShare(0, split.percent(), 2), new CellShare(1, 100 - split.percent(), 2));
  }

  /** Whether there are others. */
  boolean divided() {
    return cells > 1;
  }

  /** The cell's name: its number from 1; empty when it is the only one. */
  String name() {
    return divided() ? Integer.toString(number + 1) : "";
  }

  /** Of an amount that may be shared out to the last byte. */
  long of(long amount) {
    return divided() ? amount / 100 * percent + amount % 100 * percent / 100 : amount;
  }

  int of(int amount) {
    return (int) of((long) amount);
  }

  BudgetLimits of(BudgetLimits budget) {
    long total = of(budget.totalBytes());
    return divided() ? new BudgetLimits(total, Math.min(total, budget.instanceBytes())) : budget;
  }

  WriteSettings of(WriteSettings writes) {
    return divided() && writes.present()
        ? new WriteSettings(
            Math.max(1, of(writes.queueBytes())),
            Math.max(1, of(writes.inFlightBytes())),
            Math.max(1, of(writes.maxStoredPages())))
        : writes;
  }

  /** Those of a session stay what they are: a session is of one cell. */
  OperationLimits of(OperationLimits limits) {
    return divided()
        ? new OperationLimits(
            limits.sessionQueries(),
            Math.max(1, of(limits.managerQueries())),
            limits.sessionSpeculative(),
            Math.max(1, of(limits.managerSpeculative())),
            limits.sessionPreparations(),
            limits.sessionCopies(),
            limits.maxQueryPages())
        : limits;
  }
}
