package io.orbitkv.workload.ssd;

import io.orbitkv.api.backing.StoredKey;
import io.orbitkv.api.page.Namespace;
import io.orbitkv.api.page.PageKey;

/** Keys of numbered pages. */
final class PageNumbers {
  private static final Namespace NAMESPACE = new Namespace("be".repeat(Namespace.HEX_DIGITS / 2));
  private static final int GROUP = 0;

  private PageNumbers() {}

  /** The key of a page; numbers are from 0. */
  static StoredKey key(long number) {
    // The number itself is kept in the key, so that reports name it; the other half spreads.
    return new StoredKey(NAMESPACE, GROUP, new PageKey(PageBytes.mix(number + 1), number + 1));
  }

  /** The number of a page that {@link #key} made, or -1 for another's. */
  static long of(StoredKey key) {
    long number = key.key().low() - 1;
    return key.equals(key(number)) ? number : -1;
  }
}
