package io.orbitkv.testkit.policy;

import io.orbitkv.api.policy.Admission;
import io.orbitkv.api.policy.ChainFacts;
import io.orbitkv.api.policy.Facts;
import io.orbitkv.api.policy.TierKind;

/**
 * A chain that is put to a policy: one page of 1 MiB on a device, never used, until said otherwise.
 * Test thread.
 */
public final class ChainTrial {
  private static final double GOLDEN = 0.618_033_988_749_894_9;

  private final PolicyTester tester;
  private final long id;
  private long parent = Facts.UNKNOWN;
  private int depth;
  private int pages = 1;
  private int children;
  private long pageBytes = 1 << 20;
  private TierKind tier = TierKind.DEVICE;
  private long lastUseNanos = Facts.UNKNOWN;
  private long uses;
  private double unitHash;

  ChainTrial(PolicyTester tester, long id) {
    this.tester = tester;
    this.id = id;
    // Spread evenly over the ids that tests use, and the same for equal ids.
    double turns = (id % 1_000_003) * GOLDEN;
    this.unitHash = turns - Math.floor(turns);
  }

  /** The chain that it continues, and how many pages are before it. */
  public ChainTrial after(long parentId, int pagesBefore) {
    parent = parentId;
    depth = pagesBefore;
    return this;
  }

  /** Its pages. */
  public ChainTrial pages(int value) {
    pages = value;
    return this;
  }

  /** Chains that continue it. */
  public ChainTrial children(int value) {
    children = value;
    return this;
  }

  /** Bytes of each page. */
  public ChainTrial pageBytes(long value) {
    pageBytes = value;
    return this;
  }

  /** Where it is. */
  public ChainTrial in(TierKind value) {
    tier = value;
    return this;
  }

  /** Foreground uses so far, the last of them now. */
  public ChainTrial used(long times) {
    uses = times;
    lastUseNanos = tester.context().nanoTime();
    return this;
  }

  /** The draw that is the same for equal chains, in [0, 1). */
  public ChainTrial unitHash(double value) {
    unitHash = value;
    return this;
  }

  /** As a policy sees it. */
  public ChainFacts facts() {
    return new ChainFacts(
        id,
        parent,
        depth,
        pages,
        children,
        Math.multiplyExact(pages, pageBytes),
        tier,
        lastUseNanos,
        uses,
        unitHash);
  }

  /** Asks whether it may enter host memory. */
  public Admission admitToMemory() {
    return tester.admit(facts(), tester.memory());
  }

  /** Asks whether it may enter the backing tier. */
  public Admission admitToStore() {
    return tester.admit(facts(), tester.store());
  }
}
