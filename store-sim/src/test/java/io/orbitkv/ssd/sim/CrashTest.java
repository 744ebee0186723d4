package io.orbitkv.ssd.sim;

import static org.assertj.core.api.Assertions.assertThat;

import io.orbitkv.ssd.sim.rule.Fault;
import io.orbitkv.ssd.sim.rule.Scenario;
import io.orbitkv.ssd.sim.rule.Step;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The store survives every crash, failure and lie of its device. */
class CrashTest {
  private static final int FEWEST_CRASH_POINTS = 1_000;
  private static final int FEWEST_OF_A_STEP = 20;
  private static final int FEWEST_OF_A_FAULT = 100;

  static List<Scenario> scenarios() {
    return Scenario.ALL;
  }

  @Test
  void crashes_overAnHonestDevice_breakNoPromise() throws InterruptedException {
    StoreSimulationReport report = run(Scenario.CRASH, 1, 170);

    assertThat(report.crashes()).isGreaterThanOrEqualTo(FEWEST_CRASH_POINTS);
    assertThat(report.events("reinsertions")).isPositive();
    assertThat(report.events("evictions")).isPositive();
  }

  @Test
  void everyPlaceOfAHistory_asACrash_breaksNoPromise() throws InterruptedException {
    assertThat(run(Scenario.SWEEP, 0, 99).crashes()).isPositive();
  }

  @Test
  void firstWriteOfALife_isAMovedPage_isNoFooter() throws InterruptedException {
    // Two pages are moved before any other is written; taken for footers, they came too early.
    assertThat(run(Scenario.MIXED, 553, 553).crashes()).isPositive();
  }

  @Test
  void newestSuperblock_thatCannotBeReadOnce_isMarkedBeforeAnythingIsWritten()
      throws InterruptedException {
    assertThat(run(Scenario.MIXED, 769, 769).crashes()).isPositive();
  }

  @Test
  void versionTornByALossOfPower_mayBeDamagedAfterRecoveriesThatWereKilled()
      throws InterruptedException {
    assertThat(run(Scenario.MIXED, 2254, 2254).crashes()).isPositive();
  }

  @Test
  void killLog_thatCannotBeReadOnce_isNotTakenForEmpty() throws InterruptedException {
    // The newest superblock is older than the first entry.
    assertThat(run(Scenario.MIXED, 3188, 3188).crashes()).isPositive();
  }

  @Test
  void failures_ofADevice_breakNoPromise() throws InterruptedException {
    assertThat(run(Scenario.FAIL, 1, 60).injected(Fault.WRITE_ERROR)).isPositive();
  }

  @Test
  void lies_ofADevice_giveNoWrongByte() throws InterruptedException {
    StoreSimulationReport report = run(Scenario.LIE, 1, 60);

    assertThat(report.injected(Fault.LOST_WRITE)).isPositive();
    assertThat(report.injected(Fault.BIT_FLIP)).isPositive();
  }

  @Test
  void digest_ofTheSameSeeds_isTheSameWithAnyNumberOfThreads() throws InterruptedException {
    StoreSimulationOptions options = StoreSimulationOptions.of(1, 12);

    StoreSimulationReport one = new StoreSimulation(options.withThreads(1)).run();
    StoreSimulationReport three = new StoreSimulation(options.withThreads(3)).run();

    assertThat(three.digest()).isEqualTo(one.digest());
    assertThat(three.json()).isEqualTo(one.json());
    assertThat(run(Scenario.MIXED, 13, 24).digest()).isNotEqualTo(one.digest());
  }

  @Tag("full")
  @ParameterizedTest(name = "{0}")
  @MethodSource("scenarios")
  void manySeeds_breakNoPromise(Scenario scenario) throws InterruptedException {
    assertThat(run(scenario, 1_000, 6_000).crashes()).isGreaterThan(20 * FEWEST_CRASH_POINTS);
  }

  @Tag("full")
  @Test
  void everyStepAndFault_isMetOften() throws InterruptedException {
    StoreSimulationReport report = run(Scenario.MIXED, 10_000, 16_000);

    assertThat(Arrays.stream(Step.values()))
        .allSatisfy(step ->
            assertThat(report.crashes(step))
                .as("crashes at [%s]", step.key())
                .isGreaterThanOrEqualTo(FEWEST_OF_A_STEP));
    assertThat(Arrays.stream(Fault.values()))
        .allSatisfy(fault ->
            assertThat(report.injected(fault))
                .as("faults [%s]", fault.key())
                .isGreaterThanOrEqualTo(FEWEST_OF_A_FAULT));
  }

  private static StoreSimulationReport run(Scenario scenario, long first, long last)
      throws InterruptedException {
    StoreSimulationReport report =
        new StoreSimulation(StoreSimulationOptions.of(first, last).with(scenario)).run();
    assertThat(report.violations()).as(report.text()).isZero();
    return report;
  }
}
