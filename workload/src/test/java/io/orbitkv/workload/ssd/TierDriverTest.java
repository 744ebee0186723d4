package io.orbitkv.workload.ssd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.orbitkv.api.backing.BackingRead;
import io.orbitkv.api.backing.BackingStatus;
import io.orbitkv.api.backing.BackingTier;
import io.orbitkv.testkit.simulation.BackingScript;
import io.orbitkv.testkit.simulation.DeterministicBackingTier;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class TierDriverTest {
  private static final long PAGE_BYTES = 16_384;
  private static final int DEPTH = 8;
  private static final Duration LONG = Duration.ofMinutes(1);

  private final SlotMemory memory = new SlotMemory(2 * DEPTH * PAGE_BYTES);
  private final List<BackingTier> tiers = new ArrayList<>();

  @AfterEach
  void close() {
    tiers.forEach(BackingTier::close);
    memory.close();
  }

  @Test
  void run_fillThenCheck_findsEveryByteRight() throws InterruptedException {
    TierDriver driver = driver(1L << 30, 3, BackingScript.SUCCEED);

    LoadResult filled = driver.run(Load.fill(DEPTH, 100, LONG));
    LoadResult checked = driver.run(Load.check(DEPTH, 300, LONG));

    assertThat(filled.writes().samples()).isEqualTo(100);
    assertThat(driver.residentPages()).isEqualTo(100);
    assertThat(checked.reads().samples()).isEqualTo(300);
    assertThat(checked.verifiedPages()).isEqualTo(300);
    assertThat(checked.wrongBytes()).isZero();
    assertThat(checked.failures()).isEmpty();
    assertThat(checked.reads().p99Micros()).isGreaterThanOrEqualTo(checked.reads().p50Micros());
  }

  @Test
  void run_tierThatBringsWrongBytes_countsThem() throws InterruptedException {
    // Reports success without having moved a byte.
    TierDriver driver =
        driver(1L << 30, 3, BackingScript.SUCCEED, tier -> new LyingTier(tier, BackingStatus.DONE));

    LoadResult _ = driver.run(Load.fill(DEPTH, 10, LONG));
    LoadResult checked = driver.run(Load.check(DEPTH, 10, LONG));

    assertThat(checked.verifiedPages()).isEqualTo(10);
    assertThat(checked.wrongBytes()).isGreaterThan(10 * PAGE_BYTES * 9 / 10);
  }

  @Test
  void run_fullStoreAndFailingReads_countsThemByTheirEnd() throws InterruptedException {
    BackingScript script =
        new BackingScript() {
          @Override
          public BackingStatus read(BackingRead read) {
            return BackingStatus.DEVICE_ERROR;
          }
        };
    TierDriver driver = driver(4 * PAGE_BYTES, 3, script);

    LoadResult filled = driver.run(Load.fill(DEPTH, 10, LONG));
    LoadResult checked = driver.run(Load.check(DEPTH, 5, LONG));

    assertThat(filled.failures()).containsEntry(BackingStatus.FULL, 6L);
    assertThat(driver.residentPages()).isEqualTo(4);
    assertThat(checked.failures()).containsEntry(BackingStatus.DEVICE_ERROR, 5L);
    assertThat(checked.verifiedPages()).isZero();
  }

  @Test
  void run_pageThatIsLost_isNotReadAgain() throws InterruptedException {
    BackingScript script =
        new BackingScript() {
          @Override
          public BackingStatus read(BackingRead read) {
            return BackingStatus.CORRUPT;
          }
        };
    TierDriver driver = driver(1L << 30, 3, script);

    LoadResult _ = driver.run(Load.fill(DEPTH, 3, LONG));
    LoadResult checked = driver.run(Load.check(1, 3, LONG));

    assertThat(checked.failures()).containsEntry(BackingStatus.CORRUPT, 3L);
    assertThat(driver.residentPages()).isZero();
  }

  @Test
  void run_pacedReadsAndWrites_keepToTheirRates() throws InterruptedException {
    TierDriver driver = driver(1L << 30, 16, BackingScript.SUCCEED);
    LoadResult _ = driver.run(Load.fill(DEPTH, 20, LONG));

    LoadResult both =
        driver.run(
            Load.of(
                new Load.Stream(DEPTH, 500),
                new Load.Stream(DEPTH, 100),
                Duration.ofMillis(20),
                Duration.ofMillis(300)));

    // No more than was due; how much less is the machine's affair.
    assertThat(both.reads().samples()).isBetween(1L, 161L);
    assertThat(both.writes().samples()).isBetween(1L, 33L);
    assertThat(both.reads().p99FromDueMicros())
        .isGreaterThanOrEqualTo(both.reads().p99Micros() * 0.9);
  }

  @Test
  void run_interrupted_hasNothingOpenAfterwards() throws InterruptedException {
    TierDriver driver = driver(1L << 30, 3, BackingScript.SUCCEED);

    Thread.currentThread().interrupt();
    assertThatThrownBy(() -> driver.run(Load.fill(DEPTH, 100, LONG)))
        .isInstanceOf(InterruptedException.class);

    assertThat(Thread.currentThread().isInterrupted()).isFalse();
    LoadResult filled = driver.run(Load.fill(DEPTH, 5, LONG));
    assertThat(filled.writes().samples()).isEqualTo(5);
  }

  private TierDriver driver(long capacityBytes, int mostQueued, BackingScript script) {
    return driver(capacityBytes, mostQueued, script, tier -> tier);
  }

  private TierDriver driver(
      long capacityBytes,
      int mostQueued,
      BackingScript script,
      java.util.function.UnaryOperator<BackingTier> wrap) {
    BackingTier tier =
        wrap.apply(
            new DeterministicBackingTier(
                capacityBytes, mostQueued, script, Thread.ofPlatform().daemon().factory()));
    tiers.add(tier);
    TierDriver driver = new TierDriver(tier, memory, PAGE_BYTES, DEPTH, 1);
    driver.start();
    return driver;
  }
}
