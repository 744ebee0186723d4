package io.orbitkv.ssd.device;

import java.util.List;

/**
 * One request to a device. Its buffers belong to the device from {@link StoreDevice#submit} until
 * its one completion. Compared by identity.
 */
public final class Transfer {
  /** What is to be done, most urgent first. */
  public enum Kind {
    /** Fill the spans, for somebody who waits. */
    READ,
    /** Fill the spans, when no {@link #READ} waits. */
    SPECULATIVE_READ,
    /** Write the spans. Has a guaranteed minimum share beside reads. */
    WRITE,
    /** Make every write durable whose completion was told before the submission. */
    SYNC
  }

  private final Kind kind;
  private final long offset;
  private final List<Span> spans;
  private final long bytes;

  /**
   * A request.
   *
   * @param offset in the device, a multiple of the block size; 0 with {@link Kind#SYNC}
   * @param spans contiguous on the device, in this order; empty with {@link Kind#SYNC}
   */
  public Transfer(Kind kind, long offset, List<Span> spans) {
    this.kind = kind;
    this.offset = offset;
    this.spans = List.copyOf(spans);
    long sum = 0;
    for (Span span : this.spans) {
      sum += span.bytes();
    }
    this.bytes = sum;
  }

  /** What is to be done. */
  public Kind kind() {
    return kind;
  }

  /** Where it begins on the device. */
  public long offset() {
    return offset;
  }

  /** The memory, in the order of the device. */
  public List<Span> spans() {
    return spans;
  }

  /** Bytes of all spans. */
  public long bytes() {
    return bytes;
  }
}
