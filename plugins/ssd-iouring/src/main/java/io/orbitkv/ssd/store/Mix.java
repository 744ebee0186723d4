package io.orbitkv.ssd.store;

import io.orbitkv.api.backing.StoredKey;

/** Hashes that mix every bit (the finaliser of splitmix64). */
final class Mix {
  private Mix() {}

  static long mix(long value) {
    long mixed = (value ^ value >>> 30) * 0xBF58476D1CE4E5B9L;
    mixed = (mixed ^ mixed >>> 27) * 0x94D049BB133111EBL;
    return mixed ^ mixed >>> 31;
  }

  /**
   * The shard of a page. Part of the format: pages that are elsewhere when a store is opened are
   * dropped. By key and group alone, so that it does not depend on how namespaces are numbered.
   */
  static int shard(int group, long keyHigh, long keyLow, int shards) {
    long hash = mix(mix(keyHigh + 0x9E3779B97F4A7C15L) + keyLow + group);
    return (int) Long.remainderUnsigned(hash >>> 1, shards);
  }

  static int shard(StoredKey key, int shards) {
    return shard(key.group(), key.key().high(), key.key().low(), shards);
  }
}
