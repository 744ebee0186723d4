package io.orbitkv.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.orbitkv.api.policy.Admission;
import io.orbitkv.api.policy.AdmissionPolicy;
import io.orbitkv.api.policy.ChainFacts;
import io.orbitkv.api.policy.PageBatch;
import io.orbitkv.api.policy.PageEvents;
import io.orbitkv.api.policy.PolicySlot;
import io.orbitkv.api.policy.Reason;
import io.orbitkv.api.policy.RetentionPolicy;
import io.orbitkv.api.policy.TierFacts;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ModelRunTest {
  private static final Reason REASON = Reason.of("test");

  @Test
  void run_everythingFits_findsWhatAnEndlessCacheFinds() {
    ModelTrace trace = SmallTraces.conversations(1, 400);

    assertThat(ratio(trace, settings(10_000, 0), Map.of())).isEqualTo(References.infinite(trace));
  }

  @Test
  void run_lastUse_evictsTheTailOfTheOldestChainFirst() {
    ModelTrace trace =
        SmallTraces.of(
            new long[] {1, 2, 3},
            new long[] {11, 12, 13},
            new long[] {21, 22},
            new long[] {1, 2, 3});

    List<RequestOutcome> outcomes = new ModelRun(trace, settings(7, 0), Map.of()).run();

    assertThat(outcomes.get(3).hitPages()).isEqualTo(2);
    assertThat(outcomes.get(3).pages()).isEqualTo(3);
  }

  @Test
  void run_promptLongerThanTheTier_keepsItsHead() {
    ModelTrace trace = SmallTraces.of(new long[] {1, 2, 3, 4, 5}, new long[] {1, 2, 3, 4, 5});

    assertThat(new ModelRun(trace, settings(3, 0), Map.of()).run().get(1).hitPages()).isEqualTo(3);
  }

  @Test
  void run_clairvoyant_isNeverBelowLastUse() {
    for (int seed = 0; seed < 5; seed++) {
      ModelTrace trace = SmallTraces.conversations(seed, 500);
      for (int pages : new int[] {10, 40, 160}) {
        assertThat(References.clairvoyant(trace, pages))
            .isGreaterThanOrEqualTo(References.lru(trace, settings(pages, 0)))
            .isLessThanOrEqualTo(References.infinite(trace));
      }
    }
  }

  @Test
  void run_scoresByLastUse_keepAboutWhatLastUseKeeps() {
    ModelTrace trace = SmallTraces.conversations(7, 2_000);
    ModelSettings settings = settings(100, 0);

    double scored =
        ratio(trace, settings, Map.of(PolicySlot.RETENTION_DRAM, hosted(new ByLastUse())));

    assertThat(scored).isGreaterThan(0.97 * References.lru(trace, settings));
  }

  @Test
  void run_events_addUpToWhatIsThere() {
    ModelTrace trace = SmallTraces.conversations(9, 500);
    ByLastUse policy = new ByLastUse();
    ModelRun run =
        new ModelRun(trace, settings(50, 0), Map.of(PolicySlot.RETENTION_DRAM, hosted(policy)));

    List<RequestOutcome> _ = run.run();

    assertThat(policy.resident).isBetween(40, 50);
    assertThat(policy.scored).isPositive();
  }

  @Test
  void run_storeBehindMemory_findsWhatMemoryLost() {
    ModelTrace trace = SmallTraces.conversations(5, 500);

    List<RequestOutcome> outcomes = new ModelRun(trace, settings(60, 10_000), Map.of()).run();

    assertThat(ModelTotals.of(outcomes).prefixHitRatio()).isEqualTo(References.infinite(trace));
    assertThat(ModelTotals.of(outcomes).ssdReadBytes()).isPositive();
    assertThat(ModelTotals.of(outcomes).ssdWrittenBytes()).isEqualTo(trace.distinctPages() * 64L);
  }

  @Test
  void run_refusedRun_isNeverWrittenInPart() {
    ModelTrace trace = SmallTraces.conversations(5, 500);
    List<ChainFacts> asked = new ArrayList<>();
    AdmissionPolicy second =
        (chain, target) -> {
          asked.add(chain);
          return chain.uses() > 0 ? Admission.admit(REASON) : Admission.drop(REASON);
        };

    List<RequestOutcome> outcomes =
        new ModelRun(trace, settings(20, 10_000), Map.of(PolicySlot.ADMISSION_SSD, hosted(second)))
            .run();

    assertThat(outcomes.getFirst().ssdWrittenBytes()).isZero();
    assertThat(ModelTotals.of(outcomes).ssdWrittenBytes())
        .isPositive()
        .isLessThan(trace.distinctPages() * 64L);
    assertThat(asked).allMatch(chain -> chain.bytes() == chain.pages() * 64L);
  }

  @Test
  void run_writeLimit_isKept() {
    ModelTrace trace = SmallTraces.conversations(5, 500);
    List<TierFacts> seen = new ArrayList<>();
    AdmissionPolicy all =
        (chain, target) -> {
          seen.add(target);
          return Admission.admit(REASON);
        };
    ModelSettings limited = settings(20, 10_000).withWriteLimit(64);

    ModelRun run = new ModelRun(trace, limited, Map.of(PolicySlot.ADMISSION_SSD, hosted(all)));
    long written = ModelTotals.of(run.run()).ssdWrittenBytes();

    assertThat(written).isLessThanOrEqualTo(64 * (60 + 250));
    assertThat(run.refusedByLimit()).isPositive();
    assertThat(seen).allMatch(facts -> facts.writeBudgetLeft() >= 0);
  }

  @Test
  void run_nothingAdmittedToMemory_findsNothing() {
    ModelTrace trace = SmallTraces.conversations(5, 100);
    AdmissionPolicy none = (chain, target) -> Admission.drop(REASON);

    assertThat(
            ratio(trace, settings(1_000, 1_000), Map.of(PolicySlot.ADMISSION_DRAM, hosted(none))))
        .isZero();
  }

  @Test
  void new_policyInAForeignSlot_isRefused() {
    ModelTrace trace = SmallTraces.conversations(5, 10);

    assertThatThrownBy(() ->
            new ModelRun(
                trace, settings(10, 0), Map.of(PolicySlot.ADMISSION_SSD, hosted(new ByLastUse()))))
        .hasMessageContaining("does not serve in slot [admission.ssd]");
  }

  private static double ratio(
      ModelTrace trace, ModelSettings settings, Map<PolicySlot, HostedPolicy> policies) {
    return ModelTotals.of(new ModelRun(trace, settings, policies).run()).prefixHitRatio();
  }

  private static ModelSettings settings(long dramPages, long ssdPages) {
    return new ModelSettings(64, dramPages * 64, ssdPages * 64, VictimRule.kernel(64), 0, 1);
  }

  private static HostedPolicy hosted(io.orbitkv.api.policy.Policy policy) {
    return new HostedPolicy("test", policy, new ModelContext("test", 1));
  }

  private static final class ByLastUse implements RetentionPolicy {
    private int resident;
    private int scored;

    @Override
    public void observe(PageEvents events) {
      for (int i = 0; i < events.pages().size(); i++) {
        switch (events.kind(i)) {
          case INSERTED -> resident++;
          case REMOVED -> resident--;
          case USED -> {}
        }
      }
    }

    @Override
    public void score(PageBatch candidates, long[] scores) {
      for (int i = 0; i < candidates.size(); i++) {
        scores[i] = candidates.lastUseNanos(i);
        scored++;
      }
    }
  }
}
