package io.orbitkv.ssd.store;

import java.util.Arrays;

/**
 * What the store knows of its pages: nine words a page in arrays that grow by pieces, no object a
 * page. A page is named by a number, which is used again once it is freed.
 */
final class PageTable {
  static final int NONE = -1;

  /** Taken, not reported as stored. */
  static final int WRITING = 1;

  /** Findable. */
  static final int STORED = 2;

  /** Told as lost, but still on the device until its segment's next header is durable. */
  static final int LOST = 3;

  /** A copy of a page that is being moved; not in the index until all copies are durable. */
  static final int COPY = 4;

  private static final int PIECE_BITS = 14;
  private static final int PIECE_PAGES = 1 << PIECE_BITS;
  private static final int WORDS = 9;

  private static final int KEY_HIGH = 0;
  private static final int KEY_LOW = 1;
  private static final int NAMESPACE_GROUP = 2;
  private static final int SEGMENT_BLOCK = 3;
  private static final int BLOCKS_PAYLOAD = 4;
  private static final int LAYOUT_STATE = 5;
  private static final int GENERATION = 6;
  private static final int SCORE = 7;
  private static final int LINKS = 8;

  private static final long LOW = 0xFFFF_FFFFL;
  private static final int STATE_MASK = 0xFF;
  private static final int ERRORS_SHIFT = 8;
  private static final int USED = 1 << 16;

  private long[][] pieces = new long[0][];
  private int firstFree = NONE;
  private int made;

  /** A page with every word 0 and no neighbours. */
  int allocate() {
    int page = firstFree;
    if (page == NONE) {
      page = made++;
      if (page >>> PIECE_BITS == pieces.length) {
        pieces = Arrays.copyOf(pieces, pieces.length + 1);
        pieces[pieces.length - 1] = new long[PIECE_PAGES * WORDS];
      }
    } else {
      firstFree = next(page);
    }
    long[] piece = piece(page);
    int at = at(page, 0);
    Arrays.fill(piece, at, at + WORDS, 0);
    setLinks(page, NONE, NONE);
    return page;
  }

  void free(int page) {
    piece(page)[at(page, LAYOUT_STATE)] = 0;
    piece(page)[at(page, GENERATION)] = 0;
    setLinks(page, NONE, firstFree);
    firstFree = page;
  }

  /** Numbers below it may be in use. */
  int limit() {
    return made;
  }

  void setIdentity(int page, int group, long keyHigh, long keyLow) {
    setLow(page, NAMESPACE_GROUP, group);
    set(page, KEY_HIGH, keyHigh);
    set(page, KEY_LOW, keyLow);
  }

  void setNamespace(int page, int namespace) {
    setHigh(page, NAMESPACE_GROUP, namespace);
  }

  void setShape(int page, int blocks, int payloadBytes, int layout) {
    set(page, BLOCKS_PAYLOAD, (long) blocks << 32 | (payloadBytes & LOW));
    setHigh(page, LAYOUT_STATE, layout);
  }

  void setPlace(int page, int segment, int block) {
    set(page, SEGMENT_BLOCK, (long) segment << 32 | (block & LOW));
  }

  void setGeneration(int page, long generation) {
    set(page, GENERATION, generation);
  }

  void setState(int page, int state) {
    setLow(page, LAYOUT_STATE, (low(page, LAYOUT_STATE) & ~STATE_MASK) | state);
  }

  void setScore(int page, long score) {
    set(page, SCORE, score);
  }

  void setUsed(int page) {
    setLow(page, LAYOUT_STATE, low(page, LAYOUT_STATE) | USED);
  }

  /** Counts a failed read and returns how many there were. */
  int countError(int page) {
    int word = low(page, LAYOUT_STATE);
    int errors = Math.min(0xFF, (word >>> ERRORS_SHIFT & 0xFF) + 1);
    setLow(page, LAYOUT_STATE, (word & ~(0xFF << ERRORS_SHIFT)) | errors << ERRORS_SHIFT);
    return errors;
  }

  long keyHigh(int page) {
    return get(page, KEY_HIGH);
  }

  long keyLow(int page) {
    return get(page, KEY_LOW);
  }

  int namespace(int page) {
    return high(page, NAMESPACE_GROUP);
  }

  int group(int page) {
    return low(page, NAMESPACE_GROUP);
  }

  int segment(int page) {
    return high(page, SEGMENT_BLOCK);
  }

  int block(int page) {
    return low(page, SEGMENT_BLOCK);
  }

  int blocks(int page) {
    return high(page, BLOCKS_PAYLOAD);
  }

  int payloadBytes(int page) {
    return low(page, BLOCKS_PAYLOAD);
  }

  int layout(int page) {
    return high(page, LAYOUT_STATE);
  }

  /** 0 for one that is free. */
  int state(int page) {
    return low(page, LAYOUT_STATE) & STATE_MASK;
  }

  boolean isUsed(int page) {
    return (low(page, LAYOUT_STATE) & USED) != 0;
  }

  long generation(int page) {
    return get(page, GENERATION);
  }

  long score(int page) {
    return get(page, SCORE);
  }

  boolean is(int page, int namespace, int group, long keyHigh, long keyLow) {
    return keyHigh(page) == keyHigh
        && keyLow(page) == keyLow
        && namespace(page) == namespace
        && group(page) == group;
  }

  int previous(int page) {
    return high(page, LINKS);
  }

  int next(int page) {
    return low(page, LINKS);
  }

  void setLinks(int page, int previous, int next) {
    set(page, LINKS, (long) previous << 32 | (next & LOW));
  }

  void setPrevious(int page, int previous) {
    setHigh(page, LINKS, previous);
  }

  void setNext(int page, int next) {
    setLow(page, LINKS, next);
  }

  private long[] piece(int page) {
    return pieces[page >>> PIECE_BITS];
  }

  private static int at(int page, int word) {
    return (page & PIECE_PAGES - 1) * WORDS + word;
  }

  private long get(int page, int word) {
    return piece(page)[at(page, word)];
  }

  private void set(int page, int word, long value) {
    piece(page)[at(page, word)] = value;
  }

  private int high(int page, int word) {
    return (int) (get(page, word) >>> 32);
  }

  private int low(int page, int word) {
    return (int) get(page, word);
  }

  private void setHigh(int page, int word, int value) {
    set(page, word, (long) value << 32 | (get(page, word) & LOW));
  }

  private void setLow(int page, int word, int value) {
    set(page, word, (get(page, word) & ~LOW) | (value & LOW));
  }
}
