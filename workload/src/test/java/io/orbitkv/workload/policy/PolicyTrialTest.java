package io.orbitkv.workload.policy;

import static org.assertj.core.api.Assertions.assertThat;

import io.orbitkv.api.policy.Admission;
import io.orbitkv.api.policy.AdmissionPolicy;
import io.orbitkv.api.policy.CutoffPolicy;
import io.orbitkv.api.policy.CutoffPolicy.OnDeadline;
import io.orbitkv.api.policy.CutoffPolicy.ReadLimits;
import io.orbitkv.api.policy.LookaheadPolicy;
import io.orbitkv.api.policy.Policy;
import io.orbitkv.api.policy.PolicySlot;
import io.orbitkv.api.policy.Reason;
import io.orbitkv.model.ModelTrace;
import io.orbitkv.testkit.policy.TestTraces;
import io.orbitkv.workload.trace.GeneratorSettings;
import io.orbitkv.workload.trace.MooncakeTrace;
import io.orbitkv.workload.trace.MooncakeTraceWriter;
import io.orbitkv.workload.trace.TraceGenerator;
import java.io.BufferedWriter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PolicyTrialTest {
  private static final Reason WHY = Reason.of("why");
  private static final ModelTrace TRACE = TestTraces.conversations(1_000, 1);
  private static final long PAGE = 100L * TestTraces.PAGE_TOKENS;
  private static final PolicyTrialOptions OPTIONS =
      new PolicyTrialOptions(
          TRACE.distinctPages() / 32 * PAGE, TRACE.distinctPages() / 8 * PAGE, 100, 0, 1, 3);

  private static PolicyTrialResult run(PolicySlot slot, Policy policy, @Nullable Policy other) {
    return new PolicyTrial(
            OPTIONS,
            TRACE,
            new BenchedPolicy("own", true, _ -> policy),
            Set.of(slot),
            other == null ? null : new BenchedPolicy("other", true, _ -> other))
        .run();
  }

  private static AdmissionPolicy never() {
    return (_, _) -> Admission.drop(WHY);
  }

  @Test
  void policy_besideTheDefault_showsWhatItKeepsAndItsFirstDecisions() {
    PolicyTrialResult result = run(PolicySlot.ADMISSION_SSD, never(), null);

    assertThat(result.sound()).isTrue();
    assertThat(result.own().totals().ssdWrittenBytes()).isZero();
    assertThat(result.other()).isEqualTo(result.plain());
    assertThat(result.watch().decisions())
        .hasSize(3)
        .allSatisfy(decision -> assertThat(decision.text()).endsWith(": drop, why"));
    assertThat(result.watch().choices()).containsOnlyKeys("drop, why");
    assertThat(result.regret()).isPositive();
    assertThat(result.text()).contains("own in admission.ssd, beside default", "Regret: ");
    assertThat(result.json()).contains("\"against\" : \"default\"", "\"sound\" : true");
  }

  @Test
  void policy_besideAnother_isComparedWithIt() {
    PolicyTrialResult result =
        run(PolicySlot.ADMISSION_SSD, never(), (AdmissionPolicy) (_, _) -> Admission.admit(WHY));

    assertThat(result.against()).isEqualTo("other");
    assertThat(result.other().totals()).isEqualTo(result.plain().totals());
    assertThat(result.own().totals().hitPages()).isLessThan(result.other().totals().hitPages());
  }

  @Test
  void policyThatThrows_isNamedAndTheDefaultStandsIn() {
    AdmissionPolicy throwing =
        (_, _) -> {
          throw new IllegalStateException("no idea");
        };

    PolicyTrialResult result = run(PolicySlot.ADMISSION_SSD, throwing, null);

    assertThat(result.sound()).isFalse();
    assertThat(result.own().totals()).isEqualTo(result.plain().totals());
    assertThat(result.watch().thrown()).isEqualTo(result.watch().calls());
    assertThat(result.watch().problems())
        .singleElement()
        .asString()
        .contains("admit threw java.lang.IllegalStateException: no idea, at ");
    assertThat(result.text()).contains("built-in default stand in");
  }

  @Test
  void nonsense_isNamedWithTheAnswer() {
    AdmissionPolicy backwards = (_, _) -> Admission.later(WHY, Duration.ofSeconds(-1));
    CutoffPolicy negative =
        (_, _, _) -> new ReadLimits(-1, 0, Duration.ZERO, OnDeadline.MISS, 0, WHY);
    LookaheadPolicy outside = queue -> List.of(queue.size());

    for (PolicyTrialResult result :
        List.of(
            run(PolicySlot.ADMISSION_SSD, backwards, null),
            run(PolicySlot.CUTOFF, negative, null),
            run(PolicySlot.LOOKAHEAD, outside, null))) {
      assertThat(result.sound()).isFalse();
      assertThat(result.watch().nonsense()).isPositive();
      assertThat(result.watch().problems()).first().asString().contains("makes no sense");
    }
  }

  @Test
  void lookahead_ofAllThatIsStored_coversWhatWaited() {
    LookaheadPolicy all =
        queue ->
            IntStream.range(1, queue.size())
                .filter(i -> queue.get(i).ssdPages() > 0)
                .boxed()
                .toList();

    PolicyTrialResult result = run(PolicySlot.LOOKAHEAD, all, null);

    assertThat(result.ownQueues()).isNotNull();
    assertThat(result.ownQueues().covered()).isGreaterThan(0.9);
    assertThat(result.ownQueues().chosenInVain()).isZero();
    assertThat(result.otherQueues().coveredPages()).isZero();
    assertThat(result.json()).contains("\"covered\" : ");
  }

  @Test
  void lateCalls_areCountedByTheClock() {
    long[] now = {0};
    PolicyWatch watch = new PolicyWatch(() -> now[0] += 15_000_000, 20_000_000, 1);

    for (int i = 0; i < 4; i++) {
      watch.tell("observe", () -> now[0] += 10_000_000);
    }

    assertThat(watch.late()).isEqualTo(4);
    assertThat(watch.slowestNanos()).isEqualTo(25_000_000);
    assertThat(watch.callNanos()).isZero();
  }

  /** Authors and the command line must see the same figures of the same file. */
  @Test
  void testkit_readsTracesAsTheModelDoes(@TempDir Path folder) throws IOException {
    Path file = folder.resolve("trace.jsonl");
    try (TraceGenerator generator = new TraceGenerator(GeneratorSettings.conversations(3, 200));
        BufferedWriter writer = Files.newBufferedWriter(file)) {
      long _ = MooncakeTraceWriter.write(generator, writer);
    }
    ModelTrace expected;
    try (MooncakeTrace trace = MooncakeTrace.open(file)) {
      expected = ModelTraces.read(trace, 0, Integer.MAX_VALUE);
    }

    ModelTrace read = TestTraces.read(file);

    assertThat(read.requests()).isEqualTo(expected.requests());
    assertThat(read.totalPages()).isEqualTo(expected.totalPages());
    assertThat(read.distinctPages()).isEqualTo(expected.distinctPages());
    for (int page = 0; page < read.distinctPages(); page++) {
      assertThat(read.id(page)).isEqualTo(expected.id(page));
    }
    assertThat(read.arrivalNanos(199)).isEqualTo(expected.arrivalNanos(199));
  }
}
