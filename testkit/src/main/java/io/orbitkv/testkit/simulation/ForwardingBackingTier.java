package io.orbitkv.testkit.simulation;

import io.orbitkv.api.backing.BackingRead;
import io.orbitkv.api.backing.BackingStatus;
import io.orbitkv.api.backing.BackingTier;
import io.orbitkv.api.backing.BackingUsage;
import io.orbitkv.api.backing.BackingWrite;
import io.orbitkv.api.backing.StoredKey;
import io.orbitkv.api.page.Namespace;
import java.util.List;

/**
 * A backing tier before another one: everything goes there, and every report comes back, but for
 * what a subclass does itself.
 */
public abstract class ForwardingBackingTier implements BackingTier {
  private final BackingTier tier;

  /**
   * @param tier that does the work; closed with this one
   */
  protected ForwardingBackingTier(BackingTier tier) {
    this.tier = tier;
  }

  /** The tier behind. */
  protected final BackingTier tier() {
    return tier;
  }

  @Override
  public void start(Listener listener) {
    tier.start(listener);
  }

  @Override
  public int read(List<BackingRead> reads) {
    return tier.read(reads);
  }

  @Override
  public int write(List<BackingWrite> writes) {
    return tier.write(writes);
  }

  @Override
  public void raise(long ticket) {
    tier.raise(ticket);
  }

  @Override
  public void score(List<StoredKey> keys, long[] scores) {
    tier.score(keys, scores);
  }

  @Override
  public void evict(long ticket, StoredKey key) {
    tier.evict(ticket, key);
  }

  @Override
  public void evictAll(long ticket) {
    tier.evictAll(ticket);
  }

  @Override
  public void keep(long ticket, Namespace scope, List<Namespace> kept) {
    tier.keep(ticket, scope, kept);
  }

  @Override
  public void flush(long ticket) {
    tier.flush(ticket);
  }

  @Override
  public BackingUsage usage() {
    return tier.usage();
  }

  @Override
  public void close() {
    tier.close();
  }

  /** Passes every report on, but for what a subclass does itself. */
  public static class ForwardingListener implements Listener {
    private final Listener listener;

    /**
     * @param listener that hears of everything
     */
    protected ForwardingListener(Listener listener) {
      this.listener = listener;
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
      listener.forgotten(ticket, status, pages);
    }

    @Override
    public void flushed(long ticket, BackingStatus status) {
      listener.flushed(ticket, status);
    }
  }
}
