package io.orbitkv.workload.engine;

import io.orbitkv.api.page.PageKey;
import io.orbitkv.workload.trace.PageKeys;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.Semaphore;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The engine's device pages: which page holds which key, who uses it, and in which order unused
 * ones are given up.
 *
 * <p>A page is free, cached (findable, nobody uses it, in the order of its last use), shared
 * (findable and used) or private (a request writes it). A request gets all its pages at once or
 * waits, and the one that waits longest is served first, so requests cannot block each other
 * half-served. Private pages reach the free list or the cache only when their owner says so; there
 * is no other way for them to be used again.
 *
 * <p>Any thread; one lock, held for the time of list operations.
 */
public final class DevicePool {
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition returned = lock.newCondition();

  /** Held by the request at the head of the line while it waits for pages. */
  private final Semaphore head = new Semaphore(1, true);

  private final Map<PageKey, Integer> pageOfKey = new HashMap<>();
  private final PageKey[] keyOfPage;
  private final int[] users;
  private final int[] free;
  private int freeCount;

  // Cached pages, least recently used first: a ring through the sentinel at index `pages`.
  private final int[] next;
  private final int[] previous;
  private int cachedCount;

  /** A pool of {@code pages} free pages. */
  public DevicePool(int pages) {
    keyOfPage = new PageKey[pages];
    Arrays.fill(keyOfPage, PageKey.NONE);
    users = new int[pages];
    free = new int[pages];
    for (int page = 0; page < pages; page++) {
      free[page] = pages - 1 - page;
    }
    freeCount = pages;
    next = new int[pages + 1];
    previous = new int[pages + 1];
    next[pages] = pages;
    previous[pages] = pages;
  }

  /** Number of pages. */
  public int pages() {
    return keyOfPage.length;
  }

  /**
   * Waits for a page for each key: the longest cached prefix is shared, the rest are private pages.
   *
   * @param keys as (high, low) pairs, at most as many as the pool has pages
   * @throws InterruptedException when interrupted while waiting; nothing is held then
   */
  public Pages acquire(long[] keys) throws InterruptedException {
    int count = keys.length / PageKeys.LONGS;
    if (count > pages()) {
      throw new IllegalArgumentException("[" + count + "] pages: the device has " + pages());
    }
    head.acquire();
    try {
      lock.lockInterruptibly();
      try {
        int hits = cachedPrefix(keys, count);
        while (missing(keys, hits, count) > 0) {
          returned.await();
          hits = cachedPrefix(keys, count);
        }
        return take(keys, hits, count);
      } finally {
        lock.unlock();
      }
    } finally {
      head.release();
    }
  }

  /** Pages that somebody uses. */
  public int usedPages() {
    lock.lock();
    try {
      return pages() - freeCount - cachedCount;
    } finally {
      lock.unlock();
    }
  }

  /** Calls {@code visitor} for each findable page. No request may be under way. */
  public void forEachCached(CachedPageVisitor visitor) {
    lock.lock();
    try {
      for (int page = 0; page < pages(); page++) {
        PageKey key = keyOfPage[page];
        if (!key.isNone()) {
          visitor.page(page, key);
        }
      }
    } finally {
      lock.unlock();
    }
  }

  private int cachedPrefix(long[] keys, int count) {
    int hits = 0;
    while (hits < count && pageOfKey.containsKey(PageKeys.at(keys, hits))) {
      hits++;
    }
    return hits;
  }

  /**
   * How many private pages are not to be had now; the pages of the prefix cannot be given up for
   * them.
   */
  private int missing(long[] keys, int hits, int count) {
    int unusedHits = 0;
    for (int i = 0; i < hits; i++) {
      unusedHits += users[cachedPage(PageKeys.at(keys, i))] == 0 ? 1 : 0;
    }
    return (count - hits) - (freeCount + cachedCount - unusedHits);
  }

  private Pages take(long[] keys, int hits, int count) {
    int[] pages = new int[count];
    for (int i = 0; i < hits; i++) {
      int page = cachedPage(PageKeys.at(keys, i));
      if (users[page]++ == 0) {
        unlink(page);
      }
      pages[i] = page;
    }
    for (int i = hits; i < count; i++) {
      if (freeCount == 0) {
        evictOldest();
      }
      int page = free[--freeCount];
      users[page] = 1;
      pages[i] = page;
    }
    return new Pages(this, keys, pages, hits);
  }

  private int cachedPage(PageKey key) {
    Integer page = pageOfKey.get(key);
    if (page == null) {
      throw new IllegalStateException("page [" + key + "] left the device cache under its lock");
    }
    return page;
  }

  private void evictOldest() {
    int page = next[pages()];
    unlink(page);
    pageOfKey.remove(keyOfPage[page]);
    keyOfPage[page] = PageKey.NONE;
    free[freeCount++] = page;
  }

  private void unlink(int page) {
    next[previous[page]] = next[page];
    previous[next[page]] = previous[page];
    cachedCount--;
  }

  private void append(int page) {
    int sentinel = pages();
    int last = previous[sentinel];
    next[last] = page;
    previous[page] = last;
    next[page] = sentinel;
    previous[sentinel] = page;
    cachedCount++;
  }

  /** Tails first, so that a chain loses its end before its beginning. */
  private void give(Pages pages, boolean valid) {
    lock.lock();
    try {
      for (int i = pages.count() - 1; i >= 0; i--) {
        int page = pages.page(i);
        PageKey key = PageKeys.at(pages.keys(), i);
        boolean findable = i < pages.hits();
        if (!findable && valid && pageOfKey.putIfAbsent(key, page) == null) {
          keyOfPage[page] = key;
          findable = true;
        }
        if (--users[page] == 0) {
          if (findable) {
            append(page);
          } else {
            free[freeCount++] = page;
          }
        }
      }
      returned.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /** Receives a cached page. */
  @FunctionalInterface
  public interface CachedPageVisitor {
    /** {@code page} holds the bytes of {@code key}. */
    void page(int page, PageKey key);
  }

  /**
   * The pages of one request. Must be given back exactly once, after every copy that touches them
   * reported its end; pages of which that is not known are kept for good, by not giving them back.
   */
  public static final class Pages {
    private final DevicePool pool;
    private final long[] keys;
    private final int[] pages;
    private final int hits;
    private boolean given;

    private Pages(DevicePool pool, long[] keys, int[] pages, int hits) {
      this.pool = pool;
      this.keys = keys;
      this.pages = pages;
      this.hits = hits;
    }

    /** Number of pages. */
    public int count() {
      return pages.length;
    }

    /** Pages at the front that hold their bytes already. */
    public int hits() {
      return hits;
    }

    /** Device page of key {@code i}. */
    public int page(int i) {
      return pages[i];
    }

    /** The keys, as (high, low) pairs; not to be changed. */
    public long[] keys() {
      return keys;
    }

    /** Device pages {@code from} to before {@code to}, in an array of the caller's own. */
    public int[] range(int from, int to) {
      return Arrays.copyOfRange(pages, from, to);
    }

    /**
     * Gives the pages back.
     *
     * @param valid whether every private page holds the bytes of its key: it is cached then,
     *     otherwise freed
     */
    public void giveBack(boolean valid) {
      if (given) {
        throw new IllegalStateException("device pages are given back twice");
      }
      given = true;
      pool.give(this, valid);
    }
  }
}
