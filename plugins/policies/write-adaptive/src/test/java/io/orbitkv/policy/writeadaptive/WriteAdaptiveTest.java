package io.orbitkv.policy.writeadaptive;

import static org.assertj.core.api.Assertions.assertThat;

import io.orbitkv.api.backing.BackingUsage;
import io.orbitkv.api.policy.Admission;
import io.orbitkv.api.policy.ChainFacts;
import io.orbitkv.api.policy.Facts;
import io.orbitkv.api.policy.TierFacts;
import io.orbitkv.api.policy.TierKind;
import io.orbitkv.testkit.policy.TestPolicyContext;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class WriteAdaptiveTest {
  private static final long GIB = 1L << 30;
  private static final long MIB = 1L << 20;

  private final TestPolicyContext context = new TestPolicyContext("write-adaptive", 1);
  private final WriteAdaptive policy =
      new WriteAdaptive(
          new WriteAdaptive.Settings(32, 5, Duration.ofHours(1), Duration.ofSeconds(5)), context);

  @Test
  void store_thatKeepsPagesLong_takesEverything() {
    for (int i = 0; i < 1_000; i++) {
      assertThat(ask(i, 100 * MIB, 0, 0.99, 100_000 * GIB, Facts.UNKNOWN).reason())
          .isEqualTo(WriteAdaptive.ROOM);
    }
  }

  @Test
  void store_underPressure_takesWhatReturnedAndAShareOfTheNew() {
    long offered = 0;
    long admitted = 0;
    for (int i = 0; i < 20_000; i++) {
      boolean returned = i % 10 == 0;
      Admission answer = ask(i, 100 * MIB, returned ? 1 : 0, unit(i), GIB, Facts.UNKNOWN);
      if (i > 1_000) {
        offered++;
        admitted += answer instanceof Admission.Admit ? 1 : 0;
        if (returned) {
          assertThat(answer.reason()).isEqualTo(WriteAdaptive.RETURNED);
        }
      }
    }
    assertThat((double) admitted / offered).isBetween(0.28, 0.36);
  }

  @Test
  void newChains_underPressure_enterShortOnesFirst() {
    int shortOnes = 0;
    int longOnes = 0;
    for (int i = 0; i < 20_000; i++) {
      boolean small = i % 2 == 0;
      Admission answer = ask(i, (small ? 20 : 200) * MIB, 0, unit(i), GIB, Facts.UNKNOWN);
      if (answer instanceof Admission.Admit && i > 1_000) {
        shortOnes += small ? 1 : 0;
        longOnes += small ? 0 : 1;
      }
    }
    assertThat(shortOnes).isEqualTo(9_499);
    assertThat(longOnes).isBetween(1_000, 5_000);
  }

  @Test
  void conversation_underPressure_entersWholeOrNotAtAll() {
    for (int i = 0; i < 2_000; i++) {
      Admission _ = ask(i, 100 * MIB, 0, unit(i), GIB, Facts.UNKNOWN);
    }
    for (int i = 0; i < 100; i++) {
      assertThat(ask(2_000, 100 * MIB, 0, 0.05, GIB, Facts.UNKNOWN).reason())
          .isEqualTo(WriteAdaptive.TRIAL);
      assertThat(ask(2_000, 100 * MIB, 0, 0.95, GIB, Facts.UNKNOWN).reason())
          .isEqualTo(WriteAdaptive.UNPROVEN);
    }
  }

  @Test
  void chain_ofWhichTheAllowanceHoldsAlmostNothing_isDroppedWhole() {
    assertThat(ask(0, 100 * MIB, 5, 0.1, 100_000 * GIB, 9 * MIB).reason())
        .isEqualTo(WriteAdaptive.BUDGET);
  }

  @Test
  void chain_whoseHeadTheAllowanceHolds_entersSinceAHeadIsOfUse() {
    assertThat(ask(0, 100 * MIB, 5, 0.1, 100_000 * GIB, 50 * MIB).reason())
        .isEqualTo(WriteAdaptive.RETURNED);
  }

  @Test
  void store_withoutAWriteLimit_isHeldToTheShare() {
    int admitted = 0;
    for (int i = 0; i < 4_000; i++) {
      Admission answer = ask(i, 100 * MIB, 0, unit(i), GIB, BackingUsage.UNLIMITED);
      admitted += answer instanceof Admission.Admit ? 1 : 0;
    }
    assertThat(admitted / 4_000.0).isBetween(0.25, 0.4);
  }

  @Test
  void hostMemory_thatWouldBeFullSoon_takesWhatFitsAndThenASmallShare() {
    int admitted = 0;
    for (int i = 0; i < 4_000; i++) {
      assertThat(memory(i, unit(i), 200 * MIB).reason()).isEqualTo(WriteAdaptive.ROOM);
      admitted += memory(i, unit(i), 0) instanceof Admission.Admit ? 1 : 0;
    }
    assertThat(admitted / 4_000.0).isBetween(0.02, 0.1);
  }

  private Admission memory(int number, double unitHash, long free) {
    context.advance(Duration.ofMillis(10), policy);
    return policy.admit(
        new ChainFacts(
            number,
            Facts.UNKNOWN,
            0,
            10,
            0,
            100 * MIB,
            TierKind.DEVICE,
            Facts.UNKNOWN,
            0,
            unitHash),
        new TierFacts(
            TierKind.DRAM,
            GIB,
            free,
            0,
            Facts.UNKNOWN,
            Facts.UNKNOWN,
            Facts.UNKNOWN,
            BackingUsage.UNLIMITED));
  }

  @Test
  void allowance_belowWhatIsOffered_isKept() {
    long left = 0;
    long written = 0;
    for (int i = 0; i < 20_000; i++) {
      left += 10 * MIB;
      if (ask(i, 100 * MIB, i % 4 == 0 ? 1 : 0, unit(i), GIB, left) instanceof Admission.Admit) {
        // What does not fit is cut off, as the tail of a chain.
        long fits = Math.min(left, 100 * MIB);
        left -= fits;
        written += fits;
      }
    }
    assertThat(written).isGreaterThan(20_000L * 10 * MIB * 8 / 10);
  }

  @Test
  void returns_underAnAllowanceOfWhichMostComeBackAgain_areAllAlike() {
    assertThat(firstReturn(5).reason()).isEqualTo(WriteAdaptive.RETURNED);
  }

  @Test
  void returns_underAnAllowanceOfWhichFewComeBackAgain_leaveItToThoseWithMore() {
    assertThat(firstReturn(40).reason()).isEqualTo(WriteAdaptive.UNPROVEN);
  }

  /**
   * Of five offers one is a first return, and of the others some are a second one and the rest
   * later ones; a fifth of the bytes may be written.
   *
   * @param every so many offers have a second return
   * @return the answer to one more first return, which the allowance would hold
   */
  private Admission firstReturn(int every) {
    long left = 2_000 * MIB;
    for (int i = 0; i < 20_000; i++) {
      left += 20 * MIB;
      int uses = i % 5 == 0 ? 1 : i % every == 1 ? 2 : 9;
      if (ask(i, 100 * MIB, uses, unit(i), GIB, left) instanceof Admission.Admit) {
        left -= Math.min(left, 100 * MIB);
      }
    }
    return ask(20_000, 100 * MIB, 1, 0.5, GIB, 1_000 * MIB);
  }

  @Test
  void newChains_underAnAllowance_enterShortOnesAndSomeOfAllLengths() {
    long left = 0;
    int shortOnes = 0;
    int longOnes = 0;
    for (int i = 0; i < 20_000; i++) {
      boolean small = i % 2 == 0;
      long bytes = (small ? 20 : 200) * MIB;
      left += 40 * MIB;
      if (ask(i, bytes, 0, unit(i), GIB, left) instanceof Admission.Admit) {
        left -= Math.min(left, bytes);
        shortOnes += i > 1_000 && small ? 1 : 0;
        longOnes += i > 1_000 && !small ? 1 : 0;
      }
    }
    assertThat(shortOnes).isGreaterThan(9_000);
    assertThat(longOnes).isBetween(1_000, 4_000);
  }

  private Admission ask(
      int number, long bytes, long uses, double unitHash, long capacity, long budget) {
    context.advance(Duration.ofMillis(100), policy);
    return policy.admit(
        new ChainFacts(
            number, Facts.UNKNOWN, 0, 10, 0, bytes, TierKind.DRAM, Facts.UNKNOWN, uses, unitHash),
        new TierFacts(
            TierKind.SSD,
            capacity,
            capacity,
            0,
            Facts.UNKNOWN,
            Facts.UNKNOWN,
            Facts.UNKNOWN,
            budget));
  }

  private static double unit(int i) {
    return (i * 0.618_033_988_749_895) % 1;
  }
}
