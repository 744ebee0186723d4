package io.orbitkv.model;

import java.util.Arrays;
import java.util.Map;
import java.util.TreeSet;

/** Reference lines of a trace: what no cache can exceed, and what needs no policy. */
public final class References {
  private References() {}

  /** Prefix hits of a cache without end, as a share of all pages. */
  public static double infinite(ModelTrace trace) {
    boolean[] seen = new boolean[trace.distinctPages()];
    long hits = 0;
    for (int r = 0; r < trace.requests(); r++) {
      for (int i = 0; i < trace.pages(r); i++) {
        int page = trace.page(r, i);
        hits += seen[page] ? 1 : 0;
        seen[page] = true;
      }
    }
    return ratio(hits, trace);
  }

  /** Prefix hits in the order of last use, leaves first. */
  public static double lru(ModelTrace trace, ModelSettings settings) {
    return ModelTotals.of(new ModelRun(trace, settings, Map.of()).run()).prefixHitRatio();
  }

  /**
   * The clairvoyant bound after Belady: of all pages, the leaf whose next use is farthest goes, and
   * a page that nobody asks for again never takes a place from one that somebody does.
   *
   * @param capacity pages
   */
  public static double clairvoyant(ModelTrace trace, int capacity) {
    int total = trace.totalPages();
    int[] nextUse = nextUses(trace);
    // Next use of each resident page, its place in the trace, and its number to tell ties apart.
    long[] key = new long[trace.distinctPages()];
    boolean[] resident = new boolean[trace.distinctPages()];
    TreeSet<Long> byNextUse = new TreeSet<>();
    long hits = 0;
    int at = 0;
    for (int r = 0; r < trace.requests(); r++) {
      boolean prefix = true;
      for (int i = 0; i < trace.pages(r); i++, at++) {
        int page = trace.page(r, i);
        prefix &= resident[page];
        hits += prefix ? 1 : 0;
        if (resident[page]) {
          byNextUse.remove(key[page]);
        }
        resident[page] = nextUse[at] < total;
        if (resident[page]) {
          // Of a chain whose pages are asked for at once the last place is the farthest: leaves go
          // first without being told apart.
          key[page] = ((long) nextUse[at] << 32) | page;
          byNextUse.add(key[page]);
          if (byNextUse.size() > capacity) {
            int farthest = (int) (long) byNextUse.pollLast();
            resident[farthest] = false;
          }
        }
      }
    }
    return ratio(hits, trace);
  }

  private static int[] nextUses(ModelTrace trace) {
    int[] nextUse = new int[trace.totalPages()];
    int[] next = new int[trace.distinctPages()];
    Arrays.fill(next, trace.totalPages());
    int at = trace.totalPages();
    for (int r = trace.requests() - 1; r >= 0; r--) {
      for (int i = trace.pages(r) - 1; i >= 0; i--) {
        int page = trace.page(r, i);
        nextUse[--at] = next[page];
        next[page] = at;
      }
    }
    return nextUse;
  }

  private static double ratio(long hits, ModelTrace trace) {
    return trace.totalPages() == 0 ? 0 : (double) hits / trace.totalPages();
  }
}
