package io.orbitkv.cli;

import io.orbitkv.manager.config.HostFacts;

/** Sizes for commands that bring a Manager of their own. */
final class Memory {
  /** Of the memory limit, what pages may take unless the user says otherwise. */
  private static final int SHARE = 8;

  private Memory() {}

  /** {@code wanted}, or a share of the machine's limit where that is less. In whole MiB. */
  static long poolBytes(long wanted) {
    long limit = HostFacts.detect().memoryLimitBytes();
    long share = limit <= 0 ? wanted : limit / SHARE;
    return Math.min(wanted, share >> 20 << 20);
  }
}
