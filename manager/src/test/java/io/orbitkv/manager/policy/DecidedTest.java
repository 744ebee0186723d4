package io.orbitkv.manager.policy;

import static org.assertj.core.api.Assertions.assertThat;

import io.orbitkv.api.policy.Admission;
import io.orbitkv.api.policy.CutoffPolicy.OnDeadline;
import io.orbitkv.api.policy.CutoffPolicy.ReadLimits;
import io.orbitkv.api.policy.Reason;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

class DecidedTest {
  private static final int ALL = Integer.MAX_VALUE;

  @Test
  void strictest_ofNone_isNoLimit() {
    assertThat(Decided.strictest(List.of())).isEqualTo(Decided.NO_LIMITS);
    assertThat(Decided.strictest(List.of(Decided.NO_LIMITS, Decided.NO_LIMITS)))
        .isEqualTo(Decided.NO_LIMITS);
  }

  @Test
  void strictest_zeroIsNoLimitAndNotTheSmallest() {
    ReadLimits all =
        Decided.strictest(
            List.of(
                limits(0, 4, 0, OnDeadline.MISS, ALL, "a"),
                limits(9, 0, 0, OnDeadline.MISS, ALL, "b")));
    assertThat(all.batchBytes()).isEqualTo(9);
    assertThat(all.maxBatches()).isEqualTo(4);
  }

  @Test
  void strictest_ofWhichOneAsksBeforeEachBatch_asks() {
    ReadLimits plain = limits(0, 4, 0, OnDeadline.MISS, ALL, "a");
    for (List<ReadLimits> order :
        List.of(List.of(plain, plain.inSteps()), List.of(plain.inSteps(), plain))) {
      assertThat(Decided.strictest(order).stepwise()).isTrue();
    }
    assertThat(Decided.strictest(List.of(plain)).stepwise()).isFalse();
  }

  @Test
  void strictest_shortestDeadlineSaysWhatItMeans() {
    ReadLimits handOver = limits(0, 0, 50, OnDeadline.HAND_OVER, ALL, "a");
    ReadLimits miss = limits(0, 0, 100, OnDeadline.MISS, ALL, "b");
    for (List<ReadLimits> order : List.of(List.of(handOver, miss), List.of(miss, handOver))) {
      assertThat(Decided.strictest(order).deadline()).isEqualTo(Duration.ofMillis(50));
      assertThat(Decided.strictest(order).onDeadline()).isEqualTo(OnDeadline.HAND_OVER);
      assertThat(Decided.strictest(order).reason()).isEqualTo(Reason.of("a"));
    }
    ReadLimits missAtOnce = limits(0, 0, 50, OnDeadline.MISS, ALL, "c");
    assertThat(Decided.strictest(List.of(handOver, missAtOnce)).onDeadline())
        .isEqualTo(OnDeadline.MISS);
  }

  @Test
  void strictest_reasonIsThatOfWhoeverRestoresLeast() {
    assertThat(
            Decided.strictest(
                    List.of(
                        limits(0, 0, 5, OnDeadline.MISS, ALL, "deadline"),
                        limits(0, 0, 0, OnDeadline.MISS, 3, "part")))
                .reason())
        .isEqualTo(Reason.of("part"));
  }

  @Test
  void choice_ofARead() {
    assertThat(Decided.of(limits(0, 0, 0, OnDeadline.MISS, 0, "a")).choice()).isEqualTo("nothing");
    assertThat(Decided.of(limits(0, 0, 0, OnDeadline.MISS, 5, "a")))
        .isEqualTo(new Decided("part", "a", "restore-pages 5"));
    assertThat(Decided.of(limits(0, 0, 7, OnDeadline.MISS, ALL, "a")))
        .isEqualTo(new Decided("limited", "a", "deadline 7ms MISS"));
    assertThat(Decided.of(Decided.NO_LIMITS).choice()).isEqualTo("whole");
  }

  @Test
  void nonsense_isSeen() {
    assertThat(Decided.indices(List.of(1, 0), 2)).isTrue();
    assertThat(Decided.indices(List.of(2), 2)).isFalse();
    assertThat(Decided.indices(List.of(0, 0), 2)).isFalse();
    assertThat(Decided.indices(Arrays.asList(0, null), 2)).isFalse();
    assertThat(Decided.sensible(Admission.later(Decided.DEFAULT, Duration.ofSeconds(-1))))
        .isFalse();
    assertThat(Decided.sensible(limits(-1, 0, 0, OnDeadline.MISS, 0, "a"))).isFalse();
    assertThat(Decided.sensible(Decided.NO_LIMITS)).isTrue();
  }

  private static ReadLimits limits(
      long batchBytes,
      int maxBatches,
      long deadlineMillis,
      OnDeadline onDeadline,
      int restorePages,
      String reason) {
    return new ReadLimits(
        batchBytes,
        maxBatches,
        Duration.ofMillis(deadlineMillis),
        onDeadline,
        restorePages,
        Reason.of(reason));
  }
}
