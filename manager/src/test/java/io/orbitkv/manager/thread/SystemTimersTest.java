package io.orbitkv.manager.thread;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class SystemTimersTest {
  private static final Duration SHORT = Duration.ofMillis(1);

  private final BlockingQueue<Throwable> fatal = new LinkedBlockingQueue<>();
  private final SystemTimers timers = new SystemTimers(fatal::add);

  @AfterEach
  void close() {
    timers.close();
  }

  @Test
  void errorInATask_isFatal() throws Exception {
    timers.every(
        SHORT,
        () -> {
          throw new NoClassDefFoundError("planted");
        });

    assertThat(fatal.take()).isInstanceOf(NoClassDefFoundError.class);
  }

  @Test
  void exceptionInATask_doesNotEndItsRepetition() throws Exception {
    CountDownLatch thrice = new CountDownLatch(3);
    timers.every(
        SHORT,
        () -> {
          thrice.countDown();
          throw new IllegalStateException("planted");
        });

    thrice.await();
    assertThat(fatal).isEmpty();
  }
}
