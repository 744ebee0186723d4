package io.orbitkv.manager.metrics;

import java.util.Arrays;

/**
 * Makes timers of one cell.
 *
 * @param cell name that they carry; empty for none
 */
record CellTimers(ManagerMeterRegistry registry, String cell) {
  BucketTimer duration(String name, String help, String... tags) {
    if (cell.isEmpty()) {
      return registry.duration(name, help, tags);
    }
    String[] own = Arrays.copyOf(tags, tags.length + 2);
    own[tags.length] = "cell";
    own[tags.length + 1] = cell;
    return registry.duration(name, help, own);
  }
}
