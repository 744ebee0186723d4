package io.orbitkv.api.backing;

import io.orbitkv.api.page.Namespace;
import java.util.List;

/**
 * One sealed page to be written.
 *
 * @param ticket names the write in its report
 * @param key which page
 * @param scope the engine's own namespace, in which the namespace of {@code key} is one geometry,
 *     so that a key's namespace has one scope; kept with the page for {@link BackingTier#keep}
 * @param runs sources, one a rank slot, read-only and owned by the write until its report
 * @param checksum CRC-32C over the payload of all runs in order, made at sealing
 */
public record BackingWrite(
    long ticket, StoredKey key, Namespace scope, List<HostRun> runs, int checksum) {
  /** Copies the runs. */
  public BackingWrite {
    runs = List.copyOf(runs);
  }

  /** A write whose scope is the namespace of its key. */
  public BackingWrite(long ticket, StoredKey key, List<HostRun> runs, int checksum) {
    this(ticket, key, key.namespace(), runs, checksum);
  }
}
