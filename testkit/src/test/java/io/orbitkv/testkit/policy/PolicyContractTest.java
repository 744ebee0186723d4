package io.orbitkv.testkit.policy;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.orbitkv.api.policy.Admission;
import io.orbitkv.api.policy.CutoffPolicy.OnDeadline;
import io.orbitkv.api.policy.CutoffPolicy.ReadLimits;
import io.orbitkv.api.policy.PageBatch;
import io.orbitkv.api.policy.PageEvents;
import io.orbitkv.api.policy.Reason;
import io.orbitkv.api.policy.RetentionPolicy;
import io.orbitkv.testkit.policy.FaultyPolicyKits.Admissions;
import io.orbitkv.testkit.policy.FaultyPolicyKits.Cutoffs;
import io.orbitkv.testkit.policy.FaultyPolicyKits.Lookaheads;
import io.orbitkv.testkit.policy.FaultyPolicyKits.Retentions;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Test;

/** The kits find the faults that they are there for, and nothing in a policy that is right. */
class PolicyContractTest {
  private static final Reason WHY = Reason.of("why");

  @Test
  void admissionThatDividesByUnknownQuantities_isCaught() {
    Admissions kit =
        new Admissions(context ->
            (chain, target) ->
                100 * chain.bytes() / (target.capacityBytes() + 1) > 1
                    ? Admission.drop(WHY)
                    : Admission.admit(WHY));
    kit.newContext();

    assertThatThrownBy(kit::admit_onAnyFacts_answersWithAReasonAndASensibleDelay)
        .isInstanceOf(ArithmeticException.class);
  }

  @Test
  void admissionThatRemembersEveryChain_isCaught() {
    Admissions kit =
        new Admissions(context -> {
          Map<Long, Long> seen = new HashMap<>();
          return (chain, target) ->
              seen.merge(chain.id(), 1L, Long::sum) > 1
                  ? Admission.admit(WHY)
                  : Admission.drop(WHY);
        });
    kit.newContext();

    assertThatThrownBy(kit::admit_ofMillionsOfChains_keepsItsMemoryBounded)
        .isInstanceOf(AssertionError.class)
        .hasMessageContaining("after a second million keys");
  }

  @Test
  void admissionThatDrawsForeignRandomNumbers_isCaught() {
    RandomGenerator foreign = RandomGenerator.getDefault();
    Admissions kit =
        new Admissions(context ->
            (chain, target) -> foreign.nextBoolean() ? Admission.admit(WHY) : Admission.drop(WHY));
    kit.newContext();

    assertThatThrownBy(kit::decisions_ofEqualRuns_areEqualWhenThePolicyIsReplayable)
        .isInstanceOf(AssertionError.class);
  }

  @Test
  void admissionThatDrawsTheContextsRandomNumbers_isRight() {
    Admissions kit =
        new Admissions(context ->
            (chain, target) ->
                context.random().nextBoolean() ? Admission.admit(WHY) : Admission.drop(WHY));
    kit.newContext();

    assertThatCode(kit::decisions_ofEqualRuns_areEqualWhenThePolicyIsReplayable)
        .doesNotThrowAnyException();
    assertThatCode(kit::admit_onAnyFacts_answersWithAReasonAndASensibleDelay)
        .doesNotThrowAnyException();
  }

  @Test
  void admissionThatPutsOffForADay_isCaught() {
    Admissions kit =
        new Admissions(context -> (chain, target) -> Admission.later(WHY, Duration.ofDays(1)));
    kit.newContext();

    assertThatThrownBy(kit::admit_onAnyFacts_answersWithAReasonAndASensibleDelay)
        .isInstanceOf(AssertionError.class);
  }

  @Test
  void admissionThatStartsATimerAtEachQuestion_isCaught() {
    Admissions kit =
        new Admissions(context ->
            (chain, target) -> {
              context.schedule(Duration.ofHours(1), 1);
              return Admission.admit(WHY);
            });
    kit.newContext();

    assertThatThrownBy(kit::timers_afterManyQuestions_areFewerThanTheManagerKeeps)
        .isInstanceOf(AssertionError.class);
  }

  @Test
  void cutoffWithANegativeLength_isCaught() {
    Cutoffs kit =
        new Cutoffs((request, source, engine) ->
            new ReadLimits(0, 0, Duration.ZERO, OnDeadline.MISS, request.ssdPages() - 100, WHY));
    kit.newContext();

    assertThatThrownBy(kit::plan_onAnyFacts_answersSensibleLimits)
        .isInstanceOf(AssertionError.class)
        .hasMessageContaining("pages to restore");
  }

  @Test
  void lookaheadThatChoosesBehindTheQueue_isCaught() {
    Lookaheads kit = new Lookaheads(queue -> List.of(0));
    kit.newContext();

    assertThatThrownBy(kit::prepare_onAnyQueue_choosesEntriesOfTheQueueOnceEach)
        .isInstanceOf(AssertionError.class);
    assertThatThrownBy(kit::prepare_onAnEmptyQueue_choosesNothing)
        .isInstanceOf(AssertionError.class);
  }

  @Test
  void retentionThatLeavesOutScores_isCaught() {
    Retentions kit =
        new Retentions(context ->
            new Retention() {
              @Override
              public void score(PageBatch candidates, long[] scores) {
                for (int i = 1; i < candidates.size(); i++) {
                  scores[i] = candidates.uses(i);
                }
              }
            });
    kit.newContext();

    assertThatThrownBy(kit::score_ofAnyPages_fillsEveryEntryAndNoFurther)
        .isInstanceOf(AssertionError.class);
  }

  @Test
  void retentionThatWaitsForRemovals_isCaught() {
    Retentions kit =
        new Retentions(context ->
            new Retention() {
              private final Map<Long, Long> uses = new HashMap<>();

              @Override
              public void observe(PageEvents events) {
                for (int i = 0; i < events.pages().size(); i++) {
                  if (events.kind(i) == PageEvents.Kind.REMOVED) {
                    uses.remove(events.pages().id(i));
                  } else {
                    uses.merge(events.pages().id(i), 1L, Long::sum);
                  }
                }
              }
            });
    kit.newContext();

    assertThatCode(kit::observe_ofMillionsOfPagesThatLeave_keepsItsMemoryBounded)
        .doesNotThrowAnyException();
    assertThatThrownBy(kit::observe_ofMillionsOfPagesWhoseRemovalIsLost_keepsItsMemoryBounded)
        .isInstanceOf(AssertionError.class);
  }

  /** A policy that is right: by uses. */
  private static class Retention implements RetentionPolicy {
    @Override
    public void observe(PageEvents events) {}

    @Override
    public void score(PageBatch candidates, long[] scores) {
      for (int i = 0; i < candidates.size(); i++) {
        scores[i] = candidates.uses(i);
      }
    }
  }
}
