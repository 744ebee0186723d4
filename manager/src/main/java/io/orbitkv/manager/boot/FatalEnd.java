package io.orbitkv.manager.boot;

import io.orbitkv.manager.dispatch.FatalHandler;
import io.orbitkv.manager.environment.ManagerLog;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.IntConsumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The end of a process whose state can no longer be trusted. It comes even if telling of the reason
 * fails or does not return: a watchdog that is there before the first line ends the process then.
 */
final class FatalEnd implements FatalHandler {
  private static final Logger log = LoggerFactory.getLogger(FatalEnd.class);
  private static final Duration PATIENCE = Duration.ofSeconds(2);

  private final IntConsumer exit;
  private final Consumer<Throwable> tell;
  private final Duration patience;
  private final AtomicBoolean ended = new AtomicBoolean();

  /**
   * @param exit ends the process; returns in tests only, and is called once
   * @param tell logs the reason
   * @param patience how long that may take
   */
  FatalEnd(IntConsumer exit, Consumer<Throwable> tell, Duration patience) {
    this.exit = exit;
    this.tell = tell;
    this.patience = patience;
  }

  /** The Manager's own end. */
  static FatalEnd of(IntConsumer exit) {
    return new FatalEnd(exit, FatalEnd::log, PATIENCE);
  }

  @Override
  public void fatal(Throwable cause) {
    CountDownLatch told = new CountDownLatch(1);
    try {
      Thread.ofPlatform().name("orbitkv-fatal").daemon(true).start(() -> watch(told));
      tell.accept(cause);
    } finally {
      told.countDown();
      end();
    }
  }

  private void watch(CountDownLatch told) {
    try {
      if (told.await(patience.toNanos(), TimeUnit.NANOSECONDS)) {
        return;
      }
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
    }
    end();
  }

  private void end() {
    if (ended.compareAndSet(false, true)) {
      exit.accept(EXIT_STATUS);
    }
  }

  private static void log(Throwable cause) {
    log.error("the Manager cannot go on and ends at once", cause);
    ManagerLog.flush();
  }
}
