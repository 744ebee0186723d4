package io.orbitkv.workload.trace;

import io.orbitkv.api.page.PageKey;

/**
 * The keys of the complete pages of a prompt. A block id stands for several pages, or a page for
 * several blocks, as the two sizes have it; the key of a page mixes the key of the page before it,
 * the ids of its blocks and its place in the block, so equal keys mean equal prefixes, as with an
 * engine's chained hashes. Tokens after the last complete page have no key.
 */
public final class PageKeys {
  /** Longs of one key in a run of keys. */
  public static final int LONGS = 2;

  private static final long HIGH_START = 0x6f72_6269_746b_7631L;
  private static final long LOW_START = 0x7061_6765_6b65_7973L;
  private static final long HIGH_STEP = 0x9e37_79b9_7f4a_7c15L;
  private static final long LOW_STEP = 0xd1b5_4a32_d192_ed03L;

  private PageKeys() {}

  /**
   * Checks a page size for blocks of {@link TraceRequest#BLOCK_TOKENS}.
   *
   * @throws IllegalArgumentException when a block is not a whole number of such pages
   */
  public static void requirePageTokens(int pageTokens) {
    if (pageTokens < 1 || TraceRequest.BLOCK_TOKENS % pageTokens != 0) {
      throw new IllegalArgumentException(
          "page of ["
              + pageTokens
              + "] tokens: must divide the trace's block of "
              + TraceRequest.BLOCK_TOKENS
              + " tokens, such as 16, 32 or 64");
    }
  }

  /** Complete pages of the prompt. */
  public static int count(TraceRequest request, int pageTokens) {
    return request.inputTokens() / pageTokens;
  }

  /**
   * The keys, each as (high, low).
   *
   * @throws IllegalArgumentException when neither a block is a whole number of pages nor a page a
   *     whole number of blocks
   */
  public static long[] of(TraceRequest request, int pageTokens) {
    int blockTokens = request.blockTokens();
    if (pageTokens < 1 || (blockTokens % pageTokens != 0 && pageTokens % blockTokens != 0)) {
      throw new IllegalArgumentException(
          "page of ["
              + pageTokens
              + "] tokens: must divide the trace's block of "
              + blockTokens
              + " tokens, or be a multiple of it");
    }
    int pagesOfBlock = Math.max(1, blockTokens / pageTokens);
    int blocksOfPage = Math.max(1, pageTokens / blockTokens);
    int pages = count(request, pageTokens);
    long[] keys = new long[pages * LONGS];
    long high = HIGH_START;
    long low = LOW_START;
    for (int page = 0; page < pages; page++) {
      long place = page % pagesOfBlock;
      for (int i = 0; i < blocksOfPage; i++) {
        long block = request.blockIds()[page * blocksOfPage / pagesOfBlock + i];
        high = mix(high + mix(block * HIGH_STEP + place));
        low = mix(low ^ mix(block + (place + 1) * LOW_STEP));
      }
      // The one key that is not legal; a chance of one in 2^128.
      keys[page * LONGS] = high == 0 && low == 0 ? 1 : high;
      keys[page * LONGS + 1] = low;
    }
    return keys;
  }

  /** Key number {@code page} of a run. */
  public static PageKey at(long[] keys, int page) {
    return new PageKey(keys[page * LONGS], keys[page * LONGS + 1]);
  }

  /** The finalizer of SplitMix64: each bit of the argument reaches each bit of the result. */
  static long mix(long value) {
    long mixed = value;
    mixed = (mixed ^ (mixed >>> 30)) * 0xbf58_476d_1ce4_e5b9L;
    mixed = (mixed ^ (mixed >>> 27)) * 0x94d0_49bb_1331_11ebL;
    return mixed ^ (mixed >>> 31);
  }
}
