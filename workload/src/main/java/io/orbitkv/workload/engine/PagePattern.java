package io.orbitkv.workload.engine;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

/**
 * The bytes of a page as a function of its key and the position in the page. Word {@code i} of the
 * page (counted over layers, then K and V) is a mix of the key and {@code i}, so another page's
 * bytes, an older page's, a shifted or a torn copy each differ in almost every byte that is not
 * where it belongs.
 *
 * <p>Stateless. The caller owns the page for the time of a call; different pages may be worked on
 * by different threads.
 */
public final class PagePattern {
  private static final ValueLayout.OfLong WORD =
      ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
  private static final long STEP = 0x9e37_79b9_7f4a_7c15L;

  /** What destinations are filled with before a restore, so that bytes that never come show. */
  private static final byte POISON = (byte) 0xa5;

  private final MemorySegment device;
  private final EngineGeometry geometry;

  /** A pattern over pages of {@code geometry} in {@code device}. */
  public PagePattern(MemorySegment device, EngineGeometry geometry) {
    if (device.byteSize() < geometry.deviceBytes()) {
      throw new IllegalArgumentException(
          "device memory of ["
              + device.byteSize()
              + "] bytes: "
              + geometry.deviceBytes()
              + " needed");
    }
    this.device = device;
    this.geometry = geometry;
  }

  /** Writes the bytes of the page with this key. */
  public void fill(int page, long keyHigh, long keyLow) {
    long seed = seed(keyHigh, keyLow);
    int words = geometry.segmentBytes() / EngineGeometry.WORD_BYTES;
    long index = 0;
    for (int layer = 0; layer < geometry.layers(); layer++) {
      for (int segment = 0; segment < EngineGeometry.SEGMENTS; segment++) {
        MemorySegment target = segment(page, layer, segment);
        for (int word = 0; word < words; word++) {
          target.set(WORD, (long) word * EngineGeometry.WORD_BYTES, word(seed, index + word));
        }
        index += words;
      }
    }
  }

  /** Makes every byte of the page certainly not those of any earlier fill. */
  public void poison(int page) {
    for (int layer = 0; layer < geometry.layers(); layer++) {
      for (int segment = 0; segment < EngineGeometry.SEGMENTS; segment++) {
        segment(page, layer, segment).fill(POISON);
      }
    }
  }

  /** Number of bytes that are not those of the page with this key. */
  public long wrongBytes(int page, long keyHigh, long keyLow) {
    long seed = seed(keyHigh, keyLow);
    int words = geometry.segmentBytes() / EngineGeometry.WORD_BYTES;
    long index = 0;
    long wrong = 0;
    for (int layer = 0; layer < geometry.layers(); layer++) {
      for (int segment = 0; segment < EngineGeometry.SEGMENTS; segment++) {
        MemorySegment source = segment(page, layer, segment);
        long difference = 0;
        for (int word = 0; word < words; word++) {
          difference |=
              source.get(WORD, (long) word * EngineGeometry.WORD_BYTES) ^ word(seed, index + word);
        }
        if (difference != 0) {
          wrong += differingBytes(source, words, seed, index);
        }
        index += words;
      }
    }
    return wrong;
  }

  private static long differingBytes(MemorySegment source, int words, long seed, long index) {
    long wrong = 0;
    for (int word = 0; word < words; word++) {
      long difference =
          source.get(WORD, (long) word * EngineGeometry.WORD_BYTES) ^ word(seed, index + word);
      for (; difference != 0; difference >>>= Byte.SIZE) {
        wrong += (difference & 0xff) != 0 ? 1 : 0;
      }
    }
    return wrong;
  }

  private MemorySegment segment(int page, int layer, int segment) {
    return device.asSlice(geometry.segmentOffset(page, layer, segment), geometry.segmentBytes());
  }

  private static long seed(long keyHigh, long keyLow) {
    return mix(keyHigh + mix(keyLow + STEP));
  }

  private static long word(long seed, long index) {
    return mix(seed + index * STEP);
  }

  private static long mix(long value) {
    long mixed = value;
    mixed = (mixed ^ (mixed >>> 32)) * 0xd6e8_feb8_6659_fd93L;
    mixed = (mixed ^ (mixed >>> 32)) * 0xd6e8_feb8_6659_fd93L;
    return mixed ^ (mixed >>> 32);
  }
}
