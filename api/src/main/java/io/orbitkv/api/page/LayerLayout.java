package io.orbitkv.api.page;

/**
 * Where the pages of one layer lie in a worker's device memory. One affine rule addresses every
 * supported tensor: {@code baseOffset + page * pageStride + segment * segmentStride}.
 *
 * @param name the engine's layer name; layers are ordered by it, numbers in it by value, so that
 *     all ranks agree
 * @param group the group that the layer belongs to
 * @param baseOffset offset of page 0 in the device memory, in bytes
 * @param pages number of pages of the layer
 * @param segmentBytes bytes of one segment of one page
 * @param segments 1 (K and V adjacent, or MLA) or 2 (K and V apart)
 * @param segmentStride distance from K to V of one page in bytes; ignored with one segment
 * @param pageStride distance from a page to the next in bytes
 */
public record LayerLayout(
    String name,
    int group,
    long baseOffset,
    int pages,
    int segmentBytes,
    int segments,
    long segmentStride,
    long pageStride) {
  /**
   * Checks that no two pages overlap and that nothing overflows.
   *
   * @throws IllegalArgumentException naming the layer and the offending value
   */
  public LayerLayout {
    require(!name.isEmpty(), name, "name", name);
    require(group >= 0 && group < GroupSpec.MAX_GROUPS, name, "group", group);
    require(baseOffset >= 0, name, "baseOffset", baseOffset);
    require(pages > 0, name, "pages", pages);
    require(segmentBytes > 0, name, "segmentBytes", segmentBytes);
    require(segments == 1 || segments == 2, name, "segments", segments);
    require(pageStride >= segmentBytes, name, "pageStride", pageStride);
    segmentStride = segments == 1 ? 0 : segmentStride;
    require(segmentStride >= 0, name, "segmentStride", segmentStride);
    long lastPage;
    try {
      lastPage = Math.multiplyExact((long) pages - 1, pageStride);
      Math.addExact(
          Math.addExact(baseOffset, lastPage), Math.addExact(segmentStride, segmentBytes));
    } catch (ArithmeticException overflow) {
      throw new IllegalArgumentException(
          "layer [" + name + "]: pages times stride overflows 64 bits", overflow);
    }
    if (segments == 2) {
      // K and V either share a page's stride, or all K lie before all V: nothing else is free of
      // overlap.
      boolean inside = segmentStride >= segmentBytes && segmentStride + segmentBytes <= pageStride;
      boolean apart = segmentStride >= lastPage + segmentBytes;
      require(inside || apart, name, "segmentStride", segmentStride);
    }
  }

  /** Bytes of one page of this layer over its segments. */
  public long pageBytes() {
    return (long) segmentBytes * segments;
  }

  /** First byte after the layer in device memory. */
  public long endOffset() {
    return baseOffset + (pages - 1L) * pageStride + segmentStride + segmentBytes;
  }

  /**
   * Offset of a segment in device memory.
   *
   * @param page below {@link #pages()}
   * @param segment below {@link #segments()}
   */
  public long offset(int page, int segment) {
    return baseOffset + page * pageStride + segment * segmentStride;
  }

  private static void require(boolean holds, String name, String field, Object value) {
    if (!holds) {
      throw new IllegalArgumentException(
          "layer [" + name + "]: " + field + " [" + value + "] is not possible");
    }
  }
}
