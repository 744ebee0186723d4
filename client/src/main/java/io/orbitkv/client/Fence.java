package io.orbitkv.client;

import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * Waits until the device pages of a copy are free: until there is a valid answer, or the Manager is
 * proven dead. Time frees nothing, so it only leads to warnings.
 */
final class Fence {
  private static final System.Logger LOG = System.getLogger("io.orbitkv.client");
  private static final long WARNING_PAUSE_NANOS = Duration.ofMinutes(1).toNanos();

  /** How often a Manager whose connection has ended is looked for. */
  private static final long LOOK_NANOS = 20_000_000;

  private final Operation copy;
  private final Connection connection;
  private final long startNanos;
  private long nextWarningNanos;

  /**
   * @param patience until the first warning
   */
  Fence(Operation copy, Duration patience) {
    this.copy = copy;
    this.connection = copy.connection;
    this.startNanos = connection.now();
    this.nextWarningNanos = Operation.saturatedNanos(patience);
  }

  /**
   * Waits.
   *
   * @return the answer
   * @throws ConnectionClosedException when the Manager is proven dead
   * @throws InterruptedException the pages are not free then
   */
  Answer await() throws InterruptedException {
    while (true) {
      @Nullable ConnectionClosedException ended = null;
      try {
        long left = Math.max(0, nextWarningNanos - passedNanos());
        Answer answer = copy.await(Duration.ofNanos(left));
        if (answer.state().terminal()) {
          return answer;
        }
      } catch (ConnectionClosedException closed) {
        if (connection.managerProvenDead()) {
          throw closed;
        }
        ended = closed;
      }
      long passed = passedNanos();
      if (passed >= nextWarningNanos) {
        nextWarningNanos = passed + WARNING_PAUSE_NANOS;
        warn(passed, ended);
      }
      if (ended != null) {
        LockSupport.parkNanos(this, LOOK_NANOS);
        if (Thread.interrupted()) {
          throw new InterruptedException();
        }
      }
    }
  }

  private long passedNanos() {
    return connection.now() - startNanos;
  }

  private void warn(long passedNanos, @Nullable ConnectionClosedException ended) {
    connection.counters().fenceWarnings.increment();
    LOG.log(
        System.Logger.Level.WARNING,
        () ->
            copy
                + " has no answer after ["
                + Duration.ofNanos(passedNanos).toMillis()
                + "] ms and its device pages stay in use: "
                + (ended == null
                    ? "the Manager has not finished the copy; see 'orbitkv status'"
                    : ended.getMessage()
                        + ", and its process is not proven dead; end it to free them"));
  }
}
