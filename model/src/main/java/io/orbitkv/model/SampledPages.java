package io.orbitkv.model;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * The request that miniatures serve now, and a bounded memory of the pages that they know: numbers
 * for keys, shared by all miniatures of a group. One thread.
 *
 * <p>A number is used again when no page behind it is known and no miniature has the page; a page
 * that was met since the search came by last has a second turn. Where every number is in use a
 * request is not taken at all, by any of the miniatures, so that they go on seeing the same.
 */
public final class SampledPages implements Prompts {
  /** Bytes of memory for each page, without what a miniature needs. */
  public static final int PAGE_BYTES = 45;

  private static final int NOWHERE = -1;

  /** What became of a request. */
  public enum Taken {
    /** It is the current one. */
    TAKEN,
    /** Nothing of it is new, or it hangs on pages that are not known: there is nothing to serve. */
    NOTHING,
    /** Every number is in use. */
    FULL,
    /** A page of it follows another page than before: its keys are not chained. */
    UNCHAINED
  }

  private final int most;
  private final List<Miniature> users = new ArrayList<>();
  private final long[] ids;
  private final int[] parents;
  private final int[] depths;
  private final int[] children;
  private final double[] units;
  private final int[] lastRequest;
  private final boolean[] met;
  // Numbers plus one by hash of the id, or 0.
  private final int[] index;
  private int size;
  private int hand;
  private int following = NOWHERE;

  private int request;
  private int[] current = new int[64];
  private int count;
  private int devicePages;

  /**
   * Nothing is known.
   *
   * @param most pages that are known at most, at least 16
   */
  public SampledPages(int most) {
    if (most < 16) {
      throw new IllegalArgumentException("[" + most + "] pages are too few: at least 16");
    }
    this.most = most;
    ids = new long[most];
    parents = new int[most];
    depths = new int[most];
    children = new int[most];
    units = new double[most];
    lastRequest = new int[most];
    met = new boolean[most];
    index = new int[Integer.highestOneBit(Math.max(2, most) - 1) << 2];
  }

  void add(Miniature user) {
    users.add(user);
  }

  void remove(Miniature user) {
    users.remove(user);
  }

  /**
   * A request asks for pages, and computes and publishes what is not there.
   *
   * @param newIds identities of its pages, chained by prefix
   * @param pages how many of them
   * @param unit its conversation as a number in [0, 1)
   */
  public Taken lookUp(long[] newIds, int pages, double unit) {
    begin();
    devicePages = 0;
    return pages == 0 ? Taken.NOTHING : take(ModelTrace.NONE, newIds, 0, pages, unit);
  }

  /**
   * Pages were computed that nobody had asked for: answers, or a prompt without a question.
   *
   * @param parentKnown whether a page is before the first of them
   * @param parentId the page before the first of them
   * @param newIds identities
   * @param pages how many of them
   * @param unit the conversation as a number in [0, 1)
   * @return {@link Taken#NOTHING} too when all of them are known
   */
  public Taken publish(boolean parentKnown, long parentId, long[] newIds, int pages, double unit) {
    begin();
    int before = parentKnown ? find(parentId) : ModelTrace.NONE;
    int from = 0;
    while (from < pages && find(newIds[from]) != NOWHERE) {
      before = find(newIds[from++]);
    }
    if (from == pages || (from == 0 && parentKnown && before == NOWHERE)) {
      return Taken.NOTHING;
    }
    devicePages = before == ModelTrace.NONE ? 0 : depths[before] + 1;
    room(devicePages + pages - from);
    count = devicePages;
    int page = before;
    for (int i = devicePages - 1; i >= 0; i--) {
      current[i] = page;
      lastRequest[page] = request;
      page = parents[page];
    }
    return take(before, newIds, from, pages, unit);
  }

  private void begin() {
    // 0 is the request of pages that were never in one.
    request = request == Integer.MAX_VALUE ? 1 : request + 1;
    count = 0;
  }

  private void room(int pages) {
    if (current.length < pages) {
      current = new int[Math.max(pages, 2 * current.length)];
    }
  }

  private Taken take(int first, long[] newIds, int from, int to, double unit) {
    if (count + to - from > most) {
      return Taken.FULL;
    }
    if (count + to - from > current.length) {
      current = Arrays.copyOf(current, Math.max(count + to - from, 2 * current.length));
    }
    int before = first;
    for (int i = from; i < to; i++) {
      int page = find(newIds[i]);
      if (page == NOWHERE) {
        page = place();
        if (page == NOWHERE) {
          return Taken.FULL;
        }
        put(page, newIds[i], before, unit);
      } else if (parents[page] != before) {
        return Taken.UNCHAINED;
      }
      met[page] = true;
      lastRequest[page] = request;
      current[count++] = page;
      before = page;
    }
    return Taken.TAKEN;
  }

  private void put(int page, long id, int before, double unit) {
    ids[page] = id;
    parents[page] = before;
    depths[page] = before == ModelTrace.NONE ? 0 : depths[before] + 1;
    children[page] = 0;
    units[page] = unit;
    if (before != ModelTrace.NONE) {
      children[before]++;
    }
    int mask = index.length - 1;
    int at = (int) ModelTrace.mix(id) & mask;
    while (index[at] != 0) {
      at = (at + 1) & mask;
    }
    index[at] = page + 1;
  }

  /** A number that stands for nothing. */
  private int place() {
    if (size < most) {
      return size++;
    }
    // A long chain is forgotten from its end on, without a search for each page.
    if (following != NOWHERE && !met[following] && mayBeForgotten(following)) {
      int page = following;
      forget(page);
      return page;
    }
    // Twice around: the first time may find every page met.
    for (int looked = 0; looked < 2 * most; looked++) {
      int page = hand;
      hand = hand + 1 == most ? 0 : hand + 1;
      if (met[page]) {
        met[page] = false;
      } else if (mayBeForgotten(page)) {
        forget(page);
        return page;
      }
    }
    return NOWHERE;
  }

  private boolean mayBeForgotten(int page) {
    if (children[page] > 0 || lastRequest[page] == request) {
      return false;
    }
    for (Miniature user : users) {
      if (user.holds(page)) {
        return false;
      }
    }
    return true;
  }

  private void forget(int page) {
    for (Miniature user : users) {
      user.forget(page);
    }
    following = NOWHERE;
    if (parents[page] != ModelTrace.NONE) {
      following = parents[page];
      children[following]--;
    }
    int mask = index.length - 1;
    int hole = (int) ModelTrace.mix(ids[page]) & mask;
    while (index[hole] != page + 1) {
      hole = (hole + 1) & mask;
    }
    for (int at = (hole + 1) & mask; index[at] != 0; at = (at + 1) & mask) {
      int home = (int) ModelTrace.mix(ids[index[at] - 1]) & mask;
      if (((at - home) & mask) >= ((at - hole) & mask)) {
        index[hole] = index[at];
        hole = at;
      }
    }
    index[hole] = 0;
  }

  private int find(long id) {
    int mask = index.length - 1;
    for (int at = (int) ModelTrace.mix(id) & mask; index[at] != 0; at = (at + 1) & mask) {
      if (ids[index[at] - 1] == id) {
        return index[at] - 1;
      }
    }
    return NOWHERE;
  }

  /** Pages that are known. */
  public int known() {
    return size;
  }

  /** The number of the current request, unlike that of the one before. */
  int request() {
    return request;
  }

  /** Pages of the current request that nobody asks for: the engine has them. */
  int devicePages() {
    return devicePages;
  }

  @Override
  public int pages(int r) {
    return count;
  }

  @Override
  public int page(int r, int i) {
    return current[i];
  }

  @Override
  public long chainRoot(int r) {
    return Double.doubleToLongBits(units[current[count - 1]]);
  }

  @Override
  public int distinctPages() {
    return most;
  }

  @Override
  public long id(int page) {
    return ids[page];
  }

  @Override
  public int parent(int page) {
    return parents[page];
  }

  @Override
  public int depth(int page) {
    return depths[page];
  }

  @Override
  public double unitHash(int page) {
    return units[page];
  }
}
