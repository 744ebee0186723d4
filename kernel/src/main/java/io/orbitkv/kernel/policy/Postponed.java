package io.orbitkv.kernel.policy;

import java.util.LinkedHashMap;
import java.util.Map;

/**
 * How often the admission of a chain was put off. Of so many chains that the heap does not mind;
 * the one that was put off longest ago is forgotten first, and may then be put off anew.
 * Dispatcher.
 */
public final class Postponed {
  /** A chain is put off so often at most; then it is dropped. */
  public static final int MOST_TIMES = 3;

  private static final int MOST_CHAINS = 1 << 14;

  private final Map<Long, Integer> times = new LinkedHashMap<>();

  /** Nothing was put off. */
  public Postponed() {}

  /**
   * A chain is to be put off.
   *
   * @param chain its first page's name
   * @return false when it was put off as often as it may be: it is to be dropped, and may be put
   *     off anew when it comes again
   */
  public boolean again(long chain) {
    Integer before = times.remove(chain);
    int now = before == null ? 1 : before + 1;
    if (now > MOST_TIMES) {
      return false;
    }
    if (times.size() >= MOST_CHAINS) {
      times.remove(times.keySet().iterator().next());
    }
    times.put(chain, now);
    return true;
  }

  /** A chain was decided. */
  public void decided(long chain) {
    if (!times.isEmpty()) {
      times.remove(chain);
    }
  }
}
