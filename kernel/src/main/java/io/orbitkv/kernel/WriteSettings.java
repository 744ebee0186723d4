package io.orbitkv.kernel;

/**
 * How sealed pages are written to the backing tier.
 *
 * @param queueBytes bytes of pages that wait to be written; what would exceed it is dropped and
 *     counted. 0: there is no backing tier, nothing is offered for writing
 * @param inFlightBytes bytes of submitted writes; one page may always be submitted
 * @param maxStoredPages stored pages that are remembered: each takes up to 48 bytes of the heap
 */
public record WriteSettings(long queueBytes, long inFlightBytes, int maxStoredPages) {
  /** Nothing is written: there is no backing tier, or it is only read. */
  public static final WriteSettings NONE = new WriteSettings(0, 0, 1 << 20);

  /** With a backing tier. */
  public static final WriteSettings DEFAULT = new WriteSettings(1L << 30, 64L << 20, 1 << 20);

  /**
   * @throws IllegalArgumentException when a limit is negative
   */
  public WriteSettings {
    if (queueBytes < 0 || inFlightBytes < 0) {
      throw new IllegalArgumentException(
          "bytes queued ["
              + queueBytes
              + "] and in flight ["
              + inFlightBytes
              + "] to be written:"
              + " must not be negative");
    }
  }

  /** Whether there is a backing tier. */
  public boolean present() {
    return queueBytes > 0;
  }
}
