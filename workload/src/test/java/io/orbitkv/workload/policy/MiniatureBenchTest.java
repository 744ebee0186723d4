package io.orbitkv.workload.policy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.orbitkv.api.policy.Admission;
import io.orbitkv.api.policy.AdmissionPolicy;
import io.orbitkv.api.policy.PolicySlot;
import io.orbitkv.api.policy.Reason;
import io.orbitkv.model.ModelTrace;
import io.orbitkv.workload.trace.GeneratorSettings;
import io.orbitkv.workload.trace.TraceGenerator;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class MiniatureBenchTest {
  private static final long GIB = 1L << 30;
  private static final Reason REASON = Reason.of("test");

  private final ModelTrace trace =
      ModelTraces.read(new TraceGenerator(GeneratorSettings.conversations(3, 2_000)), 0, 2_000);

  @Test
  void run_wholeSample_saysExactlyWhatTheWholeTraceSays() {
    MiniatureBenchResult result =
        new MiniatureBench(options(PolicySlot.ADMISSION_SSD, 1, 1), trace).run();

    assertThat(result.difference()).isNegative();
    assertThat(result.pairs()).hasSize(1);
    assertThat(result.mean()).isCloseTo(result.difference(), within(1e-9));
    assertThat(result.pairs().getFirst().shadowWrittenBytes())
        .isEqualTo(result.shadow().ssdWrittenBytes());
    assertThat(result.deviation()).isZero();
  }

  @Test
  void run_quarters_favourWhomTheWholeTraceFavours() {
    MiniatureBenchResult result =
        new MiniatureBench(options(PolicySlot.ADMISSION_SSD, 0.25, 6), trace).run();

    assertThat(result.agreeing()).isEqualTo(6);
    assertThat(result.deviation()).isPositive();
    assertThat(result.json())
        .contains("\"active\" : \"none\"", "\"shadow\" : \"returned\"", "\"same_sign\" : 6");
    assertThat(result.table()).contains("returned in admission.ssd, less none", "6 of 6");
  }

  @Test
  void new_whatCannotBe_isRefusedByOption() {
    assertThatThrownBy(() -> options(PolicySlot.ADMISSION_SSD, 0, 1))
        .hasMessageContaining("--sample [0.0%]");
    assertThatThrownBy(() -> options(PolicySlot.ADMISSION_SSD, 0.5, 0))
        .hasMessageContaining("--samples [0]");
    assertThatThrownBy(() ->
            new MiniatureBench.Options(
                PolicySlot.RETENTION_SSD, null, null, GIB, 0, 147_456, 0.25, 1))
        .hasMessageContaining("--slot retention.ssd needs a backing tier");
  }

  private static MiniatureBench.Options options(PolicySlot slot, double share, int samples) {
    @Nullable BenchedPolicy none = null;
    AdmissionPolicy returned =
        (chain, target) -> chain.uses() > 0 ? Admission.admit(REASON) : Admission.drop(REASON);
    return new MiniatureBench.Options(
        slot,
        none,
        new BenchedPolicy("returned", true, context -> returned),
        8 * GIB,
        100 * GIB,
        147_456,
        share,
        samples);
  }
}
