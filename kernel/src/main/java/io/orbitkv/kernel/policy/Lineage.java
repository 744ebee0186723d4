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
 *
 * <p>The six words of an entry; those that a use reads and changes lie side by side:
 *
 * <pre>
 *   0  name
 *   1  monotonic time of the last use
 *   2  uses (32)         | met since its last turn (1)
 *   3  pages before it (32) | different pages behind it (32)
 *   4  name of the page before it
 *   5  root
 * </pre>
 */
public final class Lineage {
  /** Pages that are known at most. */
  public static final int MOST_PAGES = 1 << 20;

  /** With so many different followers a page is the common beginning of unrelated chains. */
  public static final int SHARED = 8;

  /** Most pages that are looked up together. */
  public static final int BLOCK = 32;

  /** No page. */
  public static final int NONE = -1;

  private static final int FIRST_CAPACITY = 1 << 10;
  private static final int WORDS = 6;
  private static final int LAST_USE = 1;
  private static final int USES = 2;
  private static final int PLACE = 3;
  private static final int PARENT = 4;
  private static final int ROOT = 5;
  private static final long MET = 1;
  private static final long ONE_USE = 1L << 32;
  private static final long ONE_DEEPER = 1L << 32;
  private static final long LOW = 0xFFFF_FFFFL;

  private final int most;
  private long[] words = new long[0];
  // Entries plus one by hash of the id, or 0.
  private int[] index = new int[0];
  // Of pages that are looked up together.
  private final long[] ids = new long[BLOCK];
  private final long[] found = new long[BLOCK];
  private final int[] entries = new int[BLOCK];
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
        meet(known);
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
      use(find(PageIds.of(keys[2 * place], keys[2 * place + 1])), nowNanos);
    }
    learn(parentHigh, parentLow, keys, from, to);
  }

  /**
   * Looks pages up, all of them at a time: each read of memory is made for all in a loop that
   * decides nothing, so that the reads overlap.
   *
   * @param names of pages
   * @param count at most {@link #BLOCK}
   * @param into gets for each what {@link #use} takes until the next page is learned
   */
  public void find(long[] names, int count, int[] into) {
    if (size == 0) {
      Arrays.fill(into, 0, count, NONE);
      return;
    }
    int mask = index.length - 1;
    for (int i = 0; i < count; i++) {
      into[i] = index[(int) names[i] & mask] - 1;
    }
    for (int i = 0; i < count; i++) {
      found[i] = into[i] == NONE ? names[i] : words[into[i] * WORDS];
    }
    for (int i = 0; i < count; i++) {
      if (found[i] != names[i]) {
        into[i] = find(names[i]);
      }
    }
  }

  /**
   * A demand returned a page.
   *
   * @param entry as {@link #find} said, or {@link #NONE} for a page that is not known
   */
  public void use(int entry, long nowNanos) {
    if (entry != NONE) {
      int at = entry * WORDS;
      words[at + LAST_USE] = nowNanos;
      words[at + USES] = (words[at + USES] | MET) + ONE_USE;
    }
  }

  /** The same for one page. */
  public void use(long keyHigh, long keyLow, long nowNanos) {
    use(find(PageIds.of(keyHigh, keyLow)), nowNanos);
  }

  /** Whether somebody asked for a page since it is known. */
  public boolean isUsed(long keyHigh, long keyLow) {
    int entry = find(PageIds.of(keyHigh, keyLow));
    return entry != NONE && uses(entry) > 0;
  }

  private int add(long id, long parent, int before) {
    long root = before == NONE || children(before) >= SHARED ? id : root(before);
    int depth = before == NONE ? 0 : depth(before) + 1;
    if (before != NONE) {
      addChildren(before, 1);
      meet(before);
    }
    int entry = place();
    int at = entry * WORDS;
    words[at] = id;
    words[at + LAST_USE] = Facts.UNKNOWN;
    words[at + USES] = 0;
    words[at + PLACE] = depth * ONE_DEEPER;
    words[at + PARENT] = parent;
    words[at + ROOT] = root;
    insert(entry);
    return entry;
  }

  /** A free entry, in growing arrays first, then that of a page that is forgotten. */
  private int place() {
    if (size < words.length / WORDS) {
      return size++;
    }
    if (size < most) {
      grow(Math.min(most, Math.max(FIRST_CAPACITY, 2 * size)));
      return size++;
    }
    while ((words[hand * WORDS + USES] & MET) != 0) {
      words[hand * WORDS + USES] &= ~MET;
      hand = hand + 1 == size ? 0 : hand + 1;
    }
    int forgotten = hand;
    hand = hand + 1 == size ? 0 : hand + 1;
    remove(forgotten);
    long parentId = words[forgotten * WORDS + PARENT];
    int parent = parentId == Facts.UNKNOWN ? NONE : find(parentId);
    if (parent != NONE && children(parent) > 0) {
      addChildren(parent, -1);
    }
    return forgotten;
  }

  private void grow(int capacity) {
    words = Arrays.copyOf(words, capacity * WORDS);
    index = new int[Integer.highestOneBit(Math.max(1, capacity - 1)) * 4];
    for (int entry = 0; entry < size; entry++) {
      insert(entry);
    }
  }

  // ---- entries ---------------------------------------------------------------------------------

  private long id(int entry) {
    return words[entry * WORDS];
  }

  private long lastUse(int entry) {
    return words[entry * WORDS + LAST_USE];
  }

  private int uses(int entry) {
    return (int) (words[entry * WORDS + USES] >>> 32);
  }

  private int depth(int entry) {
    return (int) (words[entry * WORDS + PLACE] >>> 32);
  }

  private int children(int entry) {
    return (int) words[entry * WORDS + PLACE];
  }

  private void addChildren(int entry, int count) {
    int at = entry * WORDS + PLACE;
    words[at] = (words[at] & ~LOW) | ((children(entry) + count) & LOW);
  }

  private long root(int entry) {
    return words[entry * WORDS + ROOT];
  }

  private void meet(int entry) {
    words[entry * WORDS + USES] |= MET;
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
        entry != NONE ? depth(entry) : before == NONE ? 0 : depth(before) + 1,
        to - from,
        last == NONE ? 0 : children(last),
        bytes,
        tier,
        entry == NONE ? Facts.UNKNOWN : lastUse(entry),
        entry == NONE ? 0 : uses(entry),
        unit(entry != NONE ? root(entry) : rootBehind(before, id)));
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
      if (known % BLOCK == 0) {
        findBlock(keys, known, Math.min(BLOCK, count - known));
      }
      int entry = entries[known % BLOCK];
      if (entry == NONE) {
        break;
      }
      last = entry;
      known++;
      if (children(entry) >= SHARED) {
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
        unknown ? 0 : children(last),
        pages * pageBytes,
        tier,
        unknown ? Facts.UNKNOWN : lastUse(last),
        unknown ? 0 : uses(last),
        unit(unknown ? id : root(last)));
  }

  private void findBlock(long[] keys, int from, int count) {
    for (int i = 0; i < count; i++) {
      ids[i] = PageIds.of(keys[2 * (from + i)], keys[2 * (from + i) + 1]);
    }
    find(ids, count, entries);
  }

  private long rootBehind(int before, long id) {
    return before == NONE || children(before) >= SHARED ? id : root(before);
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
      if (id(index[i] - 1) == id) {
        return index[i] - 1;
      }
    }
    return NONE;
  }

  private void insert(int entry) {
    int mask = index.length - 1;
    int i = (int) id(entry) & mask;
    while (index[i] != 0) {
      i = (i + 1) & mask;
    }
    index[i] = entry + 1;
  }

  private void remove(int entry) {
    int mask = index.length - 1;
    int hole = (int) id(entry) & mask;
    while (index[hole] != entry + 1) {
      hole = (hole + 1) & mask;
    }
    for (int i = (hole + 1) & mask; index[i] != 0; i = (i + 1) & mask) {
      int home = (int) id(index[i] - 1) & mask;
      if (((i - home) & mask) >= ((i - hole) & mask)) {
        index[hole] = index[i];
        hole = i;
      }
    }
    index[hole] = 0;
  }
}
