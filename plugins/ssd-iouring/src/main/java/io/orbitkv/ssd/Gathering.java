package io.orbitkv.ssd;

import io.orbitkv.api.backing.BackingStatus;
import io.orbitkv.api.backing.BackingTier;
import io.orbitkv.api.backing.StoredKey;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Passes the reports of the shards on; what all of them were asked for is reported once, with the
 * last of them and with the worst outcome.
 */
final class Gathering implements BackingTier.Listener {
  private final BackingTier.Listener listener;
  private final int shards;
  private final Map<Long, Parts> expected = new ConcurrentHashMap<>();

  Gathering(BackingTier.Listener listener, int shards) {
    this.listener = listener;
    this.shards = shards;
  }

  /** Reports that are missing, and what the others said. */
  private record Parts(int missing, BackingStatus worst, long pages) {
    Parts and(BackingStatus status, long more) {
      return new Parts(missing - 1, worst == BackingStatus.DONE ? status : worst, pages + more);
    }
  }

  /** Dispatcher. Every shard is about to be asked for something under this ticket. */
  void expect(long ticket) {
    expected.put(ticket, new Parts(shards, BackingStatus.DONE, 0));
  }

  @Override
  public void stored(StoredKey key, long bytes) {
    listener.stored(key, bytes);
  }

  @Override
  public void lost(StoredKey key) {
    listener.lost(key);
  }

  @Override
  public void readDone(long ticket, BackingStatus status) {
    listener.readDone(ticket, status);
  }

  @Override
  public void writeDone(long ticket, BackingStatus status) {
    listener.writeDone(ticket, status);
  }

  @Override
  public void evicted(long ticket) {
    listener.evicted(ticket);
  }

  @Override
  public void forgotten(long ticket, BackingStatus status, long pages) {
    Parts parts = add(ticket, status, pages);
    if (parts.missing() == 0) {
      listener.forgotten(ticket, parts.worst(), parts.pages());
    }
  }

  @Override
  public void flushed(long ticket, BackingStatus status) {
    Parts parts = add(ticket, status, 0);
    if (parts.missing() == 0) {
      listener.flushed(ticket, parts.worst());
    }
  }

  private Parts add(long ticket, BackingStatus status, long pages) {
    Parts parts = expected.computeIfPresent(ticket, (key, before) -> before.and(status, pages));
    if (parts == null) {
      throw new IllegalStateException("ticket [" + ticket + "] is reported and was not asked for");
    }
    if (parts.missing() == 0) {
      expected.remove(ticket);
    }
    return parts;
  }
}
