package io.orbitkv.workload.sim;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.orbitkv.workload.sim.rule.Invariant;
import io.orbitkv.workload.sim.rule.InvariantViolation;
import io.orbitkv.workload.sim.rule.Scenario;
import io.orbitkv.workload.sim.run.SeedRunner;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ViolationTest {
  @TempDir Path folder;

  /** Fails at the third restore that misses: as an invariant that does not hold would. */
  private static final class ThirdMiss implements Simulation.InvariantHook {
    private final ThreadLocal<Count> counts = ThreadLocal.withInitial(Count::new);

    private static final class Count {
      long lastStep;
      int misses;
    }

    @Override
    public void stepped(long step, long nowNanos, SeedRunner.StepText text) {
      Count count = counts.get();
      if (step < count.lastStep) {
        count.misses = 0; // Another run.
      }
      count.lastStep = step;
      if (!text.event().startsWith("Restore")) {
        return;
      }
      for (String command : text.commands()) {
        count.misses += command.contains(" MISS ") ? 1 : 0;
        if (count.misses == 3) {
          throw new InvariantViolation(Invariant.ARTIFICIAL, "the third miss: " + command);
        }
      }
    }
  }

  private static Violation find(SimulationOptions options) throws InterruptedException {
    SimulationReport report = new Simulation(options, new ThirdMiss()).run();
    assertThat(report.passed()).isFalse();
    assertThat(report.violations()).isPositive();
    @Nullable Violation violation = report.violation();
    if (violation == null) {
      throw new AssertionError("nothing was found: " + report.text());
    }
    assertThat(report.json()).contains("\"invariant\" : \"artificial\"");
    assertThat(report.text()).contains("violated: artificial").contains("seed 1");
    return violation;
  }

  @Test
  void failingRun_isShownShortened() throws InterruptedException {
    SimulationOptions options = SimulationOptions.of(1, 1, 1_500).with(Scenario.DENSE);
    Violation violation = find(options);
    assertThat(violation.invariant()).isEqualTo(Invariant.ARTIFICIAL);
    assertThat(violation.seed()).isEqualTo(1);
    assertThat(violation.what()).startsWith("the third miss");
    // Three restores of leases that are gone, and what brings a lease about.
    assertThat(violation.actions()).hasSizeLessThan(40);
    assertThat(violation.trail()).isNotEmpty();
    assertThat(violation.trail().getLast()).contains("Restore");
  }

  @Test
  void trace_isReadableAndRunsAgain() throws InterruptedException, IOException {
    SimulationOptions options = SimulationOptions.of(1, 1, 1_500).with(Scenario.DENSE);
    Path file = folder.resolve("trace.jsonl");
    SimulationTrace.of(options, find(options)).write(file);
    List<String> lines = Files.readAllLines(file);
    assertThat(lines.getFirst()).contains("\"seed\":1").contains("\"scenario\":\"dense\"");
    assertThat(lines).anyMatch(line -> line.contains("\"action\":\"restore"));
    assertThat(lines).anyMatch(line -> line.contains("\"event\":\"Restore "));
    // Without the artificial invariant nothing is wrong with it.
    assertThat(SimulationTrace.read(file).replay()).isNull();
  }

  @Test
  void brokenTrace_isRefusedWithItsLine() throws IOException {
    Path file = folder.resolve("broken.jsonl");
    Files.writeString(
        file,
        """
        {"seed":1,"steps":10,"scenario":"dense","lines":2}
        {"action":"query","index":0,"at_nanos":5,"choices":1}
        {"action":"fly","index":"x"}
        """);
    assertThatThrownBy(() -> SimulationTrace.read(file))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("line 3")
        .hasMessageContaining("[index]");
    Files.writeString(file, "{\"seed\":1,\"steps\":10,\"scenario\":\"none\",\"lines\":0}\n");
    assertThatThrownBy(() -> SimulationTrace.read(file)).hasMessageContaining("[none]");
    Files.writeString(file, "");
    assertThatThrownBy(() -> SimulationTrace.read(file)).hasMessageContaining("empty");
  }

  @Test
  void truncatedTrace_isRefused() throws IOException {
    Path file = folder.resolve("cut.jsonl");
    SimulationTrace.of(SimulationOptions.of(1, 1, 50), 1).write(file);
    List<String> lines = Files.readAllLines(file);
    Files.write(file, lines.subList(0, lines.size() - 1));

    assertThatThrownBy(() -> SimulationTrace.read(file))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("trace [" + file + "]")
        .hasMessageContaining("was cut short")
        .hasMessageEndingWith("name a file that --trace-out wrote");
  }

  @Test
  void whatIsNoTrace_isRefusedWithFileAndLineAndNoWordOfTheParser() throws IOException {
    Path file = folder.resolve("other");
    String head = "{\"seed\":1,\"steps\":10,\"scenario\":\"dense\",\"lines\":1}\n";
    for (byte[] content :
        List.of(
            new byte[] {(byte) 0xc3, 0x28, 10, 5},
            "hello world\n".getBytes(UTF_8),
            "\n\n".getBytes(UTF_8),
            "[1, 2]\n".getBytes(UTF_8),
            "{\"seed\":1}\n".getBytes(UTF_8),
            (head + "{\"action\":\"fly\",\"index\":1,\"at_nanos\":5,\"choices\":1}\n")
                .getBytes(UTF_8))) {
      Files.write(file, content);

      assertThatThrownBy(() -> SimulationTrace.read(file))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageMatching(
              "trace \\[" + Pattern.quote(file.toString()) + "] line [12]: [^\\n]*; name a file.*")
          .hasMessageNotContainingAny("Jackson", "Source", "token", "Input length");
    }
  }

  @Test
  void options_beyondTheirLimits_areRefused() {
    assertThatThrownBy(() -> SimulationOptions.of(1, 1, 99_999_999_999L))
        .hasMessageContaining("steps [99999999999]");
    SimulationOptions options = SimulationOptions.of(1, 1, 10);
    assertThatThrownBy(() -> options.withThreads(100_000)).hasMessageContaining("threads [100000]");
    assertThat(SimulationOptions.of(1, 2_000, 2_000).full()).isTrue();
    assertThat(SimulationOptions.of(1, 1_999, 2_000).full()).isFalse();
    assertThat(SimulationOptions.of(0, Long.MAX_VALUE - 1, 2_000).full()).isTrue();
  }
}
