package io.orbitkv.testkit.policy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.orbitkv.api.policy.Admission;
import io.orbitkv.api.policy.AdmissionPolicy;
import io.orbitkv.api.policy.ChainFacts;
import io.orbitkv.api.policy.CutoffPolicy;
import io.orbitkv.api.policy.History;
import io.orbitkv.api.policy.Policies;
import io.orbitkv.api.policy.PolicyContext;
import io.orbitkv.api.policy.PolicyFactory;
import io.orbitkv.api.policy.Reason;
import io.orbitkv.api.policy.TierFacts;
import io.orbitkv.api.policy.TierKind;
import io.orbitkv.api.settings.ByteSize;
import io.orbitkv.api.settings.Setting;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class PolicyTesterTest {
  private static final Reason RETURNED = Reason.of("returned");
  private static final Reason TRIAL = Reason.of("trial");
  private static final Reason UNPROVEN = Reason.of("unproven");
  private static final Reason BUDGET = Reason.of("budget");
  private static final PolicyFactory<Comeback.Settings> COMEBACK =
      Policies.admission("comeback", Comeback.Settings.class, Comeback::new);

  /** Lets a chain in at its second save, and a share of new ones on trial. */
  private static final class Comeback implements AdmissionPolicy {
    record Settings(
        @Setting(def = "0.25", min = "0", max = "1", doc = "share of new chains") double trial,
        @Setting(def = "16384", min = "1", max = "1000000", doc = "chains remembered")
            int history) {}

    private final Settings settings;
    private final History seen;
    private long ticks;

    Comeback(Settings settings, PolicyContext context) {
      this.settings = settings;
      this.seen = context.history(settings.history());
      context.schedule(Duration.ofSeconds(1), 7);
    }

    @Override
    public void onTimer(long token) {
      ticks += token;
    }

    @Override
    public Admission admit(ChainFacts chain, TierFacts target) {
      if (target.writeBudgetLeft() < chain.bytes()) {
        return Admission.drop(BUDGET);
      }
      if (seen.touch(chain.id()) > 1) {
        return Admission.admit(RETURNED);
      }
      return chain.unitHash() < settings.trial()
          ? Admission.admit(TRIAL)
          : Admission.drop(UNPROVEN);
    }
  }

  private static PolicyTester comeback() {
    return PolicyTester.of(COMEBACK).store(TestTier.of(TierKind.SSD).writeBudgetLeft(1L << 40));
  }

  @Test
  void exampleOfTheContract_byDefault_decidesAsItsTextSays() {
    PolicyTester tester = comeback();

    assertThat(tester.chain(7).unitHash(0.3).admitToStore()).isEqualTo(Admission.drop(UNPROVEN));
    assertThat(tester.chain(7).unitHash(0.3).admitToStore()).isEqualTo(Admission.admit(RETURNED));
    assertThat(tester.chain(8).unitHash(0.2).admitToStore()).isEqualTo(Admission.admit(TRIAL));
    tester.store(TestTier.of(TierKind.SSD).writeBudgetLeft(3));
    assertThat(tester.chain(7).admitToStore()).isEqualTo(Admission.drop(BUDGET));
  }

  @Test
  void settings_givenByKeyOrAsARecord_areThePolicys() {
    assertThat(comeback().set("trial", "0").chain(8).unitHash(0).admitToStore())
        .isEqualTo(Admission.drop(UNPROVEN));
    assertThat(
            comeback().settings(new Comeback.Settings(1, 1)).chain(8).unitHash(0.9).admitToStore())
        .isEqualTo(Admission.admit(TRIAL));
  }

  @Test
  void setting_outsideItsLimits_isRefusedByName() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> comeback().set("trial", "2").policy())
        .withMessage("setting [trial]: [2.0] is more than 1");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> comeback().set("trail", "1").policy())
        .withMessage("[trail] are no settings: there are [trial, history]");
  }

  @Test
  void settings_afterTheFirstQuestion_areRefused() {
    PolicyTester tester = comeback();
    tester.chain(1).admitToStore();

    assertThatIllegalStateException().isThrownBy(() -> tester.set("trial", "1"));
  }

  @Test
  void timer_whoseTimeComes_fires() {
    PolicyTester tester = comeback();
    Comeback policy = (Comeback) tester.policy();

    tester.advance(Duration.ofMillis(999));
    assertThat(policy.ticks).isZero();
    tester.advance(Duration.ofMillis(1));

    assertThat(policy.ticks).isEqualTo(7);
    assertThat(tester.context().waitingTimers()).isZero();
  }

  @Test
  void question_ofAnotherKind_isRefusedByName() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> comeback().policy(CutoffPolicy.class))
        .withMessage("policy [comeback] is no CutoffPolicy");
  }

  /** One of each type that a setting can have. */
  record AllTypes(
      @Setting(def = "true", doc = "a flag") boolean flag,
      @Setting(def = "5", doc = "a number") long number,
      @Setting(def = "word", doc = "a word") String word,
      @Setting(def = "4gb", max = "8gb", doc = "a size") ByteSize size,
      @Setting(def = "100ms", min = "1ms", doc = "a time") Duration time,
      @Setting(def = "ssd", doc = "one of some") TierKind kind,
      @Setting(def = "[1, 2]", doc = "several") List<Integer> several) {}

  @Test
  void defaults_ofEveryType_areRead() {
    assertThat(SettingsReader.read(AllTypes.class, Map.of("time", "2s")))
        .isEqualTo(
            new AllTypes(
                true,
                5,
                "word",
                new ByteSize(4L << 30),
                Duration.ofSeconds(2),
                TierKind.SSD,
                List.of(1, 2)));
  }

  @Test
  void valueOfAnotherForm_isRefusedByName() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> SettingsReader.read(AllTypes.class, Map.of("time", "soon")))
        .withMessageContaining("setting [time]: [soon] is not a duration");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> SettingsReader.read(AllTypes.class, Map.of("kind", "tape")))
        .withMessage("setting [kind]: [tape] is none of [device, dram, ssd]");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> SettingsReader.read(AllTypes.class, Map.of("size", "9gb")))
        .withMessage("setting [size]: [9gb] is more than 8gb");
  }
}
