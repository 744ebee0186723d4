package io.orbitkv.kernel.step;

import io.orbitkv.kernel.KernelCounter;
import java.util.LinkedHashMap;
import java.util.Map;

/** The values of the kernel's counters. */
public final class Counters {
  private static final int COUNT = KernelCounter.values().length;

  private final long[] values = new long[COUNT];

  /** Counts. */
  public void add(KernelCounter counter, long n) {
    values[place(counter)] += n;
  }

  /** The value so far. */
  public long get(KernelCounter counter) {
    return values[place(counter)];
  }

  @SuppressWarnings("EnumOrdinal") // An EnumMap would box each value on the query path.
  private static int place(KernelCounter counter) {
    return counter.ordinal();
  }

  /** All values by {@link KernelCounter#key()}, in the order of the enum. */
  public Map<String, Long> snapshot() {
    Map<String, Long> map = new LinkedHashMap<>();
    for (KernelCounter counter : KernelCounter.values()) {
      map.put(counter.key(), get(counter));
    }
    return map;
  }
}
