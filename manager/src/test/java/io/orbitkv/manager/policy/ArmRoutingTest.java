package io.orbitkv.manager.policy;

import static org.assertj.core.api.Assertions.assertThat;

import io.orbitkv.api.policy.CutoffPolicy;
import io.orbitkv.api.policy.LookaheadPolicy;
import io.orbitkv.api.policy.PolicySlot;
import io.orbitkv.api.policy.Reason;
import io.orbitkv.api.policy.RequestFacts;
import io.orbitkv.kernel.Command;
import io.orbitkv.kernel.Event;
import io.orbitkv.manager.dispatch.PolicyFigures;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Both variants of an experiment serve at once. */
class ArmRoutingTest {
  private static final CutoffPolicy.ReadProgress PROGRESS =
      new CutoffPolicy.ReadProgress(Duration.ofMillis(1), 1, 2, 3);

  private final HostUnderTest under = new HostUnderTest();

  /** Restores so many pages, in steps; goes on unless it restores one. */
  private static SlotPlan cutoff(int pages) {
    return HostUnderTest.plan(
        "restore-" + pages,
        new CutoffPolicy() {
          @Override
          public ReadLimits plan(
              RequestFacts request,
              io.orbitkv.api.policy.TierFacts source,
              io.orbitkv.api.policy.EngineFacts engine) {
            return new ReadLimits(0, 0, Duration.ZERO, OnDeadline.MISS, pages, Reason.of("pages"))
                .inSteps();
          }

          @Override
          public boolean proceed(ReadProgress progress) {
            return pages != 1;
          }
        });
  }

  private static SlotPlan first() {
    return HostUnderTest.plan(
        "first", (LookaheadPolicy) queue -> queue.isEmpty() ? List.<Integer>of() : List.of(0));
  }

  private static SlotPlan all() {
    return HostUnderTest.plan(
        "all", (LookaheadPolicy) queue -> IntStream.range(0, queue.size()).boxed().toList());
  }

  private long now() {
    return under.clock.getAsLong();
  }

  private void serve(PolicySlot slot, Service service) {
    assertThat(under.host.serve(Map.of(slot, service), "test")).isPresent();
  }

  @Test
  void readPlans_andTheirSteps_goToTheVariantOfTheirRequest() throws Exception {
    under.host.route((instance, _) -> instance.equals("other"), true);
    serve(PolicySlot.CUTOFF, Service.both(cutoff(7), cutoff(1)));
    RequestFacts ofA = HostUnderTest.request("a");
    RequestFacts ofB =
        new RequestFacts(
            "other", "b", "", 1, 64, 4, HostUnderTest.chain(9), 0, 1, 3, false, List.of());

    under.host.ask(new Command.AskReadPlan(1, ofA), now());
    assertThat(under.await(Event.ReadPlanAdvice.class).limits().restorePages()).isEqualTo(7);
    under.host.ask(new Command.AskReadPlan(2, ofB), now());
    assertThat(under.await(Event.ReadPlanAdvice.class).limits().restorePages()).isEqualTo(1);
    under.host.ask(new Command.AskReadOn(3, 1, PROGRESS), now());
    assertThat(under.await(Event.ReadOnAdvice.class).goOn()).isTrue();
    under.host.ask(new Command.AskReadOn(4, 2, PROGRESS), now());
    assertThat(under.await(Event.ReadOnAdvice.class).goOn()).isFalse();

    assertThat(under.figures(PolicySlot.CUTOFF, "restore-7").variant()).isEqualTo("A");
    assertThat(under.figures(PolicySlot.CUTOFF, "restore-1").variant()).isEqualTo("B");
    assertThat(under.host.decisions("A")).isEqualTo(2);
    assertThat(under.host.decisions("B")).isEqualTo(2);
    assertThat(under.host.fallbacks("A") + under.host.fallbacks("B")).isZero();
    assertThat(under.host.decisions(Service.NO_VARIANT)).isZero();
    long asked = under.host.figures().stream().mapToLong(PolicyFigures::asked).sum();
    assertThat(asked).isEqualTo(4);
  }

  @Test
  void queue_isSplitByChain_andWhatIsPreparedIsJoined() throws Exception {
    under.host.route((_, unitHash) -> unitHash >= 0.5, true);
    serve(PolicySlot.LOOKAHEAD, Service.both(first(), all()));
    List<RequestFacts> queue =
        List.of(request("a1", 0.1), request("b1", 0.9), request("a2", 0.2), request("b2", 0.8));

    under.host.ask(new Command.AskLookahead(5, queue), now());
    under.await(Event.Lookahead.class);
    Event.Lookahead both = under.await(Event.Lookahead.class);

    assertThat(both.instance()).isEqualTo(5);
    assertThat(both.requestIds()).containsExactlyInAnyOrder("a1", "b1", "b2");
  }

  @Test
  void variantWithoutAPolicy_preparesNothing_andTheOtherGoesOn() throws Exception {
    under.host.route((_, unitHash) -> unitHash >= 0.5, true);
    serve(PolicySlot.LOOKAHEAD, Service.both(SlotPlan.builtIn(SlotPlan.NONE), all()));

    under.host.ask(
        new Command.AskLookahead(5, List.of(request("a", 0.1), request("b", 0.9))), now());
    Event.Lookahead none = under.await(Event.Lookahead.class);
    Event.Lookahead some = under.await(Event.Lookahead.class);

    assertThat(none.requestIds()).isEmpty();
    assertThat(some.requestIds()).containsExactly("b");
  }

  @Test
  void policyThatGoesOnUnderAnotherVariant_isNotFreshAndKeepsItsInstance() {
    SlotPlan plan = cutoff(3);
    under.serve(PolicySlot.CUTOFF, plan);

    Event.Policies told =
        (Event.Policies)
            under
                .host
                .serve(Map.of(PolicySlot.CUTOFF, Service.as("A", plan)), "turn")
                .orElseThrow();

    assertThat(told.asked()).containsExactly(PolicySlot.CUTOFF);
    assertThat(told.fresh()).isEmpty();
    assertThat(under.host.epoch()).isEqualTo(2);
    assertThat(under.host.serve(Map.of(PolicySlot.CUTOFF, Service.as("A", plan)), "again"))
        .isEmpty();
  }

  private static RequestFacts request(String id, double unitHash) {
    io.orbitkv.api.policy.ChainFacts chain =
        new io.orbitkv.api.policy.ChainFacts(
            id.hashCode(),
            -1,
            0,
            4,
            0,
            4096,
            io.orbitkv.api.policy.TierKind.DEVICE,
            -1,
            1,
            unitHash);
    return new RequestFacts("engine", id, "", 1, 64, 4, chain, 0, 1, 3, false, List.of());
  }

  @org.junit.jupiter.api.AfterEach
  void close() {
    under.close();
  }
}
