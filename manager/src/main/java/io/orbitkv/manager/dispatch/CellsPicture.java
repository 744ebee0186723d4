package io.orbitkv.manager.dispatch;

import io.orbitkv.api.lease.ReservationPhase;
import io.orbitkv.api.memory.MemoryUsage;
import io.orbitkv.kernel.KernelStatus;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * What the dispatchers of all cells know, each at one moment, and their sum. Immutable.
 *
 * @param parts of each cell, in their order
 */
public record CellsPicture(List<Part> parts) {
  /**
   * Of one cell.
   *
   * @param cell its name; empty when it is the only one
   */
  public record Part(String cell, DispatcherPicture picture) {}

  /** Copies the list. */
  public CellsPicture {
    parts = List.copyOf(parts);
  }

  /** Whether there is more than one. */
  public boolean divided() {
    return parts.size() > 1;
  }

  /** What a Manager is as a whole. */
  public DispatcherPicture total() {
    if (!divided()) {
      return parts.getFirst().picture();
    }
    DispatcherPicture sum = parts.getFirst().picture();
    for (Part part : parts.subList(1, parts.size())) {
      sum = sum(sum, part.picture());
    }
    return sum;
  }

  private static DispatcherPicture sum(DispatcherPicture a, DispatcherPicture b) {
    List<PolicyFigures> policies = new ArrayList<>(a.policies());
    policies.addAll(b.policies());
    KernelStatus kernel = sum(a.kernel(), b.kernel());
    return new DispatcherPicture(
        kernel, copiers(a.copiers(), b.copiers()), policies, VariantCounters.none(kernel));
  }

  private static List<CopierFigures> copiers(List<CopierFigures> a, List<CopierFigures> b) {
    Map<String, CopierFigures> byKind = new LinkedHashMap<>();
    for (List<CopierFigures> each : List.of(a, b)) {
      for (CopierFigures copier : each) {
        byKind.merge(
            copier.memoryKind(),
            copier,
            (one, other) ->
                new CopierFigures(
                    one.memoryKind(),
                    one.plans() + other.plans(),
                    one.bytes() + other.bytes(),
                    one.waitingPlans() + other.waitingPlans()));
      }
    }
    return List.copyOf(byKind.values());
  }

  /** Every kernel knows every session. A sum of peaks is what both may have held at once. */
  private static KernelStatus sum(KernelStatus a, KernelStatus b) {
    Map<ReservationPhase, Long> phases = new EnumMap<>(ReservationPhase.class);
    phases.putAll(a.reservedByPhase());
    b.reservedByPhase().forEach((phase, bytes) -> phases.merge(phase, bytes, Long::sum));
    Map<String, Long> counters = new LinkedHashMap<>(a.counters());
    b.counters().forEach((key, count) -> counters.merge(key, count, Long::sum));
    return new KernelStatus(
        a.reservedBytes() + b.reservedBytes(),
        a.reservedPeakBytes() + b.reservedPeakBytes(),
        a.speculativeBytes() + b.speculativeBytes(),
        phases,
        a.budgetBytes() + b.budgetBytes(),
        a.residentPages() + b.residentPages(),
        a.residentBytes() + b.residentBytes(),
        a.unsealedPages() + b.unsealedPages(),
        a.unsealedBytes() + b.unsealedBytes(),
        a.orphanBytes() + b.orphanBytes(),
        a.quarantinedBytes() + b.quarantinedBytes(),
        a.readingPages() + b.readingPages(),
        a.readingBytes() + b.readingBytes(),
        a.speculatedBytes() + b.speculatedBytes(),
        a.storedPages() + b.storedPages(),
        a.queuedWrites() + b.queuedWrites(),
        a.queuedWriteBytes() + b.queuedWriteBytes(),
        a.reads() + b.reads(),
        a.writes() + b.writes(),
        sum(a.memory(), b.memory()),
        Math.max(a.sessions(), b.sessions()),
        a.instances() + b.instances(),
        a.operations() + b.operations(),
        a.leases() + b.leases(),
        a.copies() + b.copies(),
        counters);
  }

  private static MemoryUsage sum(MemoryUsage a, MemoryUsage b) {
    boolean known = a.hugePageBytes() >= 0 && b.hugePageBytes() >= 0;
    return new MemoryUsage(
        a.capacityBytes() + b.capacityBytes(),
        a.activeBytes() + b.activeBytes(),
        a.allocatedBytes() + b.allocatedBytes(),
        Math.max(a.largestFreeBytes(), b.largestFreeBytes()),
        a.freeBytes() + b.freeBytes(),
        a.allocationFailures() + b.allocationFailures(),
        known ? a.hugePageBytes() + b.hugePageBytes() : -1);
  }
}
