package io.orbitkv.kernel.residency;

import io.orbitkv.api.policy.Facts;
import io.orbitkv.api.policy.PageBatch.Origin;
import java.util.Arrays;

/**
 * What a policy sees of stored pages, in columns that move with the entries of {@link StoredPages}:
 * 32 bytes an entry, only while a policy is asked. Dispatcher.
 *
 * <p>The four words of an entry:
 *
 * <pre>
 *   0  monotonic time of the last foreground use
 *   1  the policy's mark
 *   2  identity of the page before it
 *   3  uses (24) | pages before it (20) | told (8) | insertion (8) | origin (4)
 * </pre>
 */
final class StoredFacts {
  private static final int WORDS = 4;
  private static final int MOST_USES = (1 << 24) - 1;
  private static final int MOST_DEPTH = (1 << 20) - 1;
  private static final int LAST_GENERATION = 0xFF;
  private static final Origin[] ORIGINS = Origin.values();

  private final StoredPages stored;
  private final long[][] parts;
  private int generation = 1;
  private int lastInsertion;

  StoredFacts(StoredPages stored, int parts) {
    this.stored = stored;
    this.parts = new long[parts][];
  }

  /** Another policy: what the former one was told and has marked is void. */
  void begin() {
    if (generation == LAST_GENERATION) {
      for (long[] part : parts) {
        for (int at = 3; part != null && at < part.length; at += WORDS) {
          part[at] &= ~0xFF000L;
        }
      }
      generation = 0;
    }
    generation++;
  }

  // ---- with the entries ------------------------------------------------------------------------

  /** The entry of a page that the policy has not heard of. */
  @SuppressWarnings("EnumOrdinal") // Four bits of a word, never stored beyond the process.
  void set(int part, int entry, Origin origin, long lastUseNanos, int depth, long parentId) {
    long[] words = words(part);
    int at = entry * WORDS;
    words[at] = lastUseNanos;
    words[at + 1] = 0;
    words[at + 2] = parentId;
    lastInsertion = (lastInsertion + 1) & 0xFF;
    words[at + 3] =
        (long) Math.min(depth, MOST_DEPTH) << 20 | (long) lastInsertion << 4 | origin.ordinal();
  }

  /** An entry takes another place in its part. */
  void move(int part, int from, int to) {
    long[] words = words(part);
    System.arraycopy(words, from * WORDS, words, to * WORDS, WORDS);
  }

  /** A part is about to be made anew: what it was, for {@link #put}. */
  long[] leave(int part) {
    return words(part);
  }

  /** An empty part of so many entries. */
  void renew(int part, int entries) {
    parts[part] = empty(entries);
  }

  /** An entry of a part that was made anew. */
  void put(int part, int entry, long[] former, int formerEntry) {
    System.arraycopy(former, formerEntry * WORDS, words(part), entry * WORDS, WORDS);
  }

  /** Nothing is stored any more. */
  void clear() {
    Arrays.fill(parts, null);
  }

  // ---- the facts -------------------------------------------------------------------------------

  void used(int part, int entry, long nowNanos) {
    long[] words = words(part);
    int at = entry * WORDS;
    words[at] = nowNanos;
    if (uses(part, entry) < MOST_USES) {
      words[at + 3] += 1L << 40;
    }
  }

  long lastUseNanos(int part, int entry) {
    return words(part)[entry * WORDS];
  }

  long mark(int part, int entry) {
    return isTold(part, entry) ? words(part)[entry * WORDS + 1] : 0;
  }

  void setMark(int part, int entry, long mark) {
    words(part)[entry * WORDS + 1] = mark;
  }

  long parentId(int part, int entry) {
    return words(part)[entry * WORDS + 2];
  }

  long uses(int part, int entry) {
    return last(part, entry) >>> 40;
  }

  int depth(int part, int entry) {
    return (int) (last(part, entry) >>> 20) & MOST_DEPTH;
  }

  boolean isTold(int part, int entry) {
    return ((int) (last(part, entry) >>> 12) & 0xFF) == generation;
  }

  /** The policy hears of the page now. */
  void tell(int part, int entry) {
    long[] words = words(part);
    int at = entry * WORDS;
    words[at + 1] = 0;
    words[at + 3] = (words[at + 3] & ~0xFF000L) | (long) generation << 12;
  }

  /** Tells a page from what had its key before. */
  int insertion(int part, int entry) {
    return (int) (last(part, entry) >>> 4) & 0xFF;
  }

  Origin origin(int part, int entry) {
    return ORIGINS[(int) last(part, entry) & 0xF];
  }

  private long last(int part, int entry) {
    return words(part)[entry * WORDS + 3];
  }

  private long[] words(int part) {
    long[] words = parts[part];
    if (words == null) {
      words = empty(stored.entries(part));
      parts[part] = words;
    }
    return words;
  }

  /** Of pages that came when nobody asked nothing is known. */
  @SuppressWarnings("EnumOrdinal")
  private static long[] empty(int entries) {
    long[] words = new long[entries * WORDS];
    for (int at = 0; at < words.length; at += WORDS) {
      words[at] = Facts.UNKNOWN;
      words[at + 2] = Facts.UNKNOWN;
      words[at + 3] = Origin.RECOVERED.ordinal();
    }
    return words;
  }
}
