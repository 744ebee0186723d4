package io.orbitkv.manager.thread;

import java.time.Duration;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Timers of the system's monotonic clock, on one daemon thread: the maintenance ticker. */
public final class SystemTimers implements Timers {
  private static final Logger log = LoggerFactory.getLogger(SystemTimers.class);
  private static final Timer NEVER = () -> {};

  private final ScheduledThreadPoolExecutor executor;
  private final Consumer<Throwable> fatal;

  /**
   * Starts the thread.
   *
   * @param fatal told of an Error of a task: time that silently stands still would be worse than
   *     the end of the process
   */
  public SystemTimers(Consumer<Throwable> fatal) {
    this.fatal = fatal;
    executor =
        new ScheduledThreadPoolExecutor(
            1, Thread.ofPlatform().name("orbitkv-ticker").daemon(true).factory());
    executor.setRemoveOnCancelPolicy(true);
  }

  @Override
  public Timer after(Duration delay, Runnable task) {
    try {
      return timer(executor.schedule(logged(task), delay.toNanos(), TimeUnit.NANOSECONDS));
    } catch (RejectedExecutionException closed) {
      return NEVER;
    }
  }

  @Override
  public Timer every(Duration interval, Runnable task) {
    long nanos = interval.toNanos();
    try {
      return timer(executor.scheduleAtFixedRate(logged(task), nanos, nanos, TimeUnit.NANOSECONDS));
    } catch (RejectedExecutionException closed) {
      return NEVER;
    }
  }

  @Override
  public void close() {
    executor.shutdownNow();
  }

  private static Timer timer(Future<?> future) {
    return () -> future.cancel(false);
  }

  // A repeated task that throws would silently stop.
  private Runnable logged(Runnable task) {
    return () -> {
      try {
        task.run();
      } catch (RuntimeException failed) {
        log.error("a timer failed", failed);
      } catch (Throwable broken) {
        fatal.accept(broken);
      }
    };
  }
}
