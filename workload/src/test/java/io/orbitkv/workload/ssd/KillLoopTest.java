package io.orbitkv.workload.ssd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

class KillLoopTest {
  @Test
  void log_keysOfChainsAndStrangers_areAllDifferent() {
    PublishLog log = new PublishLog(3, 16);
    Set<List<Long>> seen = new HashSet<>();
    for (int chain = 0; chain < 50; chain++) {
      add(seen, log.keys(log.begin(), 0));
    }
    add(seen, log.strangers(new SplittableRandom(1), 64));

    assertThat(seen).hasSize(50 * 16 + 64);
    assertThat(log.keys(7, 4)).isEqualTo(Arrays.copyOfRange(log.keys(7, 0), 8, 32));
  }

  @Test
  void log_anyChain_isOneThatWasBegun() {
    PublishLog log = new PublishLog(3, 16);
    SplittableRandom random = new SplittableRandom(1);

    assertThat(log.any(random)).isEqualTo(-1);
    int _ = log.begin();
    int _ = log.begin();
    log.acknowledge(1);
    log.found(0, true);

    for (int i = 0; i < 100; i++) {
      assertThat(log.any(random)).isBetween(0, 1);
    }
    assertThat(log.acknowledgedChains()).isEqualTo(1);
    assertThat(log.wasFound(0)).isTrue();
    assertThat(log.wasFound(1)).isFalse();
  }

  @Test
  void result_ofItsLives_hasTheirSumsAndSaysWhetherItIsSound() {
    KillLoopResult.Collector collector = new KillLoopResult.Collector(options(2));
    collector.add(life(0, 0, 0, 0, 0));
    collector.killedWhileStarting();
    collector.add(life(90, 100, 5, 0, 0));
    collector.add(life(80, 80, 0, 0, 0));

    KillLoopResult result = collector.result(30, 28);

    assertThat(result.sound()).isTrue();
    // Five of the ten missing ones may have been overwritten.
    assertThat(result.lostPages()).isEqualTo(5);
    JsonNode json = JsonMapper.shared().readTree(result.json());
    assertThat(json.path("kills").asInt()).isEqualTo(3);
    assertThat(json.path("kills_at_start").asInt()).isEqualTo(1);
    assertThat(json.path("recovered_pages").asInt()).isEqualTo(170);
    assertThat(json.path("lost_pages").asInt()).isEqualTo(5);
    assertThat(json.path("wrong_bytes").asInt()).isZero();
    assertThat(json.path("lives")).hasSize(3);
    assertThat(result.table()).contains("2 under load, 1 while starting");

    collector.add(life(1, 1, 0, 0, 1));
    assertThat(collector.result(30, 28).sound()).isFalse();
    collector = new KillLoopResult.Collector(options(2));
    collector.add(life(1, 1, 0, 9, 0));
    assertThat(collector.result(30, 28).sound()).isFalse();
  }

  @Test
  void options_outOfRange_areRefused() {
    assertThatThrownBy(() -> options(0)).hasMessageContaining("--kill-loop [0]");
  }

  @Test
  void lanes_oneOfThemFails_tellsIt() throws InterruptedException {
    Lanes lanes =
        Lanes.start(
            3,
            lane -> {
              if (lane == 1) {
                throw new IllegalStateException("lane 1");
              }
            });
    lanes.join();

    assertThat(lanes.running()).isFalse();
    assertThatThrownBy(lanes::rethrow).hasMessage("lane 1");
  }

  private static void add(Set<List<Long>> seen, long[] keys) {
    for (int i = 0; i < keys.length; i += 2) {
      seen.add(List.of(keys[i], keys[i + 1]));
    }
  }

  private static KillLife life(
      long recovered, long storedBefore, long slack, long wrongBytes, long strange) {
    return new KillLife(
        0.5, recovered, recovered, 0, recovered, wrongBytes, strange, 10, storedBefore, slack, 100);
  }

  private static KillLoop.Options options(int kills) {
    return new KillLoop.Options(
        Path.of("file"),
        1L << 30,
        kills,
        Duration.ofSeconds(1),
        1L << 28,
        false,
        false,
        1,
        List.of());
  }
}
