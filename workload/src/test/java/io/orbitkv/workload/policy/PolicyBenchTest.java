package io.orbitkv.workload.policy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.orbitkv.api.policy.Admission;
import io.orbitkv.api.policy.AdmissionPolicy;
import io.orbitkv.api.policy.PageBatch;
import io.orbitkv.api.policy.PageEvents;
import io.orbitkv.api.policy.Reason;
import io.orbitkv.api.policy.RetentionPolicy;
import io.orbitkv.model.ModelTrace;
import io.orbitkv.workload.trace.GeneratorSettings;
import io.orbitkv.workload.trace.TraceGenerator;
import java.util.List;
import org.junit.jupiter.api.Test;

class PolicyBenchTest {
  private static final long GIB = 1L << 30;

  private final ModelTrace trace =
      ModelTraces.read(new TraceGenerator(GeneratorSettings.conversations(3, 800)), 0, 800);

  @Test
  void run_retention_liesBetweenNothingAndTheBounds() {
    PolicyBenchResult result =
        new PolicyBench(
                options(PolicyRole.RETENTION, 0),
                trace,
                List.of(new BenchedPolicy("youngest", true, context -> new Youngest())))
            .run();

    assertThat(result.infinite()).isGreaterThanOrEqualTo(result.clairvoyant());
    assertThat(result.clairvoyant()).isGreaterThan(result.plain().prefixHitRatio());
    PolicyFigures figures = result.policies().getFirst();
    assertThat(figures.prefixHitRatio()).isBetween(0.0, result.clairvoyant());
    assertThat(figures.gapClosed()).isLessThan(1);
    assertThat(result.json())
        .contains("\"lru\"", "\"clairvoyant\"", "\"infinite\"", "\"default\" : \"return-density\"")
        .contains("\"youngest\" : {", "\"prefix_hit_ratio\"", "\"gap_closed\"");
    assertThat(result.table()).contains("clairvoyant", "youngest", "Default: return-density");
  }

  @Test
  void run_writeAdmission_tellsBytesAndLimits() {
    AdmissionPolicy returned =
        (chain, target) ->
            chain.uses() > 0
                ? Admission.admit(Reason.of("returned"))
                : Admission.drop(Reason.of("new"));
    PolicyBenchResult result =
        new PolicyBench(
                options(PolicyRole.WRITE_ADMISSION, 50 * GIB),
                trace,
                List.of(new BenchedPolicy("returned", true, context -> returned)))
            .run();

    assertThat(result.policies().getFirst().ssdWrittenBytes())
        .isPositive()
        .isLessThan(result.plain().ssdWrittenBytes());
    assertThat(result.limited())
        .extracting(PolicyBenchResult.Limited::percent)
        .containsExactly(10, 25, 50);
    assertThat(result.limited().getFirst().queue().ssdWrittenBytes())
        .isLessThan(result.plain().ssdWrittenBytes() / 5);
    assertThat(result.json()).contains("\"write_limits\"", "\"10%\"", "\"queue\"");
    assertThat(result.table()).contains("Write limit: 25 %");
  }

  @Test
  void read_blocksOfTheTrace_arePagesUnlessAskedOtherwise() {
    assertThat(trace.pageTokens()).isEqualTo(512);
    ModelTrace pages =
        ModelTraces.read(new TraceGenerator(GeneratorSettings.conversations(3, 800)), 64, 100);
    assertThat(pages.pageTokens()).isEqualTo(64);
    assertThat(pages.requests()).isEqualTo(100);
  }

  @Test
  void options_thatDoNotFit_areRefusedByName() {
    assertThatThrownBy(() -> new PolicyBenchOptions(PolicyRole.RETENTION, 0, 0, 1, 1))
        .hasMessageContaining("--capacity [0]");
    assertThatThrownBy(() -> new PolicyBenchOptions(PolicyRole.WRITE_ADMISSION, 1, 0, 1, 1))
        .hasMessageContaining("give --ssd");
    assertThatThrownBy(() -> PolicyRole.of("x")).hasMessageContaining("--role [x]");
  }

  private static PolicyBenchOptions options(PolicyRole role, long ssdBytes) {
    return new PolicyBenchOptions(
        role, 10 * GIB, ssdBytes, PolicyBenchOptions.QWEN3_8B_TOKEN_BYTES, 1);
  }

  private static final class Youngest implements RetentionPolicy {
    @Override
    public void observe(PageEvents events) {}

    @Override
    public void score(PageBatch candidates, long[] scores) {
      for (int i = 0; i < candidates.size(); i++) {
        scores[i] = -candidates.lastUseNanos(i);
      }
    }
  }
}
