package io.orbitkv.testkit.policy;

import io.orbitkv.api.policy.Facts;
import io.orbitkv.api.policy.TierFacts;
import io.orbitkv.api.policy.TierKind;

/** A tier of a test: everything but its capacity is unknown until said. Test thread. */
public final class TestTier {
  private final TierKind kind;
  private long capacityBytes = 1L << 40;
  private long freeBytes = Facts.UNKNOWN;
  private long queuedBytes = Facts.UNKNOWN;
  private long readBytesPerSecond = Facts.UNKNOWN;
  private long writeBytesPerSecond = Facts.UNKNOWN;
  private long readLatencyNanos = Facts.UNKNOWN;
  private long writeBudgetLeft = Facts.UNKNOWN;

  private TestTier(TierKind kind) {
    this.kind = kind;
  }

  /** A tier of 1 TiB. */
  public static TestTier of(TierKind kind) {
    return new TestTier(kind);
  }

  /** Its size. */
  public TestTier capacityBytes(long value) {
    capacityBytes = value;
    return this;
  }

  /** What is free of it. */
  public TestTier freeBytes(long value) {
    freeBytes = value;
    return this;
  }

  /** Submitted and not done. */
  public TestTier queuedBytes(long value) {
    queuedBytes = value;
    return this;
  }

  /** Measured rate of reads. */
  public TestTier readBytesPerSecond(long value) {
    readBytesPerSecond = value;
    return this;
  }

  /** Measured rate of writes. */
  public TestTier writeBytesPerSecond(long value) {
    writeBytesPerSecond = value;
    return this;
  }

  /** Measured latency of a read. */
  public TestTier readLatencyNanos(long value) {
    readLatencyNanos = value;
    return this;
  }

  /** What may be written now. */
  public TestTier writeBudgetLeft(long value) {
    writeBudgetLeft = value;
    return this;
  }

  /** As a policy sees it. */
  public TierFacts facts() {
    return new TierFacts(
        kind,
        capacityBytes,
        freeBytes,
        queuedBytes,
        readBytesPerSecond,
        writeBytesPerSecond,
        readLatencyNanos,
        writeBudgetLeft);
  }
}
