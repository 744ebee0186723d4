package io.orbitkv.workload.ab.assign;

import io.orbitkv.workload.trace.PageKeys;
import java.util.LinkedHashMap;
import java.util.Map;

/*
 * A hash of the request, or of its first page, misleads: requests of one conversation share pages, so
 * that the arms would feed on each other's cache (second touch against write-all showed +0.004 where
 * the truth is -0.041), and where every prompt begins with one system prompt its first page puts all
 * requests into one arm. The conversation is what is split.
 */

/**
 * Finds the conversation of a request: the root that its deepest known page has, or else its first
 * page that no conversation shares. A page with {@link #FAN_OUT} or more different pages behind it
 * is the namespace's common prefix and passes no root on.
 *
 * <p>Remembers a bounded number of pages, the oldest forgotten first. One thread.
 */
public final class ChainRoots {
  /** Different followers from which a page is a common prefix. */
  public static final int FAN_OUT = 8;

  private final Map<Long, Page> pages;

  /** A page that was seen. */
  private static final class Page {
    private final long root;
    private final long[] followers = new long[FAN_OUT];
    private int count;

    Page(long root) {
      this.root = root;
    }

    boolean common() {
      return count >= FAN_OUT;
    }

    void follow(long next) {
      for (int i = 0; i < count; i++) {
        if (followers[i] == next) {
          return;
        }
      }
      if (count < FAN_OUT) {
        followers[count++] = next;
      }
    }
  }

  /**
   * Nothing seen yet.
   *
   * @param limit pages remembered
   */
  public ChainRoots(int limit) {
    // Least recently seen first: a conversation that goes on keeps its arm.
    this.pages =
        new LinkedHashMap<>(1024, 0.75f, true) {
          private static final long serialVersionUID = 1;

          @Override
          protected boolean removeEldestEntry(Map.Entry<Long, Page> eldest) {
            return size() > limit;
          }
        };
  }

  /**
   * The root of a request, and remembers its pages.
   *
   * @param keys its complete pages as {@link PageKeys} gives them; not empty
   */
  public long rootOf(long[] keys) {
    int count = keys.length / PageKeys.LONGS;
    if (count == 0) {
      throw new IllegalArgumentException("a request without a complete page has no conversation");
    }
    long root = 0;
    boolean found = false;
    int firstOwn = 0;
    for (int page = count - 1; page >= 0 && !found; page--) {
      Page known = pages.get(id(keys, page));
      if (known != null) {
        if (!known.common()) {
          root = known.root;
          found = true;
        } else {
          // What is above a common prefix is common too.
          firstOwn = page + 1;
          break;
        }
      }
    }
    if (!found) {
      root = id(keys, Math.min(firstOwn, count - 1));
    }
    for (int page = 0; page < count; page++) {
      long own = root;
      Page known = pages.computeIfAbsent(id(keys, page), _ -> new Page(own));
      if (page + 1 < count) {
        known.follow(id(keys, page + 1));
      }
    }
    return root;
  }

  private static long id(long[] keys, int page) {
    return keys[page * PageKeys.LONGS] ^ Long.rotateLeft(keys[page * PageKeys.LONGS + 1], 17);
  }
}
