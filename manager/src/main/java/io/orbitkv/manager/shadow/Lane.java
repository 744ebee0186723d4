package io.orbitkv.manager.shadow;

import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * One thread's right to work on the miniatures. A call of a policy that does not return takes the
 * right away: whoever comes back too late finds that it is gone and touches nothing any more.
 */
final class Lane {
  private static final long TAKEN_AWAY = -1;

  // Odd during a call of a policy; each call has numbers of its own.
  private final AtomicLong calls = new AtomicLong();
  // Whoever watches.
  private long seen;
  private long seenNanos;

  /** The right to work is gone: the thread ends. */
  static final class GoneException extends RuntimeException {
    private static final long serialVersionUID = 1;

    GoneException() {
      super("the miniatures are another thread's", null, false, false);
    }
  }

  /** Its own thread. A call begins. */
  void enter() {
    calls.incrementAndGet();
  }

  /** Its own thread. The call is over. */
  void leave() {
    long now = calls.get();
    if (now == TAKEN_AWAY || !calls.compareAndSet(now, now + 1)) {
      throw new GoneException();
    }
  }

  /**
   * One watching thread, often. Takes the right away from a thread that is in one call for so long.
   *
   * @return whether that happened now
   */
  boolean takeAwayIfStuck(long nowNanos, long patienceNanos) {
    long now = calls.get();
    if (now != seen || (now & 1) == 0) {
      seen = now;
      seenNanos = nowNanos;
      return false;
    }
    return now != TAKEN_AWAY
        && nowNanos - seenNanos >= patienceNanos
        && calls.compareAndSet(now, TAKEN_AWAY);
  }

  /** Any thread. Takes the right away from a thread that is in a call; for the end. */
  boolean takeAway() {
    long now = calls.get();
    return now != TAKEN_AWAY && (now & 1) == 1 && calls.compareAndSet(now, TAKEN_AWAY);
  }

  /** Its own thread. Calls with the classes of a plugin in sight. */
  void call(@Nullable ClassLoader loader, Runnable work) {
    Thread thread = Thread.currentThread();
    ClassLoader before = thread.getContextClassLoader();
    enter();
    try {
      thread.setContextClassLoader(loader);
      work.run();
    } finally {
      thread.setContextClassLoader(before);
      leave();
    }
  }
}
