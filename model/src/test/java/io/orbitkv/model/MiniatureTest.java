package io.orbitkv.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.orbitkv.api.policy.Admission;
import io.orbitkv.api.policy.AdmissionPolicy;
import io.orbitkv.api.policy.ChainFacts;
import io.orbitkv.api.policy.PageBatch;
import io.orbitkv.api.policy.PageEvents;
import io.orbitkv.api.policy.Policy;
import io.orbitkv.api.policy.PolicySlot;
import io.orbitkv.api.policy.Reason;
import io.orbitkv.api.policy.RetentionPolicy;
import io.orbitkv.api.policy.TierFacts;
import java.util.EnumMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

class MiniatureTest {
  private static final Reason REASON = Reason.of("test");
  private static final int PAGE_BYTES = 64;

  @Test
  void serve_everyConversation_hitsAsTheWholeModelDoes() {
    ModelTrace trace = SmallTraces.conversations(3, 3_000);
    Map<PolicySlot, Supplier<Policy>> policies =
        Map.of(PolicySlot.RETENTION_DRAM, ByUses::new, PolicySlot.ADMISSION_SSD, SecondTouch::new);

    ModelTotals whole =
        ModelTotals.of(new ModelRun(trace, settings(60, 200, 1), hosted(policies)).run());
    SampledPages pages = new SampledPages(trace.distinctPages());
    Miniature miniature = new Miniature(pages, settings(60, 200, 1), hosted(policies));
    feed(trace, pages, new ConversationSample(1, 0), List.of(miniature));

    assertThat(miniature.lookups()).isEqualTo(whole.requests());
    assertThat(miniature.lookedUpPages()).isEqualTo(whole.pages());
    assertThat(miniature.hitPages()).isEqualTo(whole.hitPages());
    assertThat(miniature.ssdWrittenBytes()).isEqualTo(whole.ssdWrittenBytes());
    assertThat(miniature.turnedOver()).isTrue();
  }

  @Test
  void serve_numbersUsedAgain_changeNoHit() {
    ModelTrace trace = SmallTraces.conversations(4, 3_000);
    long whole = ModelTotals.of(new ModelRun(trace, settings(60, 0, 1), Map.of()).run()).hitPages();
    SampledPages pages = new SampledPages(200);
    Miniature miniature = new Miniature(pages, settings(60, 0, 1), Map.of());

    int refused = feed(trace, pages, new ConversationSample(1, 0), List.of(miniature));

    assertThat(refused).isZero();
    assertThat(trace.distinctPages()).isGreaterThan(10 * 200);
    assertThat(pages.known()).isEqualTo(200);
    assertThat(miniature.hitPages()).isEqualTo(whole);
  }

  @Test
  void lookUp_everyNumberInUse_isTakenByNobody() {
    SampledPages pages = new SampledPages(16);
    Miniature first = new Miniature(pages, settings(12, 0, 1), Map.of());
    Miniature second = new Miniature(pages, settings(16, 0, 1), Map.of());
    long[] chain = ids(1, 12);
    assertThat(pages.lookUp(chain, 12, 0.5)).isEqualTo(SampledPages.Taken.TAKEN);
    first.serve(true, 1);
    second.serve(true, 1);

    assertThat(pages.lookUp(ids(100, 8), 8, 0.5)).isEqualTo(SampledPages.Taken.FULL);

    assertThat(pages.lookUp(chain, 12, 0.5)).isEqualTo(SampledPages.Taken.TAKEN);
    first.serve(true, 2);
    assertThat(first.hitPages()).isEqualTo(12);
  }

  @Test
  void lookUp_pageBehindAnotherOne_isRefused() {
    SampledPages pages = new SampledPages(16);
    assertThat(pages.lookUp(new long[] {1, 2}, 2, 0.5)).isEqualTo(SampledPages.Taken.TAKEN);

    assertThat(pages.lookUp(new long[] {3, 2}, 2, 0.5)).isEqualTo(SampledPages.Taken.UNCHAINED);
  }

  @Test
  void publish_answerBehindAPrompt_isFoundByTheNextTurn() {
    SampledPages pages = new SampledPages(64);
    Miniature miniature = new Miniature(pages, settings(32, 0, 1), Map.of());
    assertThat(pages.lookUp(new long[] {1, 2, 3}, 3, 0.5)).isEqualTo(SampledPages.Taken.TAKEN);
    miniature.serve(true, 1);

    assertThat(pages.publish(true, 2, new long[] {3, 4, 5}, 3, 0.5))
        .isEqualTo(SampledPages.Taken.TAKEN);
    miniature.serve(false, 2);
    assertThat(pages.publish(true, 2, new long[] {3, 4, 5}, 3, 0.5))
        .isEqualTo(SampledPages.Taken.NOTHING);
    assertThat(pages.publish(true, 77, new long[] {78}, 1, 0.5))
        .isEqualTo(SampledPages.Taken.NOTHING);

    assertThat(pages.lookUp(new long[] {1, 2, 3, 4, 5, 6}, 6, 0.5))
        .isEqualTo(SampledPages.Taken.TAKEN);
    miniature.serve(true, 3);
    assertThat(miniature.lookups()).isEqualTo(2);
    assertThat(miniature.lookedUpPages()).isEqualTo(9);
    assertThat(miniature.hitPages()).isEqualTo(5);
    assertThat(miniature.dramWrittenBytes()).isEqualTo(6 * PAGE_BYTES);
  }

  @Test
  void grantWrites_limitedWrites_writeWhatWasGranted() {
    SampledPages pages = new SampledPages(64);
    Miniature miniature = new Miniature(pages, settings(32, 32, 1), Map.of());
    miniature.limitWrites();
    miniature.grantWrites(2.5 * PAGE_BYTES);

    assertThat(pages.lookUp(ids(1, 8), 8, 0.5)).isEqualTo(SampledPages.Taken.TAKEN);
    miniature.serve(true, 1);

    assertThat(miniature.ssdWrittenBytes()).isEqualTo(2 * PAGE_BYTES);
  }

  @Test
  void takes_conversations_areDrawnApartFromTheNumberThatPoliciesSee() {
    ConversationSample sample = new ConversationSample(0.25, 7);
    int taken = 0;
    int takenLow = 0;
    for (int i = 0; i < 40_000; i++) {
      double unit = (i + 0.5) / 40_000;
      taken += sample.takes(unit) ? 1 : 0;
      takenLow += unit < 0.25 && sample.takes(unit) ? 1 : 0;
    }
    assertThat(taken / 40_000.0).isCloseTo(0.25, within(0.01));
    assertThat((double) takenLow / taken).isCloseTo(0.25, within(0.02));
    assertThatThrownBy(() -> new ConversationSample(0, 1)).hasMessageContaining("[0.0]");
  }

  @Test
  void feed_quarterOfConversationsAndCapacity_differsAsTheWholeDoes() {
    ModelTrace trace = SmallTraces.comebacks(11, 40_000, 1_600);
    int dram = 1_200;
    long byUse = hits(trace, dram, Map.of());
    long byUses = hits(trace, dram, Map.of(PolicySlot.RETENTION_DRAM, ByUses::new));
    double whole = (double) (byUses - byUse) / trace.totalPages();
    assertThat(Math.abs(whole)).isGreaterThan(0.01);

    for (int salt = 0; salt < 6; salt++) {
      SampledPages pages = new SampledPages(4_096);
      Miniature active = new Miniature(pages, settings(dram / 4, 0, 0.25), Map.of());
      Miniature shadow =
          new Miniature(
              pages,
              settings(dram / 4, 0, 0.25),
              hosted(Map.of(PolicySlot.RETENTION_DRAM, ByUses::new)));
      feed(trace, pages, new ConversationSample(0.25, salt), List.of(active, shadow));

      double small = (double) (shadow.hitPages() - active.hitPages()) / active.lookedUpPages();
      assertThat(small)
          .as("salt %d of %f", salt, whole)
          .isCloseTo(whole, within(0.6 * Math.abs(whole)));
    }
  }

  private static long hits(ModelTrace trace, int dram, Map<PolicySlot, Supplier<Policy>> policies) {
    return ModelTotals.of(new ModelRun(trace, settings(dram, 0, 1), hosted(policies)).run())
        .hitPages();
  }

  /** Returns how many requests were not taken. */
  private static int feed(
      ModelTrace trace, SampledPages pages, ConversationSample sample, List<Miniature> miniatures) {
    int refused = 0;
    for (int r = 0; r < trace.requests(); r++) {
      double unit = trace.unitHash(trace.page(r, trace.pages(r) - 1));
      if (!sample.takes(unit)) {
        continue;
      }
      long[] ids = new long[trace.pages(r)];
      for (int i = 0; i < ids.length; i++) {
        ids[i] = trace.id(trace.page(r, i));
      }
      if (pages.lookUp(ids, ids.length, unit) == SampledPages.Taken.TAKEN) {
        long at = trace.arrivalNanos(r);
        miniatures.forEach(each -> each.serve(true, at));
      } else {
        refused++;
      }
    }
    return refused;
  }

  private static long[] ids(long from, int count) {
    long[] ids = new long[count];
    for (int i = 0; i < count; i++) {
      ids[i] = from + i;
    }
    return ids;
  }

  private static ModelSettings settings(long dramPages, long ssdPages, double share) {
    return new ModelSettings(
        PAGE_BYTES,
        dramPages * PAGE_BYTES,
        ssdPages * PAGE_BYTES,
        VictimRule.kernel(64).scaled(share),
        0,
        1);
  }

  private static Map<PolicySlot, HostedPolicy> hosted(Map<PolicySlot, Supplier<Policy>> policies) {
    Map<PolicySlot, HostedPolicy> hosted = new EnumMap<>(PolicySlot.class);
    policies.forEach((slot, make) ->
        hosted.put(slot, new HostedPolicy("test", make.get(), new ModelContext("test", 1))));
    return hosted;
  }

  /** Keeps what was used more often. */
  private static final class ByUses implements RetentionPolicy {
    @Override
    public void observe(PageEvents events) {}

    @Override
    public void score(PageBatch candidates, long[] scores) {
      for (int i = 0; i < candidates.size(); i++) {
        scores[i] = candidates.uses(i);
      }
    }
  }

  /** Writes what was asked for before. */
  private static final class SecondTouch implements AdmissionPolicy {
    private final Set<Long> seen = new HashSet<>();

    @Override
    public Admission admit(ChainFacts chain, TierFacts target) {
      return seen.add(chain.id()) ? Admission.drop(REASON) : Admission.admit(REASON);
    }
  }
}
