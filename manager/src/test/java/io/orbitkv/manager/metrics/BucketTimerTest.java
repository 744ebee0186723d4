package io.orbitkv.manager.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.distribution.HistogramSnapshot;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

final class BucketTimerTest {
  private final ManagerMeterRegistry registry = new ManagerMeterRegistry(() -> 0);
  private final BucketTimer timer = registry.duration("orbitkv_some_seconds", "some");

  @Test
  void bucket_ofAnyDuration_isTheFirstWhoseEdgeIsNotBelowIt() {
    SplittableRandom random = new SplittableRandom(11);
    for (int i = 0; i < 100_000; i++) {
      long nanos = random.nextLong(1L << random.nextInt(1, 63));
      int bucket = DurationEdges.bucket(nanos);
      assertThat(DurationEdges.floorNanos(bucket) < nanos || bucket == 0).isTrue();
      assertThat(nanos <= DurationEdges.edgeNanos(bucket) || bucket == DurationEdges.buckets() - 1)
          .isTrue();
    }
    for (int bucket = 0; bucket < DurationEdges.buckets() - 1; bucket++) {
      assertThat(DurationEdges.bucket(DurationEdges.edgeNanos(bucket))).isEqualTo(bucket);
      assertThat(DurationEdges.bucket(DurationEdges.edgeNanos(bucket) + 1)).isEqualTo(bucket + 1);
    }
  }

  @Test
  void shownEdges_areOneTwoAndAHalfAndFiveOfEachDecade() {
    StringBuilder edges = new StringBuilder();
    for (int shown = 0; shown < DurationEdges.shownEdges(); shown++) {
      edges.append(DurationEdges.edgeNanos(DurationEdges.shownBucket(shown))).append(' ');
    }
    assertThat(edges.toString())
        .startsWith("1000 2500 5000 10000 25000 50000 100000 ")
        .endsWith("10000000000 25000000000 50000000000 100000000000 ");
  }

  @Test
  void distribution_afterRecords_countsAndRanksThem() {
    for (int i = 1; i <= 1000; i++) {
      timer.record(i, TimeUnit.MICROSECONDS);
    }
    timer.recordNanos(-1);
    Distribution seen = timer.distribution();
    assertThat(seen.count()).isEqualTo(1000);
    assertThat(seen.totalNanos()).isEqualTo(500_500_000);
    assertThat(seen.maxNanos()).isEqualTo(1_000_000);
    assertThat(seen.percentileNanos(0.5)).isBetween(500_000L, 563_000L);
    assertThat(seen.percentileNanos(0.99)).isBetween(990_000L, 1_000_000L);
    assertThat(seen.upTo(6)).isEqualTo(100);
    HistogramSnapshot snapshot = timer.takeSnapshot();
    assertThat(snapshot.count()).isEqualTo(1000);
    assertThat(snapshot.percentileValues()).hasSize(3);
    assertThat(timer.count()).isEqualTo(1000);
    assertThat(timer.totalTime(TimeUnit.MILLISECONDS)).isEqualTo(500.5);
    assertThat(timer.max(TimeUnit.MICROSECONDS)).isEqualTo(1000);
  }

  @Test
  void distribution_ofNothing_isZero() {
    assertThat(timer.distribution().percentileNanos(0.95)).isZero();
    assertThat(timer.distribution().count()).isZero();
  }

  @Test
  void distribution_beyondTheLastEdge_saysTheLongest() {
    timer.record(5_000, TimeUnit.SECONDS);
    assertThat(timer.distribution().percentileNanos(0.5)).isEqualTo(5_000_000_000_000L);
    assertThat(timer.distribution().upTo(DurationEdges.shownEdges() - 1)).isZero();
  }
}
