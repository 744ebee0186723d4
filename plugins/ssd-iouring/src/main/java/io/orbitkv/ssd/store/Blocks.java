package io.orbitkv.ssd.store;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.util.zip.CRC32C;

/**
 * Blocks of the format: little-endian, the last four bytes are a scrambled CRC-32C of all before
 * them. Scrambled, because a checksum is linear: with the plain one at its end every block would
 * leave the same remainder, so that the checksum of a page which contains such a block could not
 * tell it from another one.
 */
final class Blocks {
  static final ValueLayout.OfInt INT =
      ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
  static final ValueLayout.OfLong LONG =
      ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

  private Blocks() {}

  /** A magic number that reads as eight letters in the file. */
  static long magic(String letters) {
    long magic = 0;
    for (int i = Long.BYTES - 1; i >= 0; i--) {
      magic = magic << Byte.SIZE | letters.charAt(i);
    }
    return magic;
  }

  static void clear(MemorySegment memory, long at, int bytes) {
    memory.asSlice(at, bytes).fill((byte) 0);
  }

  static void seal(MemorySegment memory, long at, int bytes) {
    memory.set(INT, at + bytes - Integer.BYTES, seal(crc(memory, at, bytes - Integer.BYTES)));
  }

  private static int seal(int crc) {
    int seal = crc ^ crc >>> 16;
    seal *= 0x7feb352d;
    seal ^= seal >>> 15;
    seal *= 0x846ca68b;
    return seal ^ seal >>> 16;
  }

  static boolean isSealed(MemorySegment memory, long at, int bytes) {
    return memory.get(INT, at + bytes - Integer.BYTES)
        == seal(crc(memory, at, bytes - Integer.BYTES));
  }

  static boolean isZero(MemorySegment memory, long at, long bytes) {
    for (long i = 0; i < bytes; i += Long.BYTES) {
      if (memory.get(LONG, at + i) != 0) {
        return false;
      }
    }
    return true;
  }

  static int crc(MemorySegment memory, long at, long bytes) {
    CRC32C crc = new CRC32C();
    crc.update(memory.asSlice(at, bytes).asByteBuffer());
    return (int) crc.getValue();
  }

  static long roundUp(long bytes, long unit) {
    return Math.ceilDiv(bytes, unit) * unit;
  }
}
