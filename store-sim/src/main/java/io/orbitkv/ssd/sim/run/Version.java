package io.orbitkv.ssd.sim.run;

import java.util.SplittableRandom;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * One content that a page was given to the store with. Real pages have the same bytes whenever they
 * are computed; here they differ, so that it shows which copy was read.
 */
final class Version {
  final int number;
  private final long seed;
  private final int bytes;
  private final byte @Nullable [] hostile;

  /** The store said that it has it. */
  boolean reported;

  /** A flush that began after its report has ended well. */
  boolean flushed;

  /** The store was told to forget it, or has told that it did: it need not be there. */
  boolean forgiven;

  /** Its bytes were seen or promised to be whole: it cannot turn out corrupt. */
  boolean proven;

  Version(int number, long seed, int bytes, byte @Nullable [] hostile) {
    this.number = number;
    this.seed = seed;
    this.bytes = bytes;
    this.hostile = hostile;
  }

  /** All of it. */
  byte[] content() {
    if (hostile != null) {
      return hostile.clone();
    }
    byte[] content = new byte[bytes];
    new SplittableRandom(seed).nextBytes(content);
    return content;
  }

  boolean isHostile() {
    return hostile != null;
  }

  static int checksum(byte[] content) {
    CRC32C crc = new CRC32C();
    crc.update(content);
    return (int) crc.getValue();
  }
}
