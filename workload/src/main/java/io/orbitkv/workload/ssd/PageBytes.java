package io.orbitkv.workload.ssd;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.util.zip.CRC32C;

/**
 * The bytes of pages as a function of their number, made so that a new page costs one block and not
 * the whole page: a benchmark must not measure its own pattern. Each slot of memory has a body of
 * its own, which stays; the first block carries the number in every sector. What a page must look
 * like is thus known from its number and its body. Stateless, any thread.
 */
final class PageBytes {
  /** Unit of page sizes. */
  static final int BLOCK_BYTES = 4096;

  private static final int SECTOR_BYTES = 512;
  private static final ValueLayout.OfLong WORD =
      ValueLayout.JAVA_LONG.withOrder(ByteOrder.LITTLE_ENDIAN);
  private static final long STEP = 0x9e37_79b9_7f4a_7c15L;
  private static final byte POISON = (byte) 0xa5;

  private final long pageBytes;
  private final CrcShift shift;

  /**
   * @param pageBytes a multiple of {@link #BLOCK_BYTES}
   */
  PageBytes(long pageBytes) {
    if (pageBytes < BLOCK_BYTES || pageBytes % BLOCK_BYTES != 0) {
      throw new IllegalArgumentException(
          "a page of ["
              + pageBytes
              + "] bytes: it must be a positive multiple of "
              + BLOCK_BYTES
              + " bytes");
    }
    this.pageBytes = pageBytes;
    this.shift = new CrcShift(pageBytes - BLOCK_BYTES);
  }

  /** Fills a slot with a body. Returns the checksum of what comes after the first block. */
  int fill(MemorySegment slot, int body) {
    long seed = mix(body + STEP);
    for (long at = 0; at < pageBytes; at += Long.BYTES) {
      slot.set(WORD, at, word(seed, at));
    }
    return checksum(slot, BLOCK_BYTES, pageBytes - BLOCK_BYTES);
  }

  /**
   * Makes a slot that has its body the page with this number.
   *
   * @param bodyChecksum of {@link #fill}
   * @return the checksum of the page
   */
  int stamp(MemorySegment slot, long number, int bodyChecksum) {
    for (long at = 0; at < BLOCK_BYTES; at += SECTOR_BYTES) {
      slot.set(WORD, at, stamp(number, at));
    }
    return shift.join(checksum(slot, 0, BLOCK_BYTES), bodyChecksum);
  }

  /** Makes every byte certainly not those of a page. */
  void poison(MemorySegment slot) {
    slot.asSlice(0, pageBytes).fill(POISON);
  }

  /** Number of bytes that are not those of the page with this number and body. */
  long wrongBytes(MemorySegment slot, long number, int body) {
    long seed = mix(body + STEP);
    long wrong = 0;
    for (long at = 0; at < pageBytes; at += Long.BYTES) {
      boolean stamped = at < BLOCK_BYTES && at % SECTOR_BYTES == 0;
      long difference = slot.get(WORD, at) ^ (stamped ? stamp(number, at) : word(seed, at));
      for (; difference != 0; difference >>>= Byte.SIZE) {
        wrong += (difference & 0xff) == 0 ? 0 : 1;
      }
    }
    return wrong;
  }

  private static int checksum(MemorySegment slot, long from, long bytes) {
    CRC32C sum = new CRC32C();
    sum.update(slot.asSlice(from, bytes).asByteBuffer());
    return (int) sum.getValue();
  }

  private static long word(long seed, long at) {
    return mix(seed + at * STEP);
  }

  private static long stamp(long number, long at) {
    return mix(mix(number) + at);
  }

  static long mix(long value) {
    long mixed = value;
    mixed = (mixed ^ (mixed >>> 32)) * 0xd6e8_feb8_6659_fd93L;
    mixed = (mixed ^ (mixed >>> 32)) * 0xd6e8_feb8_6659_fd93L;
    return mixed ^ (mixed >>> 32);
  }
}
