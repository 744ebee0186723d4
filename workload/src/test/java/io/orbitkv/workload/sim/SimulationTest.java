package io.orbitkv.workload.sim;

import static org.assertj.core.api.Assertions.assertThat;

import io.orbitkv.workload.sim.rule.Invariant;
import io.orbitkv.workload.sim.rule.Scenario;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SimulationTest {
  private static SimulationReport run(Scenario scenario, long first, long last, long steps)
      throws InterruptedException {
    return new Simulation(SimulationOptions.of(first, last, steps).with(scenario)).run();
  }

  @ParameterizedTest
  @ValueSource(strings = {"full", "store", "dense"})
  void randomRuns_keepEveryInvariant(String name) throws InterruptedException {
    Scenario scenario = Scenario.named(name);
    assertThat(scenario).isNotNull();
    if (scenario != null) {
      SimulationReport report = run(scenario, 1, 15, 1_000);
      assertThat(report.violation()).as(report.text()).isNull();
      assertThat(report.steps()).isGreaterThan(15_000);
    }
  }

  @Test
  void sameSeeds_haveTheSameDigestWhateverTheThreads() throws InterruptedException {
    SimulationOptions options = SimulationOptions.of(21, 24, 1_500);
    SimulationReport one = new Simulation(options.withThreads(1)).run();
    SimulationReport three = new Simulation(options.withThreads(3)).run();
    assertThat(one.digest()).isEqualTo(three.digest());
    assertThat(one.json()).isEqualTo(three.json());
    assertThat(run(Scenario.FULL, 22, 25, 1_500).digest()).isNotEqualTo(one.digest());
  }

  @Test
  void invariants_haveNamesOfTheirOwn() {
    Set<String> names = new HashSet<>();
    for (Invariant invariant : Invariant.values()) {
      assertThat(invariant.key()).matches("[a-z]+(-[a-z]+)*");
      assertThat(names.add(invariant.key())).isTrue();
      assertThat(Invariant.named(invariant.key())).isEqualTo(invariant);
      assertThat(invariant.summary()).isNotEmpty();
    }
    assertThat(Invariant.named("no-such")).isNull();
  }

  @Test
  void fullScenario_checksEveryInvariant() throws InterruptedException {
    SimulationReport report = run(Scenario.FULL, 40, 59, 1_500);
    for (Invariant invariant : Invariant.values()) {
      if (invariant.checked()) {
        assertThat(report.checked(invariant)).as(invariant.key()).isPositive();
      }
    }
  }

  @Test
  @Tag("full")
  void runOfFullSize_seesEveryFaultAndEveryPair() throws InterruptedException {
    SimulationReport report = run(Scenario.FULL, 1, 2_000, 2_000);
    assertThat(report.violation()).as(report.text()).isNull();
    assertThat(report.missing()).isEmpty();
  }
}
