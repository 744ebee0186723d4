package io.orbitkv.manager.dispatch;

import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.concurrent.locks.LockSupport;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/**
 * A queue of many producers and one consumer, bounded in messages and in bytes, without locks. A
 * producer claims a place by moving the tail and then fills it; the consumer takes places in order
 * and waits for one that is claimed and not filled yet.
 */
public final class Mailbox<T> {
  private static final long FIRST_BACKOFF_NANOS = 20_000;
  private static final long LONGEST_BACKOFF_NANOS = 1_000_000;
  // In the tail, so that no place is claimed once it is set.
  private static final long CLOSED = 1L << 62;

  private final AtomicReferenceArray<@Nullable T> places;
  private final int mask;
  private final AtomicLong tail = new AtomicLong();
  private final AtomicLong head = new AtomicLong();
  private final AtomicLong bytes = new AtomicLong();
  private final long maxBytes;
  private final ToLongFunction<T> weight;
  private final Parker parker;

  /**
   * Makes an empty mailbox.
   *
   * @param capacity rounded up to a power of two
   * @param parker signalled after each message
   */
  public Mailbox(int capacity, Parker parker) {
    this(capacity, Long.MAX_VALUE, message -> 0, parker);
  }

  /**
   * Makes an empty mailbox that is bounded in bytes, too.
   *
   * @param capacity rounded up to a power of two
   * @param maxBytes that messages may hold together; one that is larger goes in alone
   * @param weight bytes of a message, the same each time; 0 for what always fits
   * @param parker signalled after each message
   */
  public Mailbox(int capacity, long maxBytes, ToLongFunction<T> weight, Parker parker) {
    int size = Integer.highestOneBit(Math.max(2, capacity) - 1) << 1;
    this.places = new AtomicReferenceArray<>(size);
    this.mask = size - 1;
    this.maxBytes = maxBytes;
    this.weight = weight;
    this.parker = parker;
  }

  /** Any thread. Adds a message unless the mailbox is full or closed. */
  public boolean offer(T message) {
    long needed = weight.applyAsLong(message);
    if (!reserve(needed)) {
      return false;
    }
    long place = claim();
    if (place < 0) {
      bytes.addAndGet(-needed);
      return false;
    }
    fill(place, message);
    return true;
  }

  private boolean reserve(long needed) {
    while (needed > 0) {
      long held = bytes.get();
      if (held > 0 && held + needed > maxBytes) {
        return false;
      }
      if (bytes.compareAndSet(held, held + needed)) {
        return true;
      }
    }
    return true;
  }

  /** Producer. Claims a place, which it must fill; below 0 when the mailbox is full or closed. */
  long claim() {
    long place = tail.get();
    while (true) {
      if ((place & CLOSED) != 0 || place - head.get() > mask) {
        return -1;
      }
      long seen = tail.compareAndExchange(place, place + 1);
      if (seen == place) {
        return place;
      }
      place = seen;
    }
  }

  /** Producer. Fills the place that it claimed. */
  void fill(long place, T message) {
    places.set((int) place & mask, message);
    parker.signal();
  }

  /**
   * Any thread but the consumer. Adds a message and waits for room if there is none, which is how a
   * full mailbox slows its producers down.
   *
   * @return false when the mailbox was closed; the message is not in it
   */
  public boolean put(T message) {
    long backoff = FIRST_BACKOFF_NANOS;
    while (!offer(message)) {
      if (closed()) {
        return false;
      }
      LockSupport.parkNanos(this, backoff);
      backoff = Math.min(backoff * 2, LONGEST_BACKOFF_NANOS);
    }
    return true;
  }

  /** Consumer. Takes the oldest message. */
  public @Nullable T poll() {
    long place = head.get();
    int index = (int) place & mask;
    T message = places.get(index);
    if (message == null) {
      return null;
    }
    places.set(index, null);
    head.set(place + 1);
    long freed = weight.applyAsLong(message);
    if (freed > 0) {
      bytes.addAndGet(-freed);
    }
    return message;
  }

  /** Consumer. Whether a message can be taken now. */
  public boolean hasMessage() {
    return places.get((int) head.get() & mask) != null;
  }

  /**
   * Any thread. About how many messages wait, places that are claimed and not filled yet among
   * them; to the consumer of a closed mailbox 0 says that nothing comes any more.
   */
  public int size() {
    return (int) Math.max(0, (tail.get() & ~CLOSED) - head.get());
  }

  /**
   * Any thread. Takes no more messages and lets waiting producers go; what is inside, or claimed
   * and not filled yet, can still be taken.
   */
  public void close() {
    tail.getAndUpdate(place -> place | CLOSED);
    parker.signal();
  }

  /** Any thread. Bytes of the messages inside, and of those that are being put in; for tests. */
  long bytes() {
    return bytes.get();
  }

  /** Any thread. Whether nothing more is taken in. */
  boolean closed() {
    return (tail.get() & CLOSED) != 0;
  }
}
