package io.orbitkv.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;

class TestPluginContextTest {
  private final TestPluginContext context = new TestPluginContext("sample");

  @Test
  void close_resources_closesThemInReverseOrderOnce() {
    List<String> closed = new ArrayList<>();
    context.closeWithScope(() -> closed.add("first"));
    context.closeWithScope(() -> closed.add("second"));

    context.close();
    context.close();

    assertThat(closed).containsExactly("second", "first");
    assertThatThrownBy(() -> context.closeWithScope(() -> closed.add("late")))
        .isInstanceOf(IllegalStateException.class);
  }

  @Test
  void close_resourceThatCannotBeClosed_closesTheOthersAndFails() {
    List<String> closed = new ArrayList<>();
    context.closeWithScope(() -> closed.add("first"));
    context.closeWithScope(() -> {
      throw new IllegalStateException("planted");
    });

    assertThatThrownBy(context::close)
        .isInstanceOf(AssertionError.class)
        .satisfies(fault -> assertThat(fault.getSuppressed()).hasSize(1));
    assertThat(closed).containsExactly("first");
  }

  @Test
  void close_threadThatWaits_isInterruptedAndEnds() {
    CountDownLatch never = new CountDownLatch(1);
    Thread thread =
        context
            .threads()
            .newThread(() -> {
              try {
                never.await();
              } catch (InterruptedException told) {
                Thread.currentThread().interrupt();
              }
            });
    thread.start();
    assertThat(thread.getName()).isEqualTo("sample-0");
    assertThat(context.runningThreads()).containsExactly("sample-0");

    context.close();

    assertThat(context.runningThreads()).isEmpty();
  }

  @Test
  void close_threadThatDied_failsWithItsCause() throws InterruptedException {
    Thread thread =
        context
            .threads()
            .newThread(() -> {
              throw new IllegalStateException("planted");
            });
    thread.start();
    thread.join();

    assertThat(context.uncaught()).hasSize(1);
    assertThatThrownBy(context::close)
        .satisfies(fault -> assertThat(fault.getSuppressed()[0]).hasMessage("planted"));
  }

  @Test
  void clock_onlyMovesWhenAdvanced() {
    long start = context.nanoClock().getAsLong();

    assertThat(context.nanoClock().getAsLong()).isEqualTo(start);
    assertThat(context.clock().advance(Duration.ofMillis(3))).isEqualTo(start + 3_000_000);
    assertThat(context.nanoClock().getAsLong()).isEqualTo(start + 3_000_000);
    assertThatThrownBy(() -> context.clock().advance(Duration.ofNanos(-1)))
        .isInstanceOf(IllegalArgumentException.class);
    context.close();
  }

  @Test
  void meters_recordedValues_canBeAskedFor() {
    RecordedMeters meters = context.meters();
    meters.counter("pages_total", "Pages").add(2);
    meters.counter("pages_total", "Pages").add(3);
    meters.gauge("queue_bytes", "Queue", () -> 17);
    meters.timer("read_duration", "Reads").record(5);

    assertThat(meters.counter("pages_total")).isEqualTo(5);
    assertThat(meters.gauge("queue_bytes")).isEqualTo(17);
    assertThat(meters.timer("read_duration")).containsExactly(5L);
    assertThat(meters.counters()).containsOnlyKeys("pages_total");
    assertThatThrownBy(() -> meters.counter("absent")).hasMessageContaining("pages_total");
    assertThatThrownBy(() -> meters.counter("pagesTotal", "Pages"))
        .hasMessageContaining("snake case");
    assertThatThrownBy(() -> meters.gauge("pages_total", "Pages", () -> 1))
        .hasMessageContaining("another kind");
    assertThatThrownBy(() -> meters.counter("pages_total", "Pages").add(-1))
        .isInstanceOf(IllegalArgumentException.class);
    context.close();
  }

  @Test
  void log_lines_areRememberedByLevel() {
    context.log().log(Level.INFO, "started");
    context.log().log(Level.WARNING, "chunk [{0}] failed", 3);
    context.log().log(Level.ERROR, "broken", new IllegalStateException("planted"));

    assertThat(context.log().messages(Level.WARNING)).containsExactly("chunk [3] failed", "broken");
    assertThat(context.log().lines()).hasSize(3);
    assertThat(context.log().lines().getLast().thrown()).hasMessage("planted");
    context.close();
  }
}
