package io.orbitkv.policy.restoreorrecompute;

import static org.assertj.core.api.Assertions.assertThat;

import io.orbitkv.api.policy.CutoffPolicy.OnDeadline;
import io.orbitkv.api.policy.CutoffPolicy.ReadLimits;
import io.orbitkv.api.policy.TierKind;
import io.orbitkv.testkit.policy.PolicyTester;
import io.orbitkv.testkit.policy.RequestTrial;
import io.orbitkv.testkit.policy.TestTier;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** Pages of 100 tokens and 10 MB. */
class RestoreOrRecomputeTest {
  private static final int PAGE_TOKENS = 100;
  private static final long PAGE_BYTES = 10_000_000;

  private final PolicyTester policy = PolicyTester.of(new RestoreOrRecomputePlugin());

  private static TestTier tier(long bytesPerSecond) {
    return TestTier.of(TierKind.SSD)
        .queuedBytes(0)
        .readBytesPerSecond(bytesPerSecond)
        .readLatencyNanos(0);
  }

  private RequestTrial request(int dram, int ssd) {
    return policy.request("r").pages(100, PAGE_TOKENS, PAGE_BYTES).resident(0, dram, ssd);
  }

  @Test
  void pagesOfAFastTier_areAllRestored() {
    // A page takes 2 ms to read and 10 ms to compute.
    ReadLimits limits =
        policy
            .store(tier(5_000_000_000L))
            .prefill(10_000)
            .request("r")
            .pages(100, PAGE_TOKENS, PAGE_BYTES)
            .resident(0, 0, 80)
            .plan();

    assertThat(limits.reason()).isEqualTo(RestoreOrRecompute.ALL);
    assertThat(limits.restorePages()).isEqualTo(Integer.MAX_VALUE);
  }

  @Test
  void pagesOfASlowTier_areRecomputedAndThoseInMemoryRestored() {
    // The tier was read from lately, so it is not measured again.
    policy.store(tier(5_000_000_000L)).prefill(10_000).queuedTokens(0);
    request(0, 80).plan();
    policy.store(tier(500_000_000));

    ReadLimits limits = request(20, 60).plan();

    assertThat(limits.reason()).isEqualTo(RestoreOrRecompute.RECOMPUTE);
    assertThat(limits.restorePages()).isEqualTo(20);
    assertThat(limits.deadline()).isZero();
  }

  @Test
  void pagesOfAFastTierWithALongQueue_areRecomputed() {
    policy.store(tier(5_000_000_000L).queuedBytes(50_000_000_000L)).prefill(10_000).queuedTokens(0);
    request(0, 80).plan();

    assertThat(request(0, 80).plan().reason()).isEqualTo(RestoreOrRecompute.RECOMPUTE);
  }

  @Test
  void pagesOfASlowTierWhileTheEngineIsBusy_areRestoredAsFarAsTheReadIsFree() {
    // 500 ms of work wait; a page takes 20 ms to read.
    ReadLimits limits =
        policyWith(tier(500_000_000))
            .queuedTokens(5_000)
            .request("r")
            .pages(100, PAGE_TOKENS, PAGE_BYTES)
            .resident(0, 10, 80)
            .plan();

    assertThat(limits.reason()).isEqualTo(RestoreOrRecompute.FIRST_PAGES);
    assertThat(limits.restorePages()).isEqualTo(10 + 25);
  }

  private PolicyTester policyWith(TestTier tier) {
    return policy.store(tier).prefill(10_000);
  }

  @Test
  void read_ofAnyLength_lastsNoLongerThanRecomputing() {
    ReadLimits limits =
        policyWith(tier(5_000_000_000L))
            .queuedTokens(1_000)
            .request("r")
            .pages(100, PAGE_TOKENS, PAGE_BYTES)
            .resident(0, 20, 80)
            .plan();

    // 1,000 tokens that wait and 8,000 of its own, at 10,000 a second.
    assertThat(limits.deadline()).isEqualTo(Duration.ofMillis(900));
    assertThat(limits.onDeadline()).isEqualTo(OnDeadline.HAND_OVER);
  }

  @Test
  void tierNobodyMeasured_isTriedWithASmallRead() {
    policy.prefill(10_000);

    ReadLimits limits = request(5, 80).plan();

    assertThat(limits.reason()).isEqualTo(RestoreOrRecompute.TRIAL);
    assertThat(limits.restorePages()).isEqualTo(5 + 3);
    assertThat(limits.deadline()).isPositive();
  }

  @Test
  void tierNobodyMeasured_isTriedByOneReadAtATime() {
    policy.prefill(10_000);
    request(0, 80).plan();

    assertThat(request(5, 80).plan().reason()).isEqualTo(RestoreOrRecompute.BETWEEN_TRIALS);
    assertThat(request(5, 80).plan().restorePages()).isEqualTo(5);
    policy.advance(Duration.ofMillis(100));
    assertThat(request(5, 80).plan().reason()).isEqualTo(RestoreOrRecompute.TRIAL);
  }

  @Test
  void slowTier_isMeasuredAgainAfterTheInterval() {
    policy.store(tier(900_000_000)).prefill(10_000).queuedTokens(0);
    assertThat(request(0, 80).plan().reason()).isEqualTo(RestoreOrRecompute.TRIAL_AGAIN);
    assertThat(request(0, 80).plan().reason()).isEqualTo(RestoreOrRecompute.RECOMPUTE);

    policy.advance(Duration.ofSeconds(59));
    assertThat(request(0, 80).plan().reason()).isEqualTo(RestoreOrRecompute.RECOMPUTE);
    policy.advance(Duration.ofSeconds(1));

    assertThat(request(0, 80).plan().reason()).isEqualTo(RestoreOrRecompute.TRIAL_AGAIN);
  }

  @Test
  void verySlowTier_isMeasuredAgainAfterTenIntervals() {
    policy.store(tier(10_000_000)).prefill(10_000).queuedTokens(0);
    request(0, 80).plan();

    policy.advance(Duration.ofMinutes(9));
    assertThat(request(0, 80).plan().reason()).isEqualTo(RestoreOrRecompute.RECOMPUTE);
    policy.advance(Duration.ofMinutes(1));

    assertThat(request(0, 80).plan().reason()).isEqualTo(RestoreOrRecompute.TRIAL_AGAIN);
  }

  @Test
  void slowTier_withoutAnInterval_isNotMeasuredAgain() {
    PolicyTester never =
        PolicyTester.of(new RestoreOrRecomputePlugin()).set("trial-interval", "0ms");
    never.store(tier(10_000_000)).prefill(10_000);

    assertThat(
            never
                .request("r")
                .pages(100, PAGE_TOKENS, PAGE_BYTES)
                .resident(0, 0, 80)
                .plan()
                .reason())
        .isEqualTo(RestoreOrRecompute.RECOMPUTE);
  }

  @Test
  void engineThatTellsNoRate_isTakenToComputeAsTheSettingSays() {
    // A page takes 5 ms to compute at 20,000 tokens a second, and 4 or 8 ms to read.
    assertThat(
            policy
                .store(tier(2_500_000_000L))
                .request("r")
                .pages(100, PAGE_TOKENS, PAGE_BYTES)
                .resident(0, 0, 80)
                .plan()
                .reason())
        .isEqualTo(RestoreOrRecompute.ALL);
    policy.advance(Duration.ofSeconds(30));
    assertThat(
            policy
                .store(tier(1_250_000_000L))
                .request("r")
                .pages(100, PAGE_TOKENS, PAGE_BYTES)
                .resident(0, 0, 80)
                .plan()
                .reason())
        .isEqualTo(RestoreOrRecompute.RECOMPUTE);
  }

  @Test
  void requestWithNothingStored_isNotShortened() {
    assertThat(request(20, 0).plan().reason()).isEqualTo(RestoreOrRecompute.NOTHING_STORED);
    assertThat(request(20, 0).plan().restorePages()).isEqualTo(Integer.MAX_VALUE);
  }

  @Test
  void requestWithSeveralGroups_isRestoredAsAWholeOrNotAtAll() {
    policyWith(tier(500_000_000)).queuedTokens(5_000);
    policy.store(tier(5_000_000_000L));
    assertThat(request(10, 80).groups(2).plan().reason()).isEqualTo(RestoreOrRecompute.ALL);
    policy.store(tier(500_000_000)).queuedTokens(0);

    ReadLimits limits = request(10, 80).groups(2).plan();

    assertThat(limits.reason()).isEqualTo(RestoreOrRecompute.RECOMPUTE);
    assertThat(limits.restorePages()).isZero();
  }

  @Test
  void engineThatIsOftenBusy_hasMoreRestoredThanIsBestForTheRequestAlone() {
    // A page takes 11 ms to read and 10 ms to compute.
    policyWith(tier(909_000_000)).queuedTokens(0);
    request(0, 80).plan();
    assertThat(request(0, 80).plan().reason()).isEqualTo(RestoreOrRecompute.RECOMPUTE);

    policy.queuedTokens(4_000);
    for (int i = 0; i < 50; i++) {
      request(0, 80).plan();
    }

    assertThat(request(0, 80).plan().reason()).isEqualTo(RestoreOrRecompute.ALL);
  }

  @Test
  void engineThatManyWaitFor_isLeftToThemAndTheReadMayLastAsLongAsRecomputingWouldCostAll() {
    // A page takes 20 ms to read and 10 ms to compute; each request computes almost all of its 80
    // pages, the first of them reads a few to measure the tier.
    policyWith(tier(500_000_000)).queuedTokens(0);
    for (int i = 0; i < 50; i++) {
      request(0, 80).plan();
    }
    assertThat(request(0, 80).plan().reason()).isEqualTo(RestoreOrRecompute.RECOMPUTE);

    // Three requests wait, 0.8 s each: that one more computes nothing is worth more than its wait.
    policy.queuedTokens(3 * 8_000);
    ReadLimits limits = request(0, 80).plan();

    assertThat(limits.reason()).isEqualTo(RestoreOrRecompute.ALL);
    assertThat(limits.deadline()).isGreaterThan(Duration.ofMillis(2_400 + 800));
    assertThat(limits.deadline()).isLessThan(Duration.ofMillis(2_400 + 800 + 4 * 800));
  }
}
