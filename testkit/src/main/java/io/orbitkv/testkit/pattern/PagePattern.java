package io.orbitkv.testkit.pattern;

import io.orbitkv.api.page.PageKey;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

/**
 * The bytes of one page on one rank, as a function of its key, its position in the chain and the
 * rank: whoever copies a page can be checked without keeping what was copied.
 *
 * <p>The seed is a 64-bit mix of the identity. Word {@code i} (8 bytes, little-endian) is {@code
 * seed + i * STEP} with an odd step, and a tail of less than 8 bytes is the beginning of the next
 * word. An addition a word keeps filling and checking at memory speed, and every fault shows: a
 * wrong or stale page has another seed (equal only with chance 2^-64), a page that is shifted,
 * swapped in parts or torn has a wrong word at the place, a page that was never written is zero.
 *
 * <p>A value; the segments belong to the caller. Any thread.
 *
 * @param key the page
 * @param position of the page in its chain, from 0
 * @param rank the rank whose part it is
 */
public record PagePattern(PageKey key, long position, int rank) {
  /** The odd number nearest to 2^64 divided by the golden ratio: steps spread over all bits. */
  private static final long STEP = 0x9E3779B97F4A7C15L;

  /** {@code STEP * STEP_INVERSE == 1} in 64 bits. */
  private static final long STEP_INVERSE = inverse(STEP);

  private static final ValueLayout.OfLong WORD =
      ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

  /** Answer of {@link #firstMismatch} when every byte is right. */
  public static final long NO_MISMATCH = -1;

  /** Writes the page's bytes over the whole segment. */
  public void fill(MemorySegment run) {
    fill(run, 0);
  }

  /**
   * Writes a part of the page.
   *
   * @param part takes as many bytes as it has
   * @param pageOffset offset of the part in the page, in bytes, not negative
   */
  public void fill(MemorySegment part, long pageOffset) {
    long bytes = part.byteSize();
    long offset = 0;
    if (pageOffset % Long.BYTES == 0) {
      long word = word(pageOffset / Long.BYTES);
      for (; offset + Long.BYTES <= bytes; offset += Long.BYTES) {
        part.set(WORD, offset, word);
        word += STEP;
      }
    }
    for (; offset < bytes; offset++) {
      part.set(ValueLayout.JAVA_BYTE, offset, byteAt(pageOffset + offset));
    }
  }

  /**
   * Offset of the first wrong byte of a page, or {@link #NO_MISMATCH}.
   *
   * @param run the whole page's payload
   */
  public long firstMismatch(MemorySegment run) {
    return firstMismatch(run, 0);
  }

  /**
   * Offset in {@code part} of its first wrong byte, or {@link #NO_MISMATCH}.
   *
   * @param pageOffset offset of the part in the page, in bytes, not negative
   */
  public long firstMismatch(MemorySegment part, long pageOffset) {
    long bytes = part.byteSize();
    long offset = 0;
    if (pageOffset % Long.BYTES == 0) {
      long word = word(pageOffset / Long.BYTES);
      for (; offset + Long.BYTES <= bytes; offset += Long.BYTES) {
        long difference = part.get(WORD, offset) ^ word;
        if (difference != 0) {
          return offset + Long.numberOfTrailingZeros(difference) / Byte.SIZE;
        }
        word += STEP;
      }
    }
    for (; offset < bytes; offset++) {
      if (part.get(ValueLayout.JAVA_BYTE, offset) != byteAt(pageOffset + offset)) {
        return offset;
      }
    }
    return NO_MISMATCH;
  }

  /**
   * Checks a whole page.
   *
   * @throws AssertionError saying which page, where the first wrong byte is, and what the bytes
   *     look like
   */
  public void verify(MemorySegment run) {
    long mismatch = firstMismatch(run);
    if (mismatch != NO_MISMATCH) {
      throw new AssertionError(
          "page "
              + this
              + " is wrong from byte ["
              + mismatch
              + "] of ["
              + run.byteSize()
              + "] on: "
              + diagnose(run, mismatch));
    }
  }

  /** A guess at what lies in a page at a wrong byte, in words. */
  private String diagnose(MemorySegment run, long mismatch) {
    long index = mismatch / Long.BYTES;
    if ((index + 2) * Long.BYTES > run.byteSize()) {
      return "its last bytes are not those of the page";
    }
    long found = run.get(WORD, index * Long.BYTES);
    long next = run.get(WORD, (index + 1) * Long.BYTES);
    if (found == 0 && next == 0) {
      return "zero, as if it was never written";
    }
    if (next - found != STEP) {
      return "not the bytes of any page";
    }
    // Word j of this page is seed + j * STEP, so a word of it that lies elsewhere tells its j.
    long words = (found - word(index)) * STEP_INVERSE;
    return Math.abs(words) < run.byteSize()
        ? "this page, shifted by " + words + " words of 8 bytes"
        : "the bytes of another page, position or rank";
  }

  private byte byteAt(long pageOffset) {
    return (byte) (word(pageOffset / Long.BYTES) >>> (Byte.SIZE * (pageOffset % Long.BYTES)));
  }

  private long word(long index) {
    return seed() + index * STEP;
  }

  private long seed() {
    long seed = mix(key.high());
    seed = mix(seed ^ key.low());
    seed = mix(seed ^ position);
    return mix(seed ^ rank);
  }

  /** The finaliser of SplitMix64 (Steele, Lea, Flood, 2014), with an offset so that 0 moves. */
  private static long mix(long value) {
    long mixed = value + STEP;
    mixed = (mixed ^ (mixed >>> 30)) * 0xBF58476D1CE4E5B9L;
    mixed = (mixed ^ (mixed >>> 27)) * 0x94D049BB133111EBL;
    return mixed ^ (mixed >>> 31);
  }

  /** Newton's iteration: each round doubles the number of right bits, from three. */
  private static long inverse(long odd) {
    long inverse = odd;
    for (int bits = 3; bits < Long.SIZE; bits *= 2) {
      inverse *= 2 - odd * inverse;
    }
    return inverse;
  }
}
