package io.orbitkv.manager.live;

import io.orbitkv.manager.dispatch.VariantCounters;
import java.util.HashMap;
import java.util.Map;

/**
 * Whose the kernel's counters grow for: what they grew by between two boundaries belongs to the
 * variant that served meanwhile, so that variants add up to the whole. Dispatcher.
 */
final class VariantBook {
  private final Map<String, Map<String, Long>> ended = new HashMap<>();
  private String current = VariantCounters.NONE;
  private Map<String, Long> since = Map.of();

  String current() {
    return current;
  }

  /**
   * Another variant serves from now on.
   *
   * @param now the counters at this moment
   */
  void change(String variant, Map<String, Long> now) {
    addTo(ended.computeIfAbsent(current, _ -> new HashMap<>()), now);
    current = variant;
    since = Map.copyOf(now);
  }

  /** Everything up to a moment. */
  VariantCounters at(Map<String, Long> now) {
    Map<String, Map<String, Long>> all = new HashMap<>(ended);
    Map<String, Long> ofCurrent = new HashMap<>(ended.getOrDefault(current, Map.of()));
    addTo(ofCurrent, now);
    all.put(current, ofCurrent);
    return new VariantCounters(current, all);
  }

  private void addTo(Map<String, Long> counts, Map<String, Long> now) {
    now.forEach((key, count) -> counts.merge(key, count - since.getOrDefault(key, 0L), Long::sum));
  }
}
