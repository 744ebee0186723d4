package io.orbitkv.manager.plugin;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

class PluginScopeTest {
  private final MeterRegistry registry = new SimpleMeterRegistry();

  private PluginScope scope(Duration patience) {
    return new PluginScope(
        "some-plugin", PluginScopeTest.class.getClassLoader(), registry, () -> 17, patience);
  }

  @Test
  void close_resources_closedInReverseEvenWhenOneFails() {
    PluginScope scope = scope(Duration.ofSeconds(30));
    List<String> closed = new ArrayList<>();
    scope.closeWithScope(() -> closed.add("first"));
    scope.closeWithScope(() -> {
      throw new IOException("stuck");
    });
    scope.closeWithScope(() -> closed.add("third"));
    scope.close();
    scope.close();
    assertThat(closed).containsExactly("third", "first");
  }

  @Test
  void close_threadThatObeys_endsAndIsNotNamed() throws InterruptedException {
    PluginScope scope = scope(Duration.ofSeconds(30));
    CountDownLatch running = new CountDownLatch(1);
    Thread thread =
        scope
            .threads()
            .newThread(() -> {
              running.countDown();
              try {
                new CountDownLatch(1).await();
              } catch (InterruptedException end) {
                Thread.currentThread().interrupt();
              }
            });
    thread.start();
    assertThat(running.await(30, TimeUnit.SECONDS)).isTrue();
    assertThat(thread.getName()).isEqualTo("some-plugin-0");
    assertThat(thread.isDaemon()).isTrue();
    assertThat(scope.closeAll()).isEmpty();
    assertThat(thread.isAlive()).isFalse();
  }

  @Test
  void close_threadThatIgnoresInterrupts_isNamed() throws InterruptedException {
    PluginScope scope = scope(Duration.ofMillis(50));
    AtomicBoolean end = new AtomicBoolean();
    Thread thread =
        scope
            .threads()
            .newThread(() -> {
              while (!end.get()) {
                Thread.onSpinWait();
              }
            });
    thread.start();
    assertThat(scope.closeAll()).containsExactly("some-plugin-0");
    end.set(true);
    thread.join();
  }

  @Test
  void close_threadThatWasNeverStarted_isNotWaitedFor() {
    PluginScope scope = scope(Duration.ofDays(1));
    scope.threads().newThread(() -> {});
    assertThat(scope.closeAll()).isEmpty();
  }

  @Test
  void close_thenUse_refusedAndTheLateResourceIsClosed() {
    PluginScope scope = scope(Duration.ofSeconds(30));
    scope.close();
    List<String> closed = new ArrayList<>();
    AutoCloseable late = () -> closed.add("late");
    assertThatThrownBy(() -> scope.closeWithScope(late))
        .hasMessage("the scope of plugin [some-plugin] is closed already");
    assertThat(closed).containsExactly("late");
    assertThatThrownBy(() -> scope.threads().newThread(() -> {}))
        .isInstanceOf(IllegalStateException.class);
    assertThatThrownBy(() -> scope.meters().counter("late_total", ""))
        .isInstanceOf(IllegalStateException.class);
  }

  @Test
  void meters_ofTwoPlugins_areApartAndGoWithTheirPlugin() {
    PluginScope scope = scope(Duration.ofSeconds(30));
    PluginScope other = new PluginScope("other", null, registry, () -> 17, Duration.ofSeconds(30));
    scope.meters().counter("copies_total", "copies").add(2);
    scope.meters().counter("copies_total", "copies").add(3);
    other.meters().counter("copies_total", "copies").add(7);
    assertThat(registry.get("orbitkv_some_plugin_copies_total").counter().count()).isEqualTo(5);
    scope.close();
    assertThat(registry.getMeters())
        .extracting(meter -> meter.getId().getName())
        .containsExactly("orbitkv_other_copies_total");
  }

  @Test
  void meters_badOrClashingNames_refused() {
    PluginScope scope = scope(Duration.ofSeconds(30));
    assertThatThrownBy(() -> scope.meters().counter("Copies-Total", ""))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("[Copies-Total]");
    scope.meters().gauge("depth", "", () -> 1);
    assertThatThrownBy(() -> scope.meters().gauge("depth", "", () -> 2))
        .isInstanceOf(IllegalStateException.class);
    assertThatThrownBy(() -> scope.meters().timer("depth", ""))
        .isInstanceOf(IllegalStateException.class);
    scope.close();
  }

  @Test
  void context_tellsWhoseItIs() {
    try (PluginScope scope = scope(Duration.ofSeconds(30))) {
      assertThat(scope.pluginId()).isEqualTo("some-plugin");
      assertThat(scope.nanoClock().getAsLong()).isEqualTo(17);
      assertThat(scope.log().getName()).isEqualTo("orbitkv.plugin.some-plugin");
    }
  }
}
