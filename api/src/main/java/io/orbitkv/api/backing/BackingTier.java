package io.orbitkv.api.backing;

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
   * Dispatcher. Makes everything reported as written before this call durable, then reports {@code
   * ticket}.
   */
  void flush(long ticket);

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

    /** The report of a {@link BackingTier#flush}. */
    void flushed(long ticket, BackingStatus status);
  }
}
