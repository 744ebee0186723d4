package io.orbitkv.manager.dispatch;

import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * A bounded queue of many producers and one consumer, without locks. A producer claims a place by
 * moving the tail and then fills it; the consumer takes places in order and waits for one that is
 * claimed and not filled yet.
 */
public final class Mailbox<T> {
  private static final long FIRST_BACKOFF_NANOS = 20_000;
  private static final long LONGEST_BACKOFF_NANOS = 1_000_000;

  private final AtomicReferenceArray<@Nullable T> places;
  private final int mask;
  private final AtomicLong tail = new AtomicLong();
  private final AtomicLong head = new AtomicLong();
  private final Parker parker;
  private volatile boolean closed;

  /**
   * Makes an empty mailbox.
   *
   * @param capacity rounded up to a power of two
   * @param parker signalled after each message
   */
  public Mailbox(int capacity, Parker parker) {
    int size = Integer.highestOneBit(Math.max(2, capacity) - 1) << 1;
    this.places = new AtomicReferenceArray<>(size);
    this.mask = size - 1;
    this.parker = parker;
  }

  /** Any thread. Adds a message unless the mailbox is full or closed. */
  public boolean offer(T message) {
    long place = tail.get();
    while (true) {
      if (closed || place - head.get() > mask) {
        return false;
      }
      long seen = tail.compareAndExchange(place, place + 1);
      if (seen == place) {
        break;
      }
      place = seen;
    }
    places.set((int) place & mask, message);
    parker.signal();
    return true;
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
      if (closed) {
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
    return message;
  }

  /** Consumer. Whether a message can be taken now. */
  public boolean hasMessage() {
    return places.get((int) head.get() & mask) != null;
  }

  /** Any thread. About how many messages wait. */
  public int size() {
    return (int) Math.max(0, tail.get() - head.get());
  }

  /**
   * Any thread. Takes no more messages and lets waiting producers go; what is inside can still be
   * taken.
   */
  public void close() {
    closed = true;
    parker.signal();
  }
}
