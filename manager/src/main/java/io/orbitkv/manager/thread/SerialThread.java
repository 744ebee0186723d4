package io.orbitkv.manager.thread;

import java.time.Duration;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One named daemon thread that does what it is given in order. Its tasks report their own failures.
 */
public final class SerialThread implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(SerialThread.class);
  private static final Duration PATIENCE = Duration.ofSeconds(10);

  private final String name;
  private final ExecutorService executor;

  /** Starts a thread called {@code name}. */
  public SerialThread(String name) {
    this.name = name;
    this.executor =
        Executors.newSingleThreadExecutor(Thread.ofPlatform().name(name).daemon(true).factory());
  }

  /** Any thread. Runs the task after those before it; dropped once the thread is closed. */
  public void execute(Runnable task) {
    try {
      executor.execute(() -> runLogged(task));
    } catch (RejectedExecutionException closed) {
      log.debug("[{}] has ended and drops a task", name);
    }
  }

  /**
   * Finishes what was given before and ends the thread; one that hangs is interrupted and left
   * behind.
   */
  @Override
  public void close() {
    executor.shutdown();
    try {
      if (!executor.awaitTermination(PATIENCE.toNanos(), TimeUnit.NANOSECONDS)) {
        log.warn(
            "thread [{}] still runs [{}] s after it was asked to end", name, PATIENCE.toSeconds());
        executor.shutdownNow();
      }
    } catch (InterruptedException interrupted) {
      executor.shutdownNow();
      Thread.currentThread().interrupt();
    }
  }

  private void runLogged(Runnable task) {
    try {
      task.run();
    } catch (RuntimeException | Error failed) {
      log.error("a task of thread [{}] failed", name, failed);
    }
  }
}
