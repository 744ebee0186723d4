package io.orbitkv.ssd.store;

import io.orbitkv.api.backing.BackingStatus;
import io.orbitkv.api.backing.StoredKey;
import io.orbitkv.ssd.device.Transfer;

/** What a store wants done and tells, in this order. The owner's thread. */
public interface StoreOutbox {
  /** Submit a transfer; its completion goes back to the store. */
  void transfer(Transfer transfer);

  /** A speculative read has a waiter now. */
  void raise(Transfer transfer);

  /**
   * Check the payload of a page that was read; the result goes back to the store. May be done on
   * any thread: the runs belong to the read until its report.
   */
  void check(PageCheck check);

  /** A page is findable from now on. */
  void stored(StoredKey key, long payloadBytes);

  /** A page is gone without having been asked for. */
  void lost(StoredKey key);

  /** The one report of a read. */
  void readDone(long ticket, BackingStatus status);

  /** The one report of a write. */
  void writeDone(long ticket, BackingStatus status);

  /** The report of an eviction, which is durable. */
  void evicted(long ticket);

  /**
   * The report of the forgetting of many pages.
   *
   * @param status {@link BackingStatus#DONE} once that is durable; otherwise the pages may come
   *     back when the store is opened again
   * @param pages how many were findable
   */
  void forgotten(long ticket, BackingStatus status, long pages);

  /** The report of a flush. */
  void flushed(long ticket, BackingStatus status);
}
