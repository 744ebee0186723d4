package io.orbitkv.cuda;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * A copy in two dimensions: rows of equal length, at equal distances on each side. Lives in native
 * memory, as the driver's {@code CUDA_MEMCPY2D}, and is filled again and again. One thread.
 */
public final class RowCopy {
  /** Longest distance of two rows that every device accepts. */
  private static final long MAX_PITCH = Integer.MAX_VALUE;

  private static final int BYTES = 128;

  /** The address says which memory it is. */
  private static final int MEMORY_UNIFIED = 4;

  // Of each side: x and y in bytes and rows, kind of memory, host pointer, device pointer, array,
  // pitch. The source comes first.
  private static final long SOURCE_KIND = 16;
  private static final long SOURCE_DEVICE = 32;
  private static final long SOURCE_PITCH = 48;
  private static final long TARGET_KIND = 72;
  private static final long TARGET_DEVICE = 88;
  private static final long TARGET_PITCH = 104;
  private static final long WIDTH = 112;
  private static final long HEIGHT = 120;

  private final MemorySegment copy;

  /**
   * @param arena that it lives in
   */
  public RowCopy(Arena arena) {
    copy = arena.allocate(BYTES, Long.BYTES);
    copy.set(ValueLayout.JAVA_INT, SOURCE_KIND, MEMORY_UNIFIED);
    copy.set(ValueLayout.JAVA_INT, TARGET_KIND, MEMORY_UNIFIED);
  }

  /** Whether rows of some bytes may begin at a distance from each other. */
  public static boolean isPitch(long pitch, long rowBytes) {
    return pitch >= rowBytes && pitch <= MAX_PITCH;
  }

  /**
   * Says what is copied. Each side must lie in one allocation, or in one registered range.
   *
   * @param target address of the first row's first byte
   * @param targetPitch bytes from one row's beginning to the next's
   * @param source likewise
   * @param sourcePitch likewise
   * @param rowBytes of each row
   * @param rowCount number of rows
   */
  public void set(
      long target, long targetPitch, long source, long sourcePitch, long rowBytes, int rowCount) {
    copy.set(ValueLayout.JAVA_LONG, TARGET_DEVICE, target);
    copy.set(ValueLayout.JAVA_LONG, TARGET_PITCH, targetPitch);
    copy.set(ValueLayout.JAVA_LONG, SOURCE_DEVICE, source);
    copy.set(ValueLayout.JAVA_LONG, SOURCE_PITCH, sourcePitch);
    copy.set(ValueLayout.JAVA_LONG, WIDTH, rowBytes);
    copy.set(ValueLayout.JAVA_LONG, HEIGHT, rowCount);
  }

  /** Address of a row at the target. */
  public long target(int row) {
    return copy.get(ValueLayout.JAVA_LONG, TARGET_DEVICE)
        + row * copy.get(ValueLayout.JAVA_LONG, TARGET_PITCH);
  }

  /** Address of a row at the source. */
  public long source(int row) {
    return copy.get(ValueLayout.JAVA_LONG, SOURCE_DEVICE)
        + row * copy.get(ValueLayout.JAVA_LONG, SOURCE_PITCH);
  }

  /** Bytes of a row. */
  public long rowBytes() {
    return copy.get(ValueLayout.JAVA_LONG, WIDTH);
  }

  /** Number of rows. */
  public int rows() {
    return (int) copy.get(ValueLayout.JAVA_LONG, HEIGHT);
  }

  long address() {
    return copy.address();
  }
}
