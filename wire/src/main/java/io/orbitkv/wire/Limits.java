package io.orbitkv.wire;

/**
 * What one side accepts.
 *
 * @param maxFrameBytes largest frame, header included
 * @param maxPages most pages in one query, restore, publish or queue report
 */
public record Limits(int maxFrameBytes, int maxPages) {
  /** The limits without configuration. */
  public static final Limits DEFAULT =
      new Limits(Protocol.DEFAULT_MAX_FRAME_BYTES, Protocol.DEFAULT_MAX_PAGES);

  /**
   * @throws IllegalArgumentException when a limit cannot work
   */
  public Limits {
    if (maxFrameBytes < Protocol.HEADER_BYTES) {
      throw new IllegalArgumentException(
          "frames of at most [" + maxFrameBytes + "] bytes do not hold the header");
    }
    if (maxPages < 1) {
      throw new IllegalArgumentException("at most [" + maxPages + "] pages: must be positive");
    }
  }
}
