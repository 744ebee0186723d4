package io.orbitkv.kernel.policy;

import io.orbitkv.api.policy.ChainFacts;
import io.orbitkv.api.policy.Facts;
import io.orbitkv.api.policy.TierKind;
import java.util.Arrays;

/**
 * Which page follows which, whether in memory or not: what policies are told of chains. It learns
 * from publishes and from the answers to demands, and only while a policy is asked that needs it.
 * Dispatcher.
 *
 * <p>All pages of a conversation have one root, from which trials and arms are drawn. A page
 * inherits the root of the page before it; a page that {@link #SHARED} or more different pages
 * follow belongs to everybody and passes none on; where there is none to inherit, the root is the
 * page itself.
 *
 * <p>Memory is bounded: some 56 bytes for each of at most so many pages. The page is forgotten that
 * was learned earliest, unless it was met again since: then it has a second turn.
 */
public final class Lineage {
  /** Pages that are known at most. */
  public static final int MOST_PAGES = 1 << 20;

  /** With so many different followers a page is the common beginning of unrelated chains. */
  public static final int SHARED = 8;

  private static final int NONE = -1;
  private static final int FIRST_CAPACITY = 1 << 10;

  private final int most;
  private long[] ids = new long[0];
  private long[] parents = new long[0];
  private long[] roots = new long[0];
  private long[] lastUses = new long[0];
  private int[] depths = new int[0];
  private int[] children = new int[0];
  private int[] uses = new int[0];
  private boolean[] met = new boolean[0];
  // Entries plus one by hash of the id, or 0.
  private int[] index = new int[0];
  private int size;
  private int hand;
  private boolean listening;

  /**
   * Nothing is known.
   *
   * @param most pages that are known at most
   */
  public Lineage(int most) {
    this.most = most;
  }

  /** The draw of a chain in [0, 1), from its root: the same for equal roots everywhere. */
  public static double unit(long root) {
    long mixed = root ^ 0xD1B54A32D192ED03L;
    mixed = (mixed ^ (mixed >>> 30)) * 0xBF58476D1CE4E5B9L;
    mixed = (mixed ^ (mixed >>> 27)) * 0x94D049BB133111EBL;
    return ((mixed ^ (mixed >>> 31)) >>> 11) * 0x1.0p-53;
  }

  private static long parentId(long parentHigh, long parentLow) {
    return parentHigh == 0 && parentLow == 0 ? Facts.UNKNOWN : PageIds.of(parentHigh, parentLow);
  }

  // ---- learning --------------------------------------------------------------------------------

  /** Whether it learns from now on. What it knows is forgotten when it does not. */
  public void listen(boolean on) {
    if (listening && !on) {
      size = 0;
      hand = 0;
      Arrays.fill(index, 0);
    }
    listening = on;
  }

  /** Whether it learns: otherwise nobody need tell it anything. */
  public boolean listening() {
    return listening;
  }

  /**
   * Pages that follow one another exist.
   *
   * @param parentHigh first half of the key before the first of them; both halves 0 for none
   * @param parentLow second half
   * @param keys halves of keys, as (high, low)
   * @param from the first place
   * @param to the place after the last one
   */
  public void learn(long parentHigh, long parentLow, long[] keys, int from, int to) {
    if (!listening) {
      return;
    }
    long before = parentId(parentHigh, parentLow);
    int entry = before == Facts.UNKNOWN ? NONE : find(before);
    for (int place = from; place < to; place++) {
      long id = PageIds.of(keys[2 * place], keys[2 * place + 1]);
      int known = find(id);
      if (known == NONE) {
        known = add(id, before, entry);
      } else {
        met[known] = true;
      }
      before = id;
      entry = known;
    }
  }

  /**
   * The same of pages that an engine computed. For those that were known already that is a use:
   * somebody asked for them in vain.
   */
  public void compute(
      long parentHigh, long parentLow, long[] keys, int from, int to, long nowNanos) {
    for (int place = from; listening && place < to; place++) {
      use(keys[2 * place], keys[2 * place + 1], nowNanos);
    }
    learn(parentHigh, parentLow, keys, from, to);
  }

  /** A demand returned a page. */
  public void use(long keyHigh, long keyLow, long nowNanos) {
    int entry = find(PageIds.of(keyHigh, keyLow));
    if (entry != NONE) {
      met[entry] = true;
      uses[entry]++;
      lastUses[entry] = nowNanos;
    }
  }

  /** Whether somebody asked for a page since it is known. */
  public boolean isUsed(long keyHigh, long keyLow) {
    int entry = find(PageIds.of(keyHigh, keyLow));
    return entry != NONE && uses[entry] > 0;
  }

  private int add(long id, long parent, int before) {
    long root = before == NONE || children[before] >= SHARED ? id : roots[before];
    int depth = before == NONE ? 0 : depths[before] + 1;
    if (before != NONE) {
      children[before]++;
      met[before] = true;
    }
    int entry = place();
    ids[entry] = id;
    parents[entry] = parent;
    roots[entry] = root;
    depths[entry] = depth;
    children[entry] = 0;
    uses[entry] = 0;
    lastUses[entry] = Facts.UNKNOWN;
    met[entry] = false;
    insert(entry);
    return entry;
  }

  /** A free entry, in growing arrays first, then that of a page that is forgotten. */
  private int place() {
    if (size < ids.length) {
      return size++;
    }
    if (size < most) {
      grow(Math.min(most, Math.max(FIRST_CAPACITY, 2 * size)));
      return size++;
    }
    while (met[hand]) {
      met[hand] = false;
      hand = hand + 1 == size ? 0 : hand + 1;
    }
    int forgotten = hand;
    hand = hand + 1 == size ? 0 : hand + 1;
    remove(forgotten);
    int parent = parents[forgotten] == Facts.UNKNOWN ? NONE : find(parents[forgotten]);
    if (parent != NONE && children[parent] > 0) {
      children[parent]--;
    }
    return forgotten;
  }

  private void grow(int capacity) {
    ids = Arrays.copyOf(ids, capacity);
    parents = Arrays.copyOf(parents, capacity);
    roots = Arrays.copyOf(roots, capacity);
    lastUses = Arrays.copyOf(lastUses, capacity);
    depths = Arrays.copyOf(depths, capacity);
    children = Arrays.copyOf(children, capacity);
    uses = Arrays.copyOf(uses, capacity);
    met = Arrays.copyOf(met, capacity);
    index = new int[Integer.highestOneBit(Math.max(1, capacity - 1)) * 4];
    for (int entry = 0; entry < size; entry++) {
      insert(entry);
    }
  }

  // ---- telling ---------------------------------------------------------------------------------

  /**
   * A run of pages that follow one another, known or not.
   *
   * @param parentHigh first half of the key before the first of them; both halves 0 for none
   * @param parentLow second half
   * @param keys halves of keys, as (high, low)
   * @param from the first place
   * @param to the place after the last one
   * @param bytes of its pages
   * @param tier where it is
   */
  public ChainFacts chain(
      long parentHigh, long parentLow, long[] keys, int from, int to, long bytes, TierKind tier) {
    long id = PageIds.of(keys[2 * from], keys[2 * from + 1]);
    long parent = parentId(parentHigh, parentLow);
    int entry = find(id);
    int before = parent == Facts.UNKNOWN ? NONE : find(parent);
    int last = find(PageIds.of(keys[2 * to - 2], keys[2 * to - 1]));
    return new ChainFacts(
        id,
        parent,
        entry != NONE ? depths[entry] : before == NONE ? 0 : depths[before] + 1,
        to - from,
        last == NONE ? 0 : children[last],
        bytes,
        tier,
        entry == NONE ? Facts.UNKNOWN : lastUses[entry],
        entry == NONE ? 0 : uses[entry],
        unit(entry != NONE ? roots[entry] : rootBehind(before, id)));
  }

  /**
   * The deepest known chain of a prompt: from behind the last page that is everybody's to the last
   * one that is known; the first unknown page alone where nothing is known there.
   *
   * @param keys halves of the keys of all pages of the prompt, as (high, low)
   * @param count pages
   * @param pageBytes of a page
   * @param tier where it is
   */
  public ChainFacts deepest(long[] keys, int count, long pageBytes, TierKind tier) {
    int from = 0;
    int last = NONE;
    int known = 0;
    while (known < count) {
      int entry = find(PageIds.of(keys[2 * known], keys[2 * known + 1]));
      if (entry == NONE) {
        break;
      }
      last = entry;
      known++;
      if (children[entry] >= SHARED) {
        from = known;
      }
    }
    from = Math.min(from, count - 1);
    long id = PageIds.of(keys[2 * from], keys[2 * from + 1]);
    int pages = Math.max(1, known - from);
    boolean unknown = known <= from;
    return new ChainFacts(
        id,
        from == 0 ? Facts.UNKNOWN : PageIds.of(keys[2 * from - 2], keys[2 * from - 1]),
        from,
        pages,
        unknown ? 0 : children[last],
        pages * pageBytes,
        tier,
        unknown ? Facts.UNKNOWN : lastUses[last],
        unknown ? 0 : uses[last],
        unit(unknown ? id : roots[last]));
  }

  private long rootBehind(int before, long id) {
    return before == NONE || children[before] >= SHARED ? id : roots[before];
  }

  /** Pages that are known. */
  public int size() {
    return size;
  }

  // ---- the index -------------------------------------------------------------------------------

  private int find(long id) {
    if (size == 0) {
      return NONE;
    }
    int mask = index.length - 1;
    for (int i = (int) id & mask; index[i] != 0; i = (i + 1) & mask) {
      if (ids[index[i] - 1] == id) {
        return index[i] - 1;
      }
    }
    return NONE;
  }

  private void insert(int entry) {
    int mask = index.length - 1;
    int i = (int) ids[entry] & mask;
    while (index[i] != 0) {
      i = (i + 1) & mask;
    }
    index[i] = entry + 1;
  }

  private void remove(int entry) {
    int mask = index.length - 1;
    int hole = (int) ids[entry] & mask;
    while (index[hole] != entry + 1) {
      hole = (hole + 1) & mask;
    }
    for (int i = (hole + 1) & mask; index[i] != 0; i = (i + 1) & mask) {
      int home = (int) ids[index[i] - 1] & mask;
      if (((i - home) & mask) >= ((i - hole) & mask)) {
        index[hole] = index[i];
        hole = i;
      }
    }
    index[hole] = 0;
  }
}
