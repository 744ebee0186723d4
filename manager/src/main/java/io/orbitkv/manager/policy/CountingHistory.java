package io.orbitkv.manager.policy;

import io.orbitkv.api.policy.History;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Counts touches of the keys that were touched last; a mere look does not keep a key. Policy
 * thread.
 */
final class CountingHistory implements History {
  static final int MOST_ENTRIES = 1_000_000;

  // In order of insertion; a touch inserts anew, so the first key is the least recently touched.
  private final Map<Long, Integer> counts = new LinkedHashMap<>();
  private final int entries;

  CountingHistory(int entries) {
    if (entries < 1 || entries > MOST_ENTRIES) {
      throw new IllegalArgumentException(
          "a history of [" + entries + "] entries: must be 1.." + MOST_ENTRIES);
    }
    this.entries = entries;
  }

  @Override
  public int touch(long id) {
    Integer before = counts.remove(id);
    int count = before == null ? 1 : before == Integer.MAX_VALUE ? before : before + 1;
    if (before == null && counts.size() == entries) {
      counts.remove(counts.keySet().iterator().next());
    }
    counts.put(id, count);
    return count;
  }

  @Override
  public int count(long id) {
    return counts.getOrDefault(id, 0);
  }
}
