package io.orbitkv.api.backing;

import io.orbitkv.api.page.Namespace;
import java.util.List;

/**
 * Storage that keeps pages behind the memory tier. It has threads of its own and talks to the
 * Manager in messages: the Manager submits, the tier reports each submitted operation exactly once
 * and tells which pages it stored or lost.
 *
 * <p>A submitted operation owns its runs until its report; there is no cancel. Losing pages is
 * legal at any time and is always told; a page that fails its checks is reported as {@link
 * BackingStatus#CORRUPT} and never served.
 */
public interface BackingTier extends AutoCloseable {
  /**
   * Boot thread. Opens the store and reports each recovered page through {@link Listener#stored}
   * before it returns.
   */
  void start(Listener listener);

  /**
   * Dispatcher. Submits reads; never blocks.
   *
   * @return how many of the list were taken, from its start; the rest is offered again after a
   *     completion
   */
  int read(List<BackingRead> reads);

  /**
   * Dispatcher. A speculative read that was submitted has a foreground waiter now: it should go
   * before other speculative reads from here on. Advice: a tier may ignore it.
   *
   * @param ticket of the read; one that has been reported changes nothing
   */
  default void raise(long ticket) {}

  /**
   * Dispatcher. Submits writes of sealed pages; never blocks.
   *
   * @return how many of the list were taken, from its start
   */
  int write(List<BackingWrite> writes);

  /**
   * Dispatcher. Forgets a page; reported by {@link Listener#evicted} once the loss is durable.
   *
   * @param ticket names this request in the report
   */
  void evict(long ticket, StoredKey key);

  /**
   * Dispatcher. Forgets every page, whose loss need not be told one by one; reported by {@link
   * Listener#forgotten} once that is durable. No write is under way and none comes before the
   * report; reads may be, and end in any way.
   *
   * @param ticket names this request in the report
   */
  void evictAll(long ticket);

  /**
   * Dispatcher. Forgets the pages that were written with a scope and whose key's namespace is none
   * of those that are kept: no engine has their geometry any more. Each is told by {@link
   * Listener#lost}; reported by {@link Listener#forgotten} once all are gone durably.
   *
   * @param ticket names this request in the report
   * @param scope as in {@link BackingWrite#scope}
   * @param kept namespaces of keys
   */
  void keep(long ticket, Namespace scope, List<Namespace> kept);

  /**
   * Dispatcher. Makes everything reported as written before this call durable, then reports {@code
   * ticket}.
   */
  void flush(long ticket);

  /**
   * Dispatcher. What stored pages are worth: those with higher scores are to be kept longer. Never
   * blocks and reports nothing. Advice: a tier may ignore it, and does so for pages that it has
   * not.
   *
   * @param keys not changed by the caller afterwards
   * @param scores as many, entry {@code i} for key {@code i}; not changed by the caller afterwards
   */
  default void score(List<StoredKey> keys, long[] scores) {}

  /** Any thread. A picture of the tier's use. */
  BackingUsage usage();

  /** Boot thread, after everything submitted was reported. Flushes and closes the store. */
  @Override
  void close();

  /** Hears of the tier's reports, on threads of the tier. Must return quickly and not throw. */
  interface Listener {
    /**
     * A page is findable from now on: one that was recovered, or that a reported write stored.
     * Telling it twice changes nothing.
     */
    void stored(StoredKey key, long bytes);

    /** A page is gone without having been asked for. */
    void lost(StoredKey key);

    /** The one report of a submitted read. */
    void readDone(long ticket, BackingStatus status);

    /** The one report of a submitted write. */
    void writeDone(long ticket, BackingStatus status);

    /** The report of an {@link BackingTier#evict}. */
    void evicted(long ticket);

    /**
     * The report of a {@link BackingTier#evictAll} or {@link BackingTier#keep}.
     *
     * @param status {@link BackingStatus#DONE} when the pages are gone for good; otherwise they are
     *     not served any more, but may come back when the store is opened again
     * @param pages how many are gone
     */
    void forgotten(long ticket, BackingStatus status, long pages);

    /** The report of a {@link BackingTier#flush}. */
    void flushed(long ticket, BackingStatus status);
  }
}
