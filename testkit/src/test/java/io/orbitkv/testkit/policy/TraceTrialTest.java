package io.orbitkv.testkit.policy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.orbitkv.api.policy.Admission;
import io.orbitkv.api.policy.AdmissionPolicy;
import io.orbitkv.api.policy.PageBatch;
import io.orbitkv.api.policy.PageEvents;
import io.orbitkv.api.policy.Policies;
import io.orbitkv.api.policy.PolicyFactory;
import io.orbitkv.api.policy.PolicySlot;
import io.orbitkv.api.policy.Reason;
import io.orbitkv.api.policy.RetentionPolicy;
import io.orbitkv.model.ModelTrace;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TraceTrialTest {
  private static final ModelTrace TRACE = TestTraces.conversations(2_000, 1);

  @TempDir Path folder;

  record NoSettings() {}

  private static PolicyFactory<NoSettings> retention(int sign) {
    return Policies.retention(
        "by-use",
        NoSettings.class,
        (_, _) ->
            new RetentionPolicy() {
              @Override
              public void observe(PageEvents events) {}

              @Override
              public void score(PageBatch candidates, long[] scores) {
                for (int i = 0; i < candidates.size(); i++) {
                  scores[i] = sign * candidates.lastUseNanos(i);
                }
              }
            });
  }

  private static PolicyFactory<NoSettings> nothingWritten() {
    AdmissionPolicy policy = (_, _) -> Admission.drop(Reason.of("never"));
    return Policies.admission("nothing", NoSettings.class, (_, _) -> policy);
  }

  @Test
  void evictionOfTheNewest_keepsLessThanLruOnConversations() {
    TraceResult worst = PolicyTester.of(retention(-1)).onTrace(TRACE).store("0b").run();
    TraceResult same = PolicyTester.of(retention(1)).onTrace(TRACE).store("0b").run();

    assertThat(worst.prefixHitRatio()).isLessThan(0.95 * worst.lru());
    assertThat(same.againstLru()).isBetween(0.97, 1.03);
    assertThat(worst.regret()).isGreaterThan(same.regret());
    assertThat(same.lru()).isLessThanOrEqualTo(same.clairvoyant());
    assertThat(same.clairvoyant()).isLessThanOrEqualTo(same.infinite());
  }

  @Test
  void admissionOfNothing_writesNothing() {
    TraceResult result = PolicyTester.of(nothingWritten()).onTrace(TRACE).run();

    assertThat(result.policy().ssdWrittenBytes()).isZero();
    assertThat(result.plain().ssdWrittenBytes()).isPositive();
    assertThat(result.writtenShare()).isZero();
    assertThat(result.requests()).isEqualTo(2_000);
  }

  @Test
  void admissionAtAnotherBorder_isAskedThere() {
    TraceResult result =
        PolicyTester.of(nothingWritten()).onTrace(TRACE).in(PolicySlot.ADMISSION_DRAM).run();

    assertThat(result.prefixHitRatio()).isZero();
  }

  @Test
  void slotThatThePolicyDoesNotServe_isRefusedByName() {
    TraceTrial trial = PolicyTester.of(nothingWritten()).onTrace(TRACE).in(PolicySlot.CUTOFF);

    assertThatThrownBy(trial::run)
        .hasMessageContaining("[nothing]")
        .hasMessageContaining("[cutoff]");
  }

  @Test
  void lookahead_isNotAskedByTheModel_andSaysWhatToUse() {
    PolicyFactory<NoSettings> none =
        Policies.lookahead("none", NoSettings.class, (_, _) -> _ -> List.of());

    assertThatThrownBy(() -> PolicyTester.of(none).onTrace(TRACE).run())
        .hasMessageContaining("[lookahead]")
        .hasMessageContaining("policy try");
  }

  @Test
  void conversations_ofOneSeed_areTheSame() {
    ModelTrace again = TestTraces.conversations(2_000, 1);
    ModelTrace other = TestTraces.conversations(2_000, 2);

    assertThat(again.totalPages()).isEqualTo(TRACE.totalPages());
    assertThat(again.id(100)).isEqualTo(TRACE.id(100));
    assertThat(other.totalPages()).isNotEqualTo(TRACE.totalPages());
  }

  @Test
  void file_isReadLineByLine() throws IOException {
    Path file = folder.resolve("trace.jsonl");
    Files.writeString(
        file,
        """
        {"timestamp": 0, "input_length": 1000, "output_length": 5, "hash_ids": [1, 2]}
        {"timestamp": 1500, "input_length": 1500, "output_length": 5, "hash_ids": [1, 2, 3]}
        """);

    ModelTrace trace = TestTraces.read(file);

    assertThat(trace.requests()).isEqualTo(2);
    assertThat(trace.totalPages()).isEqualTo(5);
    assertThat(trace.distinctPages()).isEqualTo(3);
    assertThat(trace.arrivalNanos(1)).isEqualTo(1_500_000_000L);
    assertThat(
            PolicyTester.of(retention(1)).onTrace(file).store("0b").memory("1gb").run().requests())
        .isEqualTo(2);
  }

  @Test
  void file_withoutAField_isRefusedWithItsLine() throws IOException {
    Path file = folder.resolve("trace.jsonl");
    Files.writeString(file, "{\"timestamp\": 0, \"input_length\": 3, \"output_length\": 1}\n");

    assertThatThrownBy(() -> TestTraces.read(file))
        .hasMessageContaining("line 1")
        .hasMessageContaining("[hash_ids]");
  }
}
