package io.orbitkv.ssd.store;

import io.orbitkv.api.backing.BackingRead;
import io.orbitkv.api.backing.BackingWrite;
import io.orbitkv.api.backing.StoredKey;
import io.orbitkv.api.page.Namespace;
import io.orbitkv.ssd.device.BlockFile;
import io.orbitkv.ssd.device.Span;
import io.orbitkv.ssd.device.Transfer;
import java.io.IOException;
import java.util.List;
import java.util.random.RandomGenerator;

/**
 * A log-structured store of pages on one device: pure state, driven by its owner's thread. It
 * starts no thread, reads no clock and moves no byte itself: what is to be done leaves through a
 * {@link StoreOutbox}, synchronously inside the calls, and comes back as {@link #completed} and
 * {@link #checked}.
 */
public final class Store {
  private Store() {}

  /**
   * Boot thread, blocking. Makes a store of an empty file, recovers it otherwise, and tells each
   * recovered page through {@link StoreOutbox#stored}.
   *
   * @param file open and locked; stays the caller's
   * @param nowNanos of the clock that {@link #tick} tells
   * @throws IOException when the device fails
   * @throws IllegalStateException saying why the file cannot be used and what to do
   */
  public static Store open(
      BlockFile file,
      StoreSettings settings,
      RandomGenerator random,
      long nowNanos,
      StoreOutbox outbox)
      throws IOException {
    if (settings.capacityBytes() > file.geometry().sizeBytes()) {
      throw new IOException("the file is smaller than the store");
    }
    return new Store();
  }

  /** The shard, from 0, that a page belongs to. */
  public static int shardOf(StoredKey key, int shards) {
    return 0;
  }

  /** Memory of the store's own, constant, for registration with the device. */
  public List<Span> scratch() {
    return List.of();
  }

  /** Takes a read; false when too many are in flight: it is offered again after a report. */
  public boolean read(BackingRead read) {
    return false;
  }

  /** Takes a write; false when too many are in flight: it is offered again after a report. */
  public boolean write(BackingWrite write) {
    return false;
  }

  /** A speculative read has a waiter now; one that has been reported changes nothing. */
  public void raise(long ticket) {}

  /** Forgets a page; {@link StoreOutbox#evicted} follows once that is durable. */
  public void evict(long ticket, StoredKey key) {}

  /** Makes every write durable that was reported; {@link StoreOutbox#flushed} follows. */
  public void flush(long ticket) {}

  /** Forgets all pages of a namespace; one {@link StoreOutbox#evicted} follows once durable. */
  public void dropNamespace(long ticket, Namespace namespace) {}

  /** Advice on retention: pages with higher scores are kept longer. */
  public void score(StoredKey key, long score) {}

  /** The completion of a transfer that left through the outbox. */
  public void completed(Transfer transfer, int error) {}

  /** The result of a check that left through the outbox. */
  public void checked(long number, boolean good) {}

  /** Tells the time. */
  public void tick(long nowNanos) {}

  /** Stops writing until the store is opened again, for instance because its file was replaced. */
  public void degrade(String reason) {}

  /** A picture of the store. */
  public StoreUsage usage() {
    return new StoreUsage(
        0,
        0,
        0,
        0,
        0,
        0,
        0,
        0,
        0,
        0,
        0,
        0,
        0,
        0,
        0,
        0,
        0,
        0,
        0,
        0,
        0,
        0,
        0,
        new StoreUsage.Start(false, false, 0, 0, 0, 0, 0, 0, 0),
        0,
        "");
  }

  /** Whether nothing is under way. */
  public boolean idle() {
    return true;
  }

  /**
   * After {@link #idle}: stops cleanly, blocking, through the file, and frees the store's memory.
   * What cannot be written is left to the recovery of the next opening.
   */
  public void close() {}
}
