package io.orbitkv.manager.dispatch;

import io.orbitkv.kernel.KernelStatus;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The kernel's counters by the variant of an experiment that served when they grew: together they
 * are the kernel's. Immutable.
 *
 * @param current whose they grow for now; {@link #NONE} outside of an experiment
 * @param counts by variant and {@link io.orbitkv.kernel.KernelCounter#key()}; {@link
 *     #POOL_FAILURES} is among them
 */
public record VariantCounters(String current, Map<String, Map<String, Long>> counts) {
  /** No variant. */
  public static final String NONE = "none";

  /** Allocations that found no run: the memory tier's counter, not the kernel's. */
  public static final String POOL_FAILURES = "(pool_allocation_failures)";

  /** Copies the map. */
  public VariantCounters {
    counts = Map.copyOf(counts);
  }

  /** Everything grew outside of an experiment. */
  public static VariantCounters none(KernelStatus status) {
    return new VariantCounters(NONE, Map.of(NONE, of(status)));
  }

  /** Everything that only grows. */
  public static Map<String, Long> of(KernelStatus status) {
    Map<String, Long> all = new LinkedHashMap<>(status.counters());
    all.put(POOL_FAILURES, status.memory().allocationFailures());
    return all;
  }
}
