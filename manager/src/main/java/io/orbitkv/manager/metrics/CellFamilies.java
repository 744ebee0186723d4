package io.orbitkv.manager.metrics;

import io.micrometer.core.instrument.MeterRegistry;
import io.orbitkv.api.backing.BackingUsage;
import io.orbitkv.api.memory.MemoryUsage;
import io.orbitkv.kernel.KernelStatus;
import io.orbitkv.manager.dispatch.CellsPicture;
import io.orbitkv.manager.dispatch.DispatcherPicture;
import io.orbitkv.manager.dispatch.VariantCounters;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * What the cells of a divided Manager are and did, as families beside those of the whole: {@code
 * orbitkv_cell_X} with the labels {@code cell} and {@code variant}, whose samples add up to {@code
 * orbitkv_X} in every export. What a counter grew by belongs to the variant that served in the cell
 * meanwhile. Exports alone, one at a time.
 */
final class CellFamilies {
  /** In place of the prefix of the whole. */
  static final String PREFIX = ManagerMeters.PREFIX + "cell_";

  private final MeterRegistry registry = new ManagerMeterRegistry(() -> 0);
  private @Nullable Picture current;

  /** The same kinds of copiers in each cell. */
  CellFamilies(List<String> copiers, boolean backing) {
    ManagerMeters.registerOfCell(registry, PREFIX, this::current, copiers, backing);
  }

  /** The name of the whole that a family is a part of; null when it is of no cell. */
  static @Nullable String whole(String name) {
    return name.startsWith(PREFIX) ? ManagerMeters.PREFIX + name.substring(PREFIX.length()) : null;
  }

  /**
   * Families of all cells.
   *
   * @param around of the Manager: nothing of it but the use of the store is read
   * @param backing use of each cell's store; empty without one
   */
  List<MetricFamily> of(
      CellsPicture cells, Picture.Around around, List<Supplier<BackingUsage>> backing) {
    Map<String, MetricFamily> families = new TreeMap<>();
    for (int i = 0; i < cells.parts().size(); i++) {
      CellsPicture.Part part = cells.parts().get(i);
      Picture.Around own = around.with(i < backing.size() ? backing.get(i).get() : null);
      VariantCounters variants = part.picture().variants();
      variants
          .counts()
          .forEach((variant, counts) -> {
            current = picture(part.picture(), counts, own);
            boolean serves = variant.equals(variants.current());
            for (MetricFamily family : MetricFamilies.of(registry)) {
              if (serves || family.type() == MetricFamily.Type.COUNTER) {
                families.merge(
                    family.name(), labelled(family, part.cell(), variant), CellFamilies::together);
              }
            }
          });
    }
    current = null;
    return List.copyOf(families.values());
  }

  private static Picture picture(
      DispatcherPicture cell, Map<String, Long> counts, Picture.Around around) {
    return new Picture(with(cell.kernel(), counts), cell.copiers(), List.of(), 0, around);
  }

  private static KernelStatus with(KernelStatus all, Map<String, Long> counts) {
    MemoryUsage memory = all.memory();
    return new KernelStatus(
        all.reservedBytes(),
        all.reservedPeakBytes(),
        all.speculativeBytes(),
        all.reservedByPhase(),
        all.budgetBytes(),
        all.residentPages(),
        all.residentBytes(),
        all.unsealedPages(),
        all.unsealedBytes(),
        all.orphanBytes(),
        all.quarantinedBytes(),
        all.readingPages(),
        all.readingBytes(),
        all.speculatedBytes(),
        all.storedPages(),
        all.queuedWrites(),
        all.queuedWriteBytes(),
        all.reads(),
        all.writes(),
        new MemoryUsage(
            memory.capacityBytes(),
            memory.activeBytes(),
            memory.allocatedBytes(),
            memory.largestFreeBytes(),
            memory.freeBytes(),
            counts.getOrDefault(VariantCounters.POOL_FAILURES, 0L),
            memory.hugePageBytes()),
        all.sessions(),
        all.instances(),
        all.operations(),
        all.leases(),
        all.copies(),
        counts);
  }

  private static MetricFamily labelled(MetricFamily family, String cell, String variant) {
    List<MetricFamily.Sample> samples = new ArrayList<>();
    for (MetricFamily.Sample sample : family.samples()) {
      Map<String, String> labels = new TreeMap<>(sample.labels());
      labels.put("cell", cell);
      labels.put("variant", variant);
      samples.add(new MetricFamily.Sample(labels, sample.value(), sample.distribution()));
    }
    return new MetricFamily(family.name(), family.type(), family.unit(), family.help(), samples);
  }

  private static MetricFamily together(MetricFamily family, MetricFamily more) {
    List<MetricFamily.Sample> samples = new ArrayList<>(family.samples());
    samples.addAll(more.samples());
    return new MetricFamily(family.name(), family.type(), family.unit(), family.help(), samples);
  }

  private Picture current() {
    Picture now = current;
    if (now == null) {
      throw new IllegalStateException("a meter of a cell was read outside an export");
    }
    return now;
  }
}
