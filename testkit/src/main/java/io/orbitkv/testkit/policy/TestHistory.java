package io.orbitkv.testkit.policy;

import io.orbitkv.api.policy.History;
import java.util.LinkedHashMap;
import java.util.Map;

/** Counts touches; the key that was touched least recently is forgotten. */
final class TestHistory implements History {
  private static final int MOST_ENTRIES = 1_000_000;

  private final int entries;
  private final Map<Long, Integer> counts = new LinkedHashMap<>();

  TestHistory(int entries) {
    if (entries < 1 || entries > MOST_ENTRIES) {
      throw new IllegalArgumentException(
          "a history of [" + entries + "] entries: must be 1 to 1,000,000");
    }
    this.entries = entries;
  }

  @Override
  public int touch(long id) {
    // Taken out and put in again, so that the order is that of touches; a look changes nothing.
    Integer before = counts.remove(id);
    int now = before == null ? 1 : before == Integer.MAX_VALUE ? before : before + 1;
    counts.put(id, now);
    if (counts.size() > entries) {
      counts.remove(counts.keySet().iterator().next());
    }
    return now;
  }

  @Override
  public int count(long id) {
    return counts.getOrDefault(id, 0);
  }
}
