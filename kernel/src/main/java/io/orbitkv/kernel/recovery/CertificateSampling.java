package io.orbitkv.kernel.recovery;

/**
 * Says which leases are checked: every n-th, counted, since the kernel knows no chance. A lease
 * that is not checked costs a decrement and no memory. Dispatcher.
 */
public final class CertificateSampling {
  private final int every;
  private int left;

  /**
   * @param every 1 to check each lease, n to check each n-th, 0 to check none
   * @throws IllegalArgumentException when it is negative
   */
  public CertificateSampling(int every) {
    if (every < 0) {
      throw new IllegalArgumentException(
          "certificates every [" + every + "] leases: must be 0 for none, or positive");
    }
    this.every = every;
    this.left = every;
  }

  /** Whether the lease that is about to be offered is checked. Call once for each. */
  public boolean due() {
    if (every == 0 || --left > 0) {
      return false;
    }
    left = every;
    return true;
  }
}
