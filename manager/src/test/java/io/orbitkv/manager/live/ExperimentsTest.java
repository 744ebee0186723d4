package io.orbitkv.manager.live;

import static org.assertj.core.api.Assertions.assertThat;

import io.orbitkv.api.policy.Admission;
import io.orbitkv.api.policy.AdmissionPolicy;
import io.orbitkv.api.policy.ChainFacts;
import io.orbitkv.api.policy.PolicySlot;
import io.orbitkv.api.policy.Reason;
import io.orbitkv.api.policy.TierKind;
import io.orbitkv.kernel.Command;
import io.orbitkv.kernel.Event;
import io.orbitkv.manager.dispatch.DispatchMeter;
import io.orbitkv.manager.dispatch.PolicyFigures;
import io.orbitkv.manager.experiment.Isolation;
import io.orbitkv.manager.experiment.Schedule;
import io.orbitkv.manager.fixture.FakeKernel;
import io.orbitkv.manager.policy.OpenHost;
import io.orbitkv.manager.policy.SlotPlan;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ExperimentsTest {
  private static final PolicySlot SLOT = PolicySlot.ADMISSION_DRAM;
  private static final Duration TURN = Duration.ofMinutes(5);
  private static final Schedule TURNS = new Schedule(TURN.toNanos(), 8, 20, true);
  private static final SlotPlan ADMIT =
      OpenHost.plan(
          "admit", (AdmissionPolicy) (chain, target) -> Admission.admit(Reason.of("all")));
  private static final SlotPlan DROP =
      OpenHost.plan("drop", (AdmissionPolicy) (chain, target) -> Admission.drop(Reason.of("none")));
  private static final RunningExperiment.Plans PLANS =
      new RunningExperiment.Plans(Map.of(SLOT, ADMIT), Map.of(SLOT, DROP), Map.of(SLOT, ADMIT));

  @TempDir Path folder;
  private final OpenHost open = new OpenHost();
  private final BlockMeter meter = new BlockMeter(DispatchMeter.NONE);
  private StateFile file = new StateFile(Path.of("unused"));
  private ExperimentBook book = new ExperimentBook(file, 1, open.clock());
  private Experiments experiments = experiments();

  @BeforeEach
  void keep() {
    file = new StateFile(folder.resolve("experiment.json"));
    experiments = experiments();
    open.host().change(Map.of(SLOT, ADMIT), "start");
  }

  private Experiments experiments() {
    book = new ExperimentBook(file, 1, open.clock());
    Experiments made = new Experiments(open.host(), new FakeKernel(), meter, book, 0, open.clock());
    made.connect(open.reports()::add, () -> {});
    return made;
  }

  @AfterEach
  void close() {
    book.close();
    open.close();
  }

  private void start(Isolation isolation, Schedule schedule, double fallbacks) {
    ExperimentRecord record =
        new ExperimentRecord(
            StateFileTest.terms(isolation, schedule, fallbacks),
            ExperimentRecord.State.RUNNING,
            "",
            0,
            List.of());
    experiments.start(record, PLANS, false);
  }

  private void nextBlock() {
    experiments.advance(open.pass(TURN));
  }

  private ExperimentRecord record() {
    ExperimentBook.Progress latest = book.latest();
    assertThat(latest).isNotNull();
    return latest.record();
  }

  private PolicyFigures serving() {
    return experiments.figures().stream()
        .filter(each -> each.slot().equals(SLOT.key()) && each.serves())
        .findFirst()
        .orElseThrow();
  }

  @Test
  void turns_serveAAlone_thenTheVariants_andAtTheHorizonWhatIsConfigured() {
    start(Isolation.TIME, TURNS, 0);
    List<String> served = new ArrayList<>();
    for (int block = 0; block < TURNS.total(); block++) {
      served.add(serving().variant() + ":" + serving().policy());
      assertThat(experiments.nextDeadlineNanos())
          .isEqualTo(open.clock().getAsLong() + TURN.toNanos());
      nextBlock();
    }

    assertThat(served.subList(0, 8))
        .containsExactly(
            "A:admit", "B:admit", "A:admit", "B:admit", "B:admit", "A:admit", "B:admit", "A:admit");
    assertThat(served.subList(8, 12)).containsExactly("A:admit", "B:drop", "A:admit", "B:drop");
    assertThat(served.subList(18, 22)).containsExactly("B:drop", "A:admit", "B:drop", "A:admit");
    assertThat(record().state()).isEqualTo(ExperimentRecord.State.DONE);
    assertThat(record().blocks()).hasSize(28);
    assertThat(serving().policy()).isEqualTo("admit");
    assertThat(serving().variant()).isEqualTo("none");
    nextBlock();
    assertThat(record().blocks()).hasSize(28);
  }

  @Test
  void clockThatHasPassedSeveralTurns_givesTheNextOneItsWholeLength() {
    start(Isolation.TIME, TURNS, 0);

    experiments.advance(open.pass(TURN.multipliedBy(3)));
    experiments.advance(open.pass(TURN.minusNanos(1)));
    assertThat(record().blocks()).hasSize(1);
    assertThat(record().blocks().getFirst().arms().get(Arm.A).sums())
        .containsEntry(Column.NANOS, TURN.multipliedBy(3).toNanos());
    experiments.advance(open.pass(Duration.ofNanos(1)));
    assertThat(record().blocks()).hasSize(2);
  }

  @Test
  void restart_goesOnWithTheSameBlocks_andMarksTheFirstOne() {
    start(Isolation.TIME, TURNS, 0);
    for (int block = 0; block < 9; block++) {
      nextBlock();
    }
    assertThat(serving().variant()).isEqualTo("B");
    book.close();
    file = new StateFile(folder.resolve("experiment.json"));
    ExperimentRecord kept = file.read().orElseThrow();
    assertThat(kept).isEqualTo(record());

    experiments = experiments();
    experiments.start(kept.restarted(), PLANS, true);

    assertThat(serving().variant()).isEqualTo("B");
    assertThat(serving().policy()).isEqualTo("drop");
    nextBlock();
    nextBlock();
    assertThat(record().blocks().get(9).afterRestart()).isTrue();
    assertThat(record().blocks().get(10).afterRestart()).isFalse();
    assertThat(record().restarts()).isEqualTo(1);
    assertThat(record().terms()).isEqualTo(kept.terms());
  }

  @Test
  void questionsThatADefaultAnswered_makeTheirBlockVoid_andTwoBlocksEndTheExperiment() {
    start(Isolation.TIME, TURNS, 0);
    for (int block = 0; block < 2; block++) {
      askInVain();
      nextBlock();
    }

    assertThat(record().state()).isEqualTo(ExperimentRecord.State.VOIDED);
    assertThat(record().voids())
        .containsExactly(
            "block 1, A: policy fallback (a default answered 1 of 1 questions)",
            "block 2, B: policy fallback (a default answered 1 of 1 questions)");
    assertThat(serving().variant()).isEqualTo("none");
  }

  @Test
  void fallbacksInsideTheShareThatWasSaid_doNotMakeABlockVoid() {
    start(Isolation.TIME, TURNS, 1);
    askInVain();
    nextBlock();

    assertThat(record().voids()).isEmpty();
    assertThat(record().blocks().getFirst().arms().get(Arm.A).sums())
        .containsEntry(Column.FALLBACKS, 1L)
        .containsEntry(Column.DECISIONS, 1L);
  }

  // Its deadline is over before anybody looks.
  private void askInVain() {
    long before = open.clock().getAsLong() - Duration.ofHours(1).toNanos();
    ask(1, before);
    experiments.advance(open.clock().getAsLong());
  }

  private void ask(long ticket, long nowNanos) {
    ChainFacts chain = new ChainFacts(1, -1, 0, 4, 0, 4096, TierKind.DEVICE, -1, 1, 0.5);
    experiments.ask(new Command.AskAdmission(ticket, SLOT, chain), nowNanos);
  }

  @Test
  void policyThatThinks_isBusyHere_andHasTheTimeThatItIsGivenHere() {
    CountDownLatch thought = new CountDownLatch(1);
    AdmissionPolicy thinks =
        (chain, target) -> {
          awaitUninterruptibly(thought);
          return Admission.admit(Reason.of("all"));
        };
    open.host().change(Map.of(SLOT, OpenHost.plan("thinks", thinks)), "test");
    try {
      experiments.patient(true);
      ask(1, open.clock().getAsLong());
      experiments.advance(open.pass(Duration.ofMillis(200)));
      assertThat(open.reports()).isEmpty();

      experiments.patient(false);
      ask(2, open.clock().getAsLong());
      experiments.advance(open.pass(Duration.ofMillis(200)));
      assertThat(open.reports())
          .singleElement()
          .isInstanceOfSatisfying(
              Event.AdmissionAdvice.class, late -> assertThat(late.ticket()).isEqualTo(2));
      assertThat(experiments.busy(open.clock().getAsLong())).containsExactly("thinks");
    } finally {
      thought.countDown();
    }
  }

  private static void awaitUninterruptibly(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  @Test
  void variantsAtOnce_areMeasuredInEachBlock_withoutSumsOfBoth() {
    start(Isolation.SHARED, new Schedule(TURN.toNanos(), 4, 10, false), 0);
    meter.arrived(new Event.Tick(), open.clock().getAsLong());
    nextBlock();

    Block block = record().blocks().getFirst();
    assertThat(block.arms()).containsOnlyKeys(Arm.A, Arm.B);
    assertThat(block.arms().get(Arm.A).sums())
        .containsKeys(Column.QUERIES, Column.WAIT_NANOS)
        .doesNotContainKeys(Column.SSD_READ_BYTES, Column.RESTORED_BYTES);
  }

  @Test
  void stop_isKeptAndTheConfigurationServes() {
    start(Isolation.TIME, TURNS, 0);
    nextBlock();

    experiments.stop(ExperimentRecord.State.STOPPED, "it was stopped");

    assertThat(record().state()).isEqualTo(ExperimentRecord.State.STOPPED);
    assertThat(serving().variant()).isEqualTo("none");
    assertThat(book.isRunning()).isFalse();
    book.close();
    assertThat(new StateFile(folder.resolve("experiment.json")).read().orElseThrow().state())
        .isEqualTo(ExperimentRecord.State.STOPPED);
  }

  @Test
  void busyAndPatience_areThoseOfTheHost() {
    long now = open.clock().getAsLong();
    ChainFacts chain = new ChainFacts(1, -1, 0, 4, 0, 4096, TierKind.DEVICE, -1, 1, 0.5);
    experiments.ask(new Command.AskAdmission(1, SLOT, chain), now);
    // Nobody has taken its answer, whether it is there or not.
    assertThat(experiments.busy(now)).containsExactly("admit");
    experiments.patient(true);
    experiments.ask(new Command.AskAdmission(2, SLOT, chain), now - TURN.toNanos());
    experiments.patient(false);
    experiments.ask(new Command.AskAdmission(3, SLOT, chain), now - TURN.toNanos());
    assertThat(experiments.nextDeadlineNanos()).isLessThan(now);
  }

  @Test
  void countersOfAKernel_belongToTheVariantThatServes() {
    assertThat(experiments.variants(new FakeKernel().status()).current()).isEqualTo("none");
    start(Isolation.TIME, TURNS, 0);
    assertThat(experiments.variants(new FakeKernel().status()).current()).isEqualTo("A");
    nextBlock();
    assertThat(experiments.variants(new FakeKernel().status()).current()).isEqualTo("B");
    experiments.stop(ExperimentRecord.State.STOPPED, "it was stopped");
    assertThat(experiments.variants(new FakeKernel().status()).current()).isEqualTo("none");
  }
}
