package io.orbitkv.kernel.budget;

/** What one instance generation has reserved. */
public final class Account {
  long reservedBytes;
  long speculativeBytes;

  /** All bytes. */
  public long reservedBytes() {
    return reservedBytes;
  }

  /** Of them speculative. */
  public long speculativeBytes() {
    return speculativeBytes;
  }
}
