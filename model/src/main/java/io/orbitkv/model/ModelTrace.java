package io.orbitkv.model;

import java.util.Arrays;

/**
 * The requests of a trace as flat arrays, made once and read by any number of runs. A page is a
 * number from 0 in the order of first appearance; a page's parent is the page before it. Immutable
 * after {@link Builder#build}; any thread.
 */
public final class ModelTrace implements Prompts {
  /** The parent of the first page of a chain. */
  public static final int NONE = -1;

  /** A page with so many known children belongs to the common prefix and names no conversation. */
  static final int COMMON_CHILDREN = 8;

  private final String name;
  private final int pageTokens;
  private final long[] arrivalNanos;
  private final int[] inputTokens;
  private final int[] outputTokens;
  private final int[] start;
  private final int[] pages;
  private final long[] id;
  private final int[] parent;
  private final int[] depth;
  private final long[] root;

  private ModelTrace(Builder from) {
    name = from.name;
    pageTokens = from.pageTokens;
    int requests = from.requests;
    arrivalNanos = Arrays.copyOf(from.arrivalNanos, requests);
    inputTokens = Arrays.copyOf(from.inputTokens, requests);
    outputTokens = Arrays.copyOf(from.outputTokens, requests);
    start = Arrays.copyOf(from.start, requests + 1);
    pages = Arrays.copyOf(from.pages, start[requests]);
    int distinct = from.index.size();
    id = Arrays.copyOf(from.id, distinct);
    parent = Arrays.copyOf(from.parent, distinct);
    depth = Arrays.copyOf(from.depth, distinct);
    root = Arrays.copyOf(from.root, distinct);
  }

  /** What the trace is called in reports. */
  public String name() {
    return name;
  }

  /** Tokens of a page of the model. */
  public int pageTokens() {
    return pageTokens;
  }

  /** Number of requests. */
  public int requests() {
    return arrivalNanos.length;
  }

  /** Arrival of request {@code r} in nanoseconds since the start of the trace. */
  public long arrivalNanos(int r) {
    return arrivalNanos[r];
  }

  /** Prompt tokens of request {@code r}. */
  public int inputTokens(int r) {
    return inputTokens[r];
  }

  /** Generated tokens of request {@code r}. */
  public int outputTokens(int r) {
    return outputTokens[r];
  }

  /** Pages of request {@code r}. */
  @Override
  public int pages(int r) {
    return start[r + 1] - start[r];
  }

  /** Page number {@code i} of request {@code r}. */
  @Override
  public int page(int r, int i) {
    return pages[start[r] + i];
  }

  /** Pages of all requests together. */
  public int totalPages() {
    return pages.length;
  }

  /** Different pages. */
  @Override
  public int distinctPages() {
    return id.length;
  }

  /** Identity of a page, the same for equal pages everywhere. */
  @Override
  public long id(int page) {
    return id[page];
  }

  /** The page before it, or {@link #NONE}. */
  @Override
  public int parent(int page) {
    return parent[page];
  }

  /** Pages before it in its chain. */
  @Override
  public int depth(int page) {
    return depth[page];
  }

  /** The conversation that it belongs to: equal for all pages of one. */
  public long root(int page) {
    return root[page];
  }

  /** The conversation as a number in [0, 1). */
  @Override
  public double unitHash(int page) {
    // As a Manager draws it: a conversation has the same number everywhere.
    long mixed = root[page] ^ 0xD1B54A32D192ED03L;
    mixed = (mixed ^ (mixed >>> 30)) * 0xBF58476D1CE4E5B9L;
    mixed = (mixed ^ (mixed >>> 27)) * 0x94D049BB133111EBL;
    return ((mixed ^ (mixed >>> 31)) >>> 11) * 0x1.0p-53;
  }

  /** The conversation of request {@code r}: that of its last page, or 0 without pages. */
  @Override
  public long chainRoot(int r) {
    return pages(r) == 0 ? 0 : root[pages[start[r + 1] - 1]];
  }

  /** The first requests of the trace. */
  public ModelTrace first(int requests) {
    Builder builder = new Builder(name, pageTokens);
    for (int r = 0; r < Math.min(requests, requests()); r++) {
      long[] ids = new long[pages(r)];
      for (int i = 0; i < ids.length; i++) {
        ids[i] = id[page(r, i)];
      }
      builder.add(arrivalNanos[r], inputTokens[r], outputTokens[r], ids);
    }
    return builder.build();
  }

  /** The finalizer of SplitMix64. */
  static long mix(long value) {
    long mixed = value + 0x9e37_79b9_7f4a_7c15L;
    mixed = (mixed ^ (mixed >>> 30)) * 0xbf58_476d_1ce4_e5b9L;
    mixed = (mixed ^ (mixed >>> 27)) * 0x94d0_49bb_1331_11ebL;
    return mixed ^ (mixed >>> 31);
  }

  /** Gathers requests. One thread. */
  public static final class Builder {
    private final String name;
    private final int pageTokens;
    private final LongIndex index = new LongIndex();
    private int requests;
    private long[] arrivalNanos = new long[1024];
    private int[] inputTokens = new int[1024];
    private int[] outputTokens = new int[1024];
    private int[] start = new int[1025];
    private int[] pages = new int[1 << 14];
    private long[] id = new long[1 << 14];
    private int[] parent = new int[1 << 14];
    private int[] depth = new int[1 << 14];
    private int[] known = new int[1 << 14];
    private long[] root = new long[1 << 14];

    /**
     * An empty trace.
     *
     * @param pageTokens tokens of a page
     */
    public Builder(String name, int pageTokens) {
      this.name = name;
      this.pageTokens = pageTokens;
    }

    /**
     * Adds a request.
     *
     * @param atNanos not before the request added last
     * @param ids identities of its pages, chained by prefix: equal ids mean equal prompts up to the
     *     end of the page
     */
    public Builder add(long atNanos, int input, int output, long[] ids) {
      if (requests > 0 && atNanos < arrivalNanos[requests - 1]) {
        throw new IllegalArgumentException(
            "request [" + requests + "] arrives before the one before it");
      }
      if (requests == arrivalNanos.length) {
        arrivalNanos = Arrays.copyOf(arrivalNanos, requests * 2);
        inputTokens = Arrays.copyOf(inputTokens, requests * 2);
        outputTokens = Arrays.copyOf(outputTokens, requests * 2);
        start = Arrays.copyOf(start, requests * 2 + 1);
      }
      int from = start[requests];
      while (from + ids.length > pages.length) {
        pages = Arrays.copyOf(pages, pages.length * 2);
      }
      int before = NONE;
      for (int i = 0; i < ids.length; i++) {
        int page = page(ids[i], before, i);
        pages[from + i] = page;
        before = page;
      }
      arrivalNanos[requests] = atNanos;
      inputTokens[requests] = input;
      outputTokens[requests] = output;
      start[++requests] = from + ids.length;
      return this;
    }

    private int page(long pageId, int before, int place) {
      int page = index.add(pageId);
      if (page == id.length) {
        id = Arrays.copyOf(id, page * 2);
        parent = Arrays.copyOf(parent, page * 2);
        depth = Arrays.copyOf(depth, page * 2);
        known = Arrays.copyOf(known, page * 2);
        root = Arrays.copyOf(root, page * 2);
      }
      if (!index.wasThere()) {
        id[page] = pageId;
        parent[page] = before;
        depth[page] = place;
        boolean inherits = before != NONE && known[before] < COMMON_CHILDREN;
        root[page] = inherits ? root[before] : pageId;
        if (before != NONE) {
          known[before]++;
        }
      } else if (parent[page] != before) {
        throw new IllegalArgumentException(
            "page [" + pageId + "] follows two different pages: its ids are not chained");
      }
      return page;
    }

    /** The trace. */
    public ModelTrace build() {
      return new ModelTrace(this);
    }
  }

  /** Numbers for longs, in the order of first appearance; open addressing. */
  private static final class LongIndex {
    private long[] keys = new long[1 << 15];
    private int[] values = new int[1 << 15];
    private int size;
    private boolean wasThere;

    int size() {
      return size;
    }

    boolean wasThere() {
      return wasThere;
    }

    int add(long key) {
      if (size * 2 > keys.length) {
        grow();
      }
      int slot = slot(key);
      wasThere = values[slot] != 0;
      if (!wasThere) {
        keys[slot] = key;
        values[slot] = ++size;
      }
      return values[slot] - 1;
    }

    private int slot(long key) {
      int mask = keys.length - 1;
      int slot = (int) mix(key) & mask;
      while (values[slot] != 0 && keys[slot] != key) {
        slot = (slot + 1) & mask;
      }
      return slot;
    }

    private void grow() {
      long[] oldKeys = keys;
      int[] oldValues = values;
      keys = new long[oldKeys.length * 2];
      values = new int[oldKeys.length * 2];
      for (int i = 0; i < oldKeys.length; i++) {
        if (oldValues[i] != 0) {
          int slot = slot(oldKeys[i]);
          keys[slot] = oldKeys[i];
          values[slot] = oldValues[i];
        }
      }
    }
  }
}
