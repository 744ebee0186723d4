package io.orbitkv.manager.policy;

import static io.orbitkv.manager.policy.HostUnderTest.chain;
import static io.orbitkv.manager.policy.HostUnderTest.plan;
import static io.orbitkv.manager.policy.HostUnderTest.request;
import static io.orbitkv.manager.policy.HostUnderTest.spec;
import static org.assertj.core.api.Assertions.assertThat;

import io.orbitkv.api.copy.DeviceMemoryDescriptor;
import io.orbitkv.api.page.GroupRule;
import io.orbitkv.api.page.GroupSpec;
import io.orbitkv.api.page.LayerLayout;
import io.orbitkv.api.page.Namespace;
import io.orbitkv.api.page.WorkerLayout;
import io.orbitkv.api.policy.Admission;
import io.orbitkv.api.policy.AdmissionPolicy;
import io.orbitkv.api.policy.ChainFacts;
import io.orbitkv.api.policy.CutoffPolicy;
import io.orbitkv.api.policy.EngineFacts;
import io.orbitkv.api.policy.LookaheadPolicy;
import io.orbitkv.api.policy.PageBatch;
import io.orbitkv.api.policy.PageEvents;
import io.orbitkv.api.policy.PolicySlot;
import io.orbitkv.api.policy.Reason;
import io.orbitkv.api.policy.RequestFacts;
import io.orbitkv.api.policy.RetentionPolicy;
import io.orbitkv.api.policy.TierFacts;
import io.orbitkv.api.policy.WarmingPolicy;
import io.orbitkv.kernel.Command;
import io.orbitkv.kernel.Event;
import io.orbitkv.kernel.policy.AdmissionVerdict;
import io.orbitkv.kernel.policy.PageColumns;
import io.orbitkv.manager.dispatch.PolicyFigures;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class PolicyHostTest {
  private static final Reason WHY = Reason.of("why");
  private static final CutoffPolicy.ReadProgress PROGRESS =
      new CutoffPolicy.ReadProgress(Duration.ofMillis(3), 1, 2, 3);

  private final HostUnderTest under = new HostUnderTest();
  private final CountDownLatch release = new CountDownLatch(1);
  private final CountDownLatch entered = new CountDownLatch(1);

  @AfterEach
  void end() {
    release.countDown();
    under.close();
  }

  // ---- questions and answers -----------------------------------------------------------------

  @Test
  void admission_answersWithTheTierThatItGuards() throws Exception {
    BlockingQueue<TierFacts> targets = new LinkedBlockingQueue<>();
    AdmissionPolicy policy =
        (chain, target) -> {
          targets.add(target);
          return chain.id() == 1
              ? Admission.drop(WHY)
              : Admission.later(WHY, Duration.ofSeconds(3));
        };
    Event.Policies told =
        (Event.Policies)
            under
                .host
                .change(
                    Map.of(
                        PolicySlot.ADMISSION_DRAM, plan("one", policy),
                        PolicySlot.ADMISSION_SSD, plan("two", policy)),
                    "test")
                .orElseThrow();
    assertThat(told.asked()).containsExactly(PolicySlot.ADMISSION_DRAM, PolicySlot.ADMISSION_SSD);
    assertThat(told.fresh()).isEqualTo(told.asked());

    admission(7, PolicySlot.ADMISSION_DRAM, 1);
    assertThat(under.await(Event.AdmissionAdvice.class))
        .isEqualTo(new Event.AdmissionAdvice(7, AdmissionVerdict.DROP, 0));
    admission(8, PolicySlot.ADMISSION_SSD, 2);
    assertThat(under.await(Event.AdmissionAdvice.class))
        .isEqualTo(
            new Event.AdmissionAdvice(8, AdmissionVerdict.LATER, Duration.ofSeconds(3).toNanos()));

    assertThat(targets).containsExactly(HostUnderTest.DRAM, HostUnderTest.SSD);
    assertThat(under.figures(PolicySlot.ADMISSION_DRAM, "one").decisions())
        .containsExactly(new PolicyFigures.Decisions("drop", "why", false, 1));
    assertThat(under.registry.get("orbitkv_policy_call_duration_seconds").timers()).hasSize(2);
  }

  @Test
  void slotThatNobodyServes_isAnsweredByItsDefaultAtOnce() {
    admission(1, PolicySlot.ADMISSION_PROMOTE, 1);
    under.host.ask(new Command.AskReadPlan(2, request("a")), 0);
    under.host.ask(new Command.AskReadOn(3, 0, PROGRESS), 0);
    under.host.ask(new Command.AskLookahead(1, List.of(request("a"))), 0);
    PageColumns columns = columns(2);
    under.host.ask(new Command.AskScores(4, PolicySlot.RETENTION_DRAM, columns, false), 0);

    assertThat(under.reports)
        .containsExactly(
            new Event.AdmissionAdvice(1, AdmissionVerdict.ADMIT, 0),
            new Event.ReadPlanAdvice(2, Decided.NO_LIMITS),
            new Event.ReadOnAdvice(3, true),
            new Event.ScoresAdvice(4, columns, true));
  }

  @Test
  void cutoffs_theStrictestOfAllWins() throws Exception {
    under.serve(
        PolicySlot.CUTOFF,
        SlotPlan.of(
            List.of(
                spec("one", context -> cutoff(limits(100, 3, 50, 9), true)),
                spec("two", context -> cutoff(limits(40, 5, 80, 7), false)))));

    under.host.ask(new Command.AskReadPlan(5, request("a")), under.clock.getAsLong());
    CutoffPolicy.ReadLimits limits = under.await(Event.ReadPlanAdvice.class).limits();
    assertThat(limits.batchBytes()).isEqualTo(40);
    assertThat(limits.maxBatches()).isEqualTo(3);
    assertThat(limits.deadline()).isEqualTo(Duration.ofMillis(50));
    assertThat(limits.restorePages()).isEqualTo(7);

    under.host.ask(new Command.AskReadOn(6, 0, PROGRESS), under.clock.getAsLong());
    assertThat(under.await(Event.ReadOnAdvice.class).goOn()).isFalse();
  }

  @Test
  void cutoffOfSeveral_thatIsLate_leavesItsShareToTheOthers() throws Exception {
    under.serve(
        PolicySlot.CUTOFF,
        SlotPlan.of(
            List.of(
                spec("slow", context -> stuckCutoff()),
                spec("quick", context -> cutoff(limits(0, 0, 0, 2), true)))));

    under.host.ask(new Command.AskReadPlan(5, request("a")), under.clock.getAsLong());
    entered.await();
    under.awaitFigures(all -> all.stream().anyMatch(each -> each.answered() == 1));
    assertThat(under.reports).isEmpty();
    assertThat(under.host.nextDeadlineNanos() - under.clock.getAsLong())
        .isEqualTo(PolicyQuestions.SHORT_NANOS + 1);
    under.pass(Duration.ofNanos(PolicyQuestions.SHORT_NANOS + 1));

    assertThat(under.await(Event.ReadPlanAdvice.class).limits().restorePages()).isEqualTo(2);
    assertThat(under.figures(PolicySlot.CUTOFF, "slow").late()).isEqualTo(1);
  }

  @Test
  void engine_isWhatItTellsOrWhatIsConfigured() throws Exception {
    BlockingQueue<EngineFacts> engines = new LinkedBlockingQueue<>();
    under.serve(
        PolicySlot.CUTOFF,
        plan(
            "cutoff",
            (CutoffPolicy)
                (request, source, engine) -> {
                  engines.add(engine);
                  return Decided.NO_LIMITS;
                }));
    readPlan();
    assertThat(engines.take()).isEqualTo(new EngineFacts("engine", 500, -1));

    under.host.heard(register(), 0);
    under.host.registered(new Command.Registered(1, 2, 33, 1, true));
    under.host.heard(new Event.EngineStats(1, 33, 8000), under.clock.getAsLong());
    under.pass(Duration.ofMillis(5));
    readPlan();
    assertThat(engines.take()).isEqualTo(new EngineFacts("engine", 8000, 5_000_000));
  }

  @Test
  void lookaheadAndWarming_nameRequestsByTheirIds() throws Exception {
    under.serve(PolicySlot.LOOKAHEAD, plan("ahead", (LookaheadPolicy) queue -> List.of(1, 0)));
    under.serve(PolicySlot.WARMING, plan("warm", (WarmingPolicy) queue -> List.of()));
    List<RequestFacts> queue = List.of(request("a"), request("b"), request("c"));

    under.host.ask(new Command.AskLookahead(3, queue), under.clock.getAsLong());
    assertThat(under.await(Event.Lookahead.class))
        .isEqualTo(new Event.Lookahead(3, List.of("b", "a")));
    under.host.ask(new Command.AskWarming(3, queue), under.clock.getAsLong());
    assertThat(under.await(Event.Warming.class)).isEqualTo(new Event.Warming(3, List.of()));
  }

  @Test
  void retention_scoresInTheColumnsOfTheQuestion() throws Exception {
    under.serve(PolicySlot.RETENTION_DRAM, plan("scores", retention()));
    PageColumns columns = columns(3);

    scores(9, columns, false);
    Event.ScoresAdvice advice = under.await(Event.ScoresAdvice.class);

    assertThat(advice.scored()).isSameAs(columns);
    assertThat(advice.byDefault()).isFalse();
    assertThat(columns.scores()).startsWith(10, 11, 12);
    assertThat(columns.mark(2)).isEqualTo(12);
  }

  @Test
  void observation_isGivenBackOnceThePolicySawIt() throws Exception {
    BlockingQueue<PageColumns> home = new LinkedBlockingQueue<>();
    under.serve(PolicySlot.RETENTION_DRAM, plan("scores", retention()));
    PageColumns events = new PageColumns(4, home::add);
    under.host.ask(new Command.ObservePages(PolicySlot.RETENTION_DRAM, events), 0);

    assertThat(home.take()).isSameAs(events);
    assertThat(under.figures(PolicySlot.RETENTION_DRAM, "scores").facts()).isEqualTo(1);
  }

  // ---- what policies do wrong ----------------------------------------------------------------

  @Test
  void throwingPolicy_meansTheDefault() throws Exception {
    under.serve(
        PolicySlot.ADMISSION_DRAM,
        plan(
            "bad",
            (AdmissionPolicy)
                (chain, target) -> {
                  throw new LinkageError("planted");
                }));
    admission(1, PolicySlot.ADMISSION_DRAM, 1);

    assertThat(under.await(Event.AdmissionAdvice.class).verdict())
        .isEqualTo(AdmissionVerdict.ADMIT);
    assertThat(under.figures(PolicySlot.ADMISSION_DRAM, "bad").decisions())
        .containsExactly(new PolicyFigures.Decisions("admit", "failed", true, 1));
  }

  @Test
  void nonsense_meansTheDefault() throws Exception {
    under.serve(PolicySlot.CUTOFF, plan("bad", cutoff(limits(-1, 0, 0, Integer.MAX_VALUE), true)));
    under.serve(PolicySlot.LOOKAHEAD, plan("bad", (LookaheadPolicy) queue -> List.of(0, 0)));
    readPlan();
    under.host.ask(new Command.AskLookahead(1, List.of(request("a"))), under.clock.getAsLong());

    under.awaitFigures(all ->
        all.stream().filter(each -> each.policy().equals("bad") && each.failed() == 1).count()
            == 2);
    assertThat(under.reports).containsExactly(new Event.ReadPlanAdvice(1, Decided.NO_LIMITS));
  }

  @Test
  void latePolicy_isNotAskedWhatNobodyWaitsFor() throws Exception {
    BlockingQueue<Long> asked = new LinkedBlockingQueue<>();
    under.serve(
        PolicySlot.ADMISSION_DRAM,
        plan(
            "slow",
            (AdmissionPolicy)
                (chain, target) -> {
                  asked.add(chain.id());
                  entered.countDown();
                  await(release);
                  return Admission.drop(WHY);
                }));
    admission(1, PolicySlot.ADMISSION_DRAM, 1);
    entered.await();
    admission(2, PolicySlot.ADMISSION_DRAM, 2);
    under.pass(Duration.ofMillis(21));
    assertThat(under.reports)
        .containsExactly(
            new Event.AdmissionAdvice(1, AdmissionVerdict.ADMIT, 0),
            new Event.AdmissionAdvice(2, AdmissionVerdict.ADMIT, 0));

    release.countDown();
    admission(3, PolicySlot.ADMISSION_DRAM, 3);
    under.reports.clear();
    assertThat(under.await(Event.AdmissionAdvice.class).ticket()).isEqualTo(3);
    assertThat(asked).containsExactly(1L, 3L);
  }

  @Test
  void lateScores_leaveTheColumnsToThePolicyUntilItsCallIsOver() throws Exception {
    BlockingQueue<PageColumns> home = new LinkedBlockingQueue<>();
    under.serve(PolicySlot.RETENTION_DRAM, plan("slow", slowRetention()));
    PageColumns columns = new PageColumns(4, home::add);
    scores(9, columns, false);
    entered.await();
    under.pass(Duration.ofNanos(PolicyQuestions.LONG_NANOS - 1));
    assertThat(under.reports).isEmpty();
    under.pass(Duration.ofNanos(2));

    Event.ScoresAdvice advice = under.await(Event.ScoresAdvice.class);
    assertThat(advice.byDefault()).isTrue();
    assertThat(advice.scored()).isNotSameAs(columns);
    assertThat(home).isEmpty();
    release.countDown();
    assertThat(home.take()).isSameAs(columns);
  }

  @Test
  void stuckPolicy_isAbandonedAndItsSlotIsNotAskedAnyMore() throws Exception {
    under.serve(PolicySlot.ADMISSION_DRAM, plan("stuck", stuckAdmission()));
    admission(1, PolicySlot.ADMISSION_DRAM, 1);
    entered.await();
    under.pass(Duration.ofSeconds(1));

    assertThat(under.await(Event.AdmissionAdvice.class).verdict())
        .isEqualTo(AdmissionVerdict.ADMIT);
    assertThat(under.await(Event.Policies.class)).isEqualTo(new Event.Policies(Set.of(), Set.of()));
    PolicyFigures figures = under.figures(PolicySlot.ADMISSION_DRAM, "stuck");
    assertThat(figures.state()).isEqualTo("abandoned");
    assertThat(figures.leaked()).isTrue();
    assertThat(figures.serves()).isFalse();
    assertThat(under.journal.last(1, entry -> entry instanceof JournalEntry.Boundary))
        .first()
        .extracting(entry -> ((JournalEntry.Boundary) entry).cause())
        .isEqualTo("policy [stuck] is abandoned");
  }

  @Test
  void close_doesNotWaitForAStuckPolicy() throws Exception {
    under.serve(PolicySlot.ADMISSION_DRAM, plan("stuck", stuckAdmission()));
    admission(1, PolicySlot.ADMISSION_DRAM, 1);
    entered.await();
    under.pass(Duration.ofSeconds(1));
    under.close();

    assertThat(under.figures(PolicySlot.ADMISSION_DRAM, "stuck").state()).isEqualTo("abandoned");
  }

  @Test
  void policyThatCannotBeMade_leavesItsSlotToTheKernel() throws Exception {
    under.serve(
        PolicySlot.WARMING,
        SlotPlan.of(
            List.of(
                spec(
                    "unmade",
                    context -> {
                      throw new IllegalStateException("planted");
                    }))));

    assertThat(under.await(Event.Policies.class).asked()).isEmpty();
    assertThat(under.figures(PolicySlot.WARMING, "unmade").state()).isEqualTo("failed");
  }

  // ---- swaps ---------------------------------------------------------------------------------

  @Test
  void swap_openQuestionsAreAnsweredByWhomTheyWereAskedOf() throws Exception {
    under.serve(
        PolicySlot.ADMISSION_DRAM,
        plan(
            "old",
            (AdmissionPolicy)
                (chain, target) -> {
                  entered.countDown();
                  await(release);
                  return Admission.drop(WHY);
                }));
    admission(1, PolicySlot.ADMISSION_DRAM, 1);
    entered.await();
    Event.Policies told =
        under.serve(
            PolicySlot.ADMISSION_DRAM,
            plan("new", (AdmissionPolicy) (chain, target) -> Admission.admit(WHY)));
    assertThat(told.fresh()).containsExactly(PolicySlot.ADMISSION_DRAM);
    assertThat(under.figures(PolicySlot.ADMISSION_DRAM, "old").state()).isEqualTo("draining");
    admission(2, PolicySlot.ADMISSION_DRAM, 2);
    assertThat(under.await(Event.AdmissionAdvice.class))
        .isEqualTo(new Event.AdmissionAdvice(2, AdmissionVerdict.ADMIT, 0));

    release.countDown();
    assertThat(under.await(Event.AdmissionAdvice.class))
        .isEqualTo(new Event.AdmissionAdvice(1, AdmissionVerdict.DROP, 0));
    under.awaitFigures(all -> all.stream().anyMatch(each -> each.state().equals("closed")));
    PolicyFigures old = under.figures(PolicySlot.ADMISSION_DRAM, "old");
    assertThat(old.epoch()).isEqualTo(1);
    assertThat(old.answered()).isEqualTo(1);
    assertThat(under.figures(PolicySlot.ADMISSION_DRAM, "new").epoch()).isEqualTo(2);
  }

  @Test
  void equalNameAndSettings_areOneInstanceInSeveralSlots() throws Exception {
    BlockingQueue<Long> made = new LinkedBlockingQueue<>();
    PolicySpec shared =
        spec(
            "shared",
            context -> {
              made.add(1L);
              return (AdmissionPolicy) (chain, target) -> Admission.admit(WHY);
            });
    SlotPlan plan = SlotPlan.of(List.of(shared));
    under.host.change(
        Map.of(PolicySlot.ADMISSION_DRAM, plan, PolicySlot.ADMISSION_SSD, plan), "test");
    admission(1, PolicySlot.ADMISSION_DRAM, 1);
    admission(2, PolicySlot.ADMISSION_SSD, 1);
    under.await(Event.AdmissionAdvice.class);
    under.await(Event.AdmissionAdvice.class);
    assertThat(made).hasSize(1);

    Event.Policies told = under.serve(PolicySlot.ADMISSION_DRAM, SlotPlan.KERNEL);
    assertThat(told.asked()).containsExactly(PolicySlot.ADMISSION_SSD);
    assertThat(told.fresh()).isEmpty();
    admission(3, PolicySlot.ADMISSION_SSD, 1);
    assertThat(under.await(Event.AdmissionAdvice.class).ticket()).isEqualTo(3);
    assertThat(made).hasSize(1);
  }

  @Test
  void changeToWhatServesAlready_isNoBoundary() {
    SlotPlan plan = plan("one", (AdmissionPolicy) (chain, target) -> Admission.admit(WHY));
    under.serve(PolicySlot.ADMISSION_DRAM, plan);
    long epoch = under.host.epoch();

    assertThat(under.host.change(Map.of(PolicySlot.ADMISSION_DRAM, plan), "again")).isEmpty();
    assertThat(under.host.epoch()).isEqualTo(epoch);
  }

  @Test
  void swapAwayFromAStuckPolicy_leavesItBehind() throws Exception {
    under.serve(PolicySlot.ADMISSION_DRAM, plan("stuck", stuckAdmission()));
    admission(1, PolicySlot.ADMISSION_DRAM, 1);
    entered.await();
    under.serve(PolicySlot.ADMISSION_DRAM, SlotPlan.builtIn("none"));
    under.pass(Duration.ofMillis(21));
    under.pass(Duration.ofSeconds(1));
    under.pass(Duration.ofMillis(1));

    assertThat(under.await(Event.AdmissionAdvice.class).verdict())
        .isEqualTo(AdmissionVerdict.ADMIT);
    assertThat(under.figures(PolicySlot.ADMISSION_DRAM, "stuck").leaked()).isTrue();
    assertThat(under.figures(PolicySlot.ADMISSION_DRAM, "none").state()).isEqualTo("built-in");
  }

  // ---- helpers -------------------------------------------------------------------------------

  private void admission(long ticket, PolicySlot slot, long chain) {
    under.host.ask(new Command.AskAdmission(ticket, slot, chain(chain)), under.clock.getAsLong());
  }

  private void readPlan() {
    under.host.ask(new Command.AskReadPlan(1, request("a")), under.clock.getAsLong());
  }

  private void scores(long ticket, PageColumns columns, boolean adopt) {
    under.host.ask(
        new Command.AskScores(ticket, PolicySlot.RETENTION_DRAM, columns, adopt),
        under.clock.getAsLong());
  }

  private static PageColumns columns(int pages) {
    PageColumns columns = new PageColumns(4, back -> {});
    for (int i = 0; i < pages; i++) {
      columns.add(i, 100L + i, -1, 0, 0, 10, i, 1, PageBatch.Origin.PUBLISH, 0);
    }
    return columns;
  }

  private static Event.Register register() {
    return new Event.Register(
        1,
        2,
        "engine",
        new Namespace("ab".repeat(32)),
        new WorkerLayout(
            0,
            1,
            16,
            -1,
            List.of(new GroupSpec(0, new GroupRule.Prefix())),
            List.of(new LayerLayout("layer.0", 0, 0, 4, 4096, 1, 0, 4096))),
        new DeviceMemoryDescriptor.SharedMemory(1, 1, 4 * 4096));
  }

  private static CutoffPolicy.ReadLimits limits(
      long batchBytes, int maxBatches, long deadlineMillis, int restorePages) {
    return new CutoffPolicy.ReadLimits(
        batchBytes,
        maxBatches,
        Duration.ofMillis(deadlineMillis),
        CutoffPolicy.OnDeadline.MISS,
        restorePages,
        WHY);
  }

  private static CutoffPolicy cutoff(CutoffPolicy.ReadLimits limits, boolean proceed) {
    return new CutoffPolicy() {
      @Override
      public ReadLimits plan(RequestFacts request, TierFacts source, EngineFacts engine) {
        return limits;
      }

      @Override
      public boolean proceed(ReadProgress progress) {
        return proceed;
      }
    };
  }

  private CutoffPolicy stuckCutoff() {
    return (request, source, engine) -> {
      entered.countDown();
      await(release);
      return Decided.NO_LIMITS;
    };
  }

  private AdmissionPolicy stuckAdmission() {
    return (ChainFacts chain, TierFacts target) -> {
      entered.countDown();
      await(release);
      return Admission.drop(WHY);
    };
  }

  private static RetentionPolicy retention() {
    return new RetentionPolicy() {
      @Override
      public void observe(PageEvents events) {}

      @Override
      public void score(PageBatch candidates, long[] scores) {
        for (int i = 0; i < candidates.size(); i++) {
          scores[i] = 10L + i;
          candidates.setMark(i, 10L + i);
        }
      }
    };
  }

  private RetentionPolicy slowRetention() {
    return new RetentionPolicy() {
      @Override
      public void observe(PageEvents events) {}

      @Override
      public void score(PageBatch candidates, long[] scores) {
        entered.countDown();
        await(release);
      }
    };
  }

  private static void await(CountDownLatch latch) {
    boolean interrupted = false;
    while (latch.getCount() > 0) {
      try {
        latch.await();
      } catch (InterruptedException ignoredAsABadPolicyWould) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
