package io.orbitkv.model;

import io.orbitkv.api.policy.PageBatch.Origin;
import io.orbitkv.api.policy.PageEvents.Kind;
import io.orbitkv.api.policy.RetentionPolicy;
import java.util.Arrays;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/**
 * One tier: which pages are there, and which goes next. Evicts leaves alone, as scored by a policy
 * or in the order of their last use. Pages of the request that is served now are held.
 */
final class ModelTier {
  private static final int EVENTS = 256;
  private static final int MOST_EVENTS = 1024;

  /** A request that holds nothing. */
  private static final int NOBODY = -2;

  /** Taken off the order of reclaimable pages: they go before all others. */
  private static final long RECLAIMABLE = 1L << 62;

  private final Prompts trace;
  private final VictimRule rule;
  private final @Nullable RetentionPolicy policy;
  private final long pageBytes;
  private final int capacity;
  private final SplittableRandom random;

  private int size;
  private final boolean[] resident;
  private final int[] children;
  private final long[] order;
  private final long[] lastUseNanos;
  private final int[] uses;
  private final Origin[] origin;
  private final long[] mark;
  private final int[] heldBy;
  private final LeafHeap leaves;

  private final Columns events;
  private final Columns candidates;
  private final int[] asked;
  private int round;
  private final int[] victims;
  private final long[] victimOrder;
  private int victimCount;
  private int nextVictim;
  private int lastVictims;
  private boolean tickSinceAnswer = true;
  private int request;
  private long nanos;
  private boolean changed;
  private long byDefaultSinceAsked;
  private long evictions;
  private long byDefault;

  /**
   * An empty tier.
   *
   * @param capacity pages that it holds
   * @param policy null for the built-in order of last use
   */
  ModelTier(
      Prompts trace,
      int capacity,
      long pageBytes,
      VictimRule rule,
      @Nullable RetentionPolicy policy,
      long seed) {
    this.trace = trace;
    this.rule = rule;
    this.policy = policy;
    this.pageBytes = pageBytes;
    this.capacity = capacity;
    random = new SplittableRandom(seed);
    int pages = trace.distinctPages();
    resident = new boolean[pages];
    children = new int[pages];
    order = new long[pages];
    lastUseNanos = new long[pages];
    uses = new int[pages];
    origin = new Origin[pages];
    Arrays.fill(origin, Origin.PUBLISH);
    mark = new long[pages];
    heldBy = new int[pages];
    Arrays.fill(heldBy, ModelTrace.NONE);
    leaves = new LeafHeap(order);
    events = new Columns(this, rule.ahead() ? MOST_EVENTS : EVENTS);
    candidates = new Columns(this, rule.candidates());
    asked = new int[pages];
    victims = new int[rule.candidates()];
    victimOrder = new long[rule.candidates()];
  }

  Prompts trace() {
    return trace;
  }

  long pageBytes() {
    return pageBytes;
  }

  int capacity() {
    return capacity;
  }

  int size() {
    return size;
  }

  boolean contains(int page) {
    return resident[page];
  }

  int children(int page) {
    return children[page];
  }

  long lastUseNanos(int page) {
    return lastUseNanos[page];
  }

  int uses(int page) {
    return uses[page];
  }

  Origin origin(int page) {
    return origin[page];
  }

  long mark(int page) {
    return mark[page];
  }

  void setMark(int page, long value) {
    mark[page] = value;
  }

  long evictions() {
    return evictions;
  }

  /** Whether it gave up as many pages as it holds; one without room has nothing to give up. */
  boolean turnedOver() {
    return evictions >= capacity;
  }

  /** A page's number is about to stand for another one; it is not here, nor is one behind it. */
  void forget(int page) {
    uses[page] = 0;
    lastUseNanos[page] = 0;
    order[page] = 0;
    mark[page] = 0;
    asked[page] = 0;
    heldBy[page] = ModelTrace.NONE;
  }

  /** Evictions in the order of last use although a policy serves. */
  long victimsByDefault() {
    return byDefault;
  }

  /** A step of a request is over, and nothing is held: asks for victims if that is done ahead. */
  void settle() {
    observe();
    tickSinceAnswer = !dueForScores(rule.fewVictims(), 0);
    if (!tickSinceAnswer) {
      int held = request;
      request = NOBODY;
      ask();
      request = held;
      lastVictims = victimCount;
    }
  }

  private boolean dueForScores(int few, int coming) {
    boolean nearlyFull = size + coming > capacity / 8.0 * 7;
    return policy != null
        && rule.ahead()
        && changed
        && leaves.size() > 0
        && victimCount - nextVictim < few
        && (nearlyFull || byDefaultSinceAsked > 0);
  }

  /** A request begins: pages that it uses or inserts are held until the next one begins. */
  void begin(int newRequest, long atNanos) {
    request = newRequest;
    nanos = atNanos;
  }

  /** The request ends: the policy hears what happened. */
  void end() {
    if (!rule.ahead()) {
      observe();
    }
  }

  /**
   * A foreground use of a page that is there.
   *
   * @param newOrder place among all uses; a page's is greater than its children's
   */
  void use(int page, long newOrder) {
    hold(page);
    uses[page]++;
    event(page, Kind.USED);
    lastUseNanos[page] = nanos;
    order[page] = newOrder;
    if (leaves.contains(page)) {
      leaves.moved(page);
    }
  }

  /** A page is to go before all others until it is used again. */
  void reclaim(int page) {
    if (order[page] >= 0) {
      order[page] -= RECLAIMABLE;
      if (leaves.contains(page)) {
        leaves.moved(page);
      }
    }
  }

  /**
   * Evicts until there is room for so many pages more.
   *
   * @return whether there is; otherwise there is room for as many as could be made
   */
  boolean makeRoom(int pages) {
    boolean room = true;
    while (size + pages > capacity && room) {
      room = size > 0 && evict();
    }
    int few = tickSinceAnswer ? rule.fewVictims() : Math.min(rule.fewVictims(), lastVictims / 2);
    if (dueForScores(few, pages)) {
      // The kernel asks here what is answered too late for this request: the policy hears first.
      observe();
    }
    return room;
  }

  /** Keeps the page until the next request begins. */
  void hold(int page) {
    heldBy[page] = request;
  }

  /**
   * Inserts a page that is not there, after those before it.
   *
   * @return false when everything that is there is held
   */
  boolean insert(int page, long newOrder, Origin how) {
    if (capacity == 0 || (size == capacity && !evict())) {
      return false;
    }
    size++;
    resident[page] = true;
    hold(page);
    uses[page] = 0;
    origin[page] = how;
    mark[page] = 0;
    lastUseNanos[page] = nanos;
    order[page] = newOrder;
    int before = trace.parent(page);
    // Children count whether the page before them is there or not: it can come after them, when it
    // was on the device at first, or was dropped from a tier that leaves holes.
    if (before != ModelTrace.NONE && children[before]++ == 0 && resident[before]) {
      leaves.remove(before);
    }
    if (children[page] == 0) {
      leaves.add(page);
    }
    event(page, Kind.INSERTED);
    return true;
  }

  private boolean evict() {
    if (policy == null || reclaims()) {
      return evictColdest();
    }
    for (int attempt = 0; attempt < 2; attempt++) {
      for (; nextVictim < victimCount; nextVictim++) {
        int page = victims[nextVictim];
        if (leaves.contains(page)
            && order[page] == victimOrder[nextVictim]
            && heldBy[page] != request) {
          remove(page);
          if (rule.parentFollows()) {
            follow(page);
          }
          return true;
        }
      }
      if (rule.ahead()) {
        break;
      }
      ask();
    }
    byDefault++;
    byDefaultSinceAsked++;
    return evictColdest();
  }

  private boolean reclaims() {
    return leaves.size() > 0 && order[leaves.coldest()] < 0 && heldBy[leaves.coldest()] != request;
  }

  private void follow(int page) {
    int before = trace.parent(page);
    if (before != ModelTrace.NONE
        && leaves.contains(before)
        && lastUseNanos[before] == lastUseNanos[page]
        && uses[before] == uses[page]
        && heldBy[before] != request) {
      victims[nextVictim] = before;
      victimOrder[nextVictim] = order[before];
    }
  }

  private boolean evictColdest() {
    if (leaves.size() == 0 || heldBy[leaves.coldest()] == request) {
      return false;
    }
    remove(leaves.coldest());
    return true;
  }

  private void remove(int page) {
    event(page, Kind.REMOVED);
    evictions++;
    size--;
    resident[page] = false;
    leaves.remove(page);
    int before = trace.parent(page);
    if (before != ModelTrace.NONE && --children[before] == 0 && resident[before]) {
      leaves.add(before);
    }
  }

  private void ask() {
    observe();
    round++;
    changed = false;
    byDefaultSinceAsked = 0;
    candidates.clear();
    int coldest = (int) (rule.candidates() * rule.coldestShare());
    leaves.startWalk();
    while (candidates.size() < coldest) {
      int page = leaves.nextOfWalk();
      if (page == ModelTrace.NONE) {
        break;
      }
      offer(page);
    }
    int sampled = rule.candidates() - coldest;
    for (int i = 0; i < sampled && leaves.size() > candidates.size(); i++) {
      offer(leaves.any(random.nextInt(leaves.size())));
    }
    victimCount = 0;
    nextVictim = 0;
    int count = candidates.size();
    if (count == 0 || policy == null) {
      return;
    }
    policy.score(candidates, candidates.scores);
    int[] byScore = new int[count];
    for (int i = 0; i < count; i++) {
      byScore[i] = i;
    }
    sort(byScore, 0, count - 1);
    victimCount = (int) Math.ceil(count * rule.victimShare());
    for (int i = 0; i < victimCount; i++) {
      victims[i] = candidates.page(byScore[i]);
      victimOrder[i] = order[victims[i]];
    }
  }

  private void offer(int page) {
    if (asked[page] != round && heldBy[page] != request) {
      asked[page] = round;
      candidates.add(page, Kind.USED, nanos);
    }
  }

  private boolean before(int a, int b) {
    long left = candidates.scores[a];
    long right = candidates.scores[b];
    return left != right ? left < right : order[candidates.page(a)] < order[candidates.page(b)];
  }

  /** Quicksort of entries by score, then by use; entries are in no particular order before. */
  private void sort(int[] entries, int from, int to) {
    int low = from;
    int high = to;
    while (low < high) {
      int pivot = entries[(low + high) >>> 1];
      int i = low;
      int j = high;
      while (i <= j) {
        while (before(entries[i], pivot)) {
          i++;
        }
        while (before(pivot, entries[j])) {
          j--;
        }
        if (i <= j) {
          int swapped = entries[i];
          entries[i++] = entries[j];
          entries[j--] = swapped;
        }
      }
      // The smaller side by recursion, so the depth stays logarithmic.
      if (j - low < high - i) {
        sort(entries, low, j);
        low = i;
      } else {
        sort(entries, i, high);
        high = j;
      }
    }
  }

  private void event(int page, Kind what) {
    if (policy == null) {
      return;
    }
    changed = true;
    events.add(page, what, nanos);
    if (events.full()) {
      observe();
    }
  }

  private void observe() {
    if (policy != null && events.size() > 0) {
      policy.observe(events);
      events.clear();
    }
  }
}
