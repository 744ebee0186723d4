package io.orbitkv.manager.boot;

import io.orbitkv.api.backing.BackingUsage;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

/** The use of the backing tiers of all cells. Any thread. */
final class BackingSum {
  private BackingSum() {}

  /** Their sum; empty without any. */
  static Optional<BackingUsage> of(List<CellParts> cells) {
    Optional<BackingUsage> sum = Optional.empty();
    for (CellParts cell : cells) {
      Optional<BackingUsage> own =
          cell.backing().usage().map(usage -> named(usage, cell.share().name()));
      sum = sum.isPresent() && own.isPresent() ? Optional.of(sum(sum.get(), own.get())) : own;
    }
    return sum;
  }

  /** Each by itself. */
  static List<Supplier<BackingUsage>> each(List<CellParts> cells) {
    List<Supplier<BackingUsage>> each = new ArrayList<>();
    cells.forEach(cell -> each.add(() -> cell.backing().usage().orElseThrow()));
    return each;
  }

  private static BackingUsage named(BackingUsage usage, String cell) {
    return cell.isEmpty() || usage.degraded().isEmpty()
        ? usage
        : usage.degraded("cell " + cell + ": " + usage.degraded());
  }

  private static BackingUsage sum(BackingUsage a, BackingUsage b) {
    return new BackingUsage(
        a.engine().equals(b.engine()) ? a.engine() : a.engine() + "+" + b.engine(),
        a.capacityBytes() + b.capacityBytes(),
        a.usedBytes() + b.usedBytes(),
        a.pages() + b.pages(),
        a.queuedReadBytes() + b.queuedReadBytes(),
        a.queuedWriteBytes() + b.queuedWriteBytes(),
        a.payloadWrittenBytes() + b.payloadWrittenBytes(),
        a.writtenBytes() + b.writtenBytes(),
        a.writeBudgetLeftBytes() == BackingUsage.UNLIMITED
                || b.writeBudgetLeftBytes() == BackingUsage.UNLIMITED
            ? BackingUsage.UNLIMITED
            : a.writeBudgetLeftBytes() + b.writeBudgetLeftBytes(),
        a.degraded().isEmpty() || b.degraded().isEmpty()
            ? a.degraded() + b.degraded()
            : a.degraded() + "; " + b.degraded());
  }
}
