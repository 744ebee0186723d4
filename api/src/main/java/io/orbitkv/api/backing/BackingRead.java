package io.orbitkv.api.backing;

import java.util.List;

/**
 * One page to be read.
 *
 * @param ticket names the read in its report
 * @param key which page
 * @param runs destinations, one a rank slot, owned by the read until its report
 * @param speculative whether foreground reads go first
 */
public record BackingRead(long ticket, StoredKey key, List<HostRun> runs, boolean speculative) {
  /** Copies the runs. */
  public BackingRead {
    runs = List.copyOf(runs);
  }
}
