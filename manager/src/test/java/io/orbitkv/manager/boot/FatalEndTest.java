package io.orbitkv.manager.boot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.orbitkv.manager.dispatch.FatalHandler;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class FatalEndTest {
  private static final Duration LONG = Duration.ofMinutes(10);

  private final BlockingQueue<Integer> exits = new LinkedBlockingQueue<>();
  private final Throwable cause = new IllegalStateException("planted");

  @Test
  void fatal_tellsTheReasonThenEnds() {
    List<Throwable> told = new ArrayList<>();
    new FatalEnd(exits::add, told::add, LONG).fatal(cause);

    assertThat(told).containsExactly(cause);
    assertThat(exits).containsExactly(FatalHandler.EXIT_STATUS);
  }

  @Test
  void tellingThatThrows_endsAllTheSame() {
    FatalEnd end =
        new FatalEnd(
            exits::add,
            reason -> {
              throw new OutOfMemoryError("no room for a line");
            },
            LONG);

    assertThatThrownBy(() -> end.fatal(cause)).isInstanceOf(OutOfMemoryError.class);
    assertThat(exits).containsExactly(FatalHandler.EXIT_STATUS);
  }

  @Test
  void tellingThatDoesNotReturn_isEndedByTheWatchdog() throws Exception {
    CountDownLatch never = new CountDownLatch(1);
    FatalEnd end = new FatalEnd(exits::add, reason -> await(never), Duration.ofMillis(1));
    Thread dispatcher = Thread.ofPlatform().daemon(true).start(() -> end.fatal(cause));

    assertThat(exits.take()).isEqualTo(FatalHandler.EXIT_STATUS);
    assertThat(dispatcher.isAlive()).isTrue();
    never.countDown();
    dispatcher.join();
    assertThat(exits).isEmpty();
  }

  private static void await(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
