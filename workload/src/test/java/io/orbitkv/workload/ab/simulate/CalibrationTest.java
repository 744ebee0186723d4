package io.orbitkv.workload.ab.simulate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.within;

import io.orbitkv.workload.ab.assign.Arm;
import io.orbitkv.workload.ab.verdict.Criteria;
import io.orbitkv.workload.ab.verdict.Measure;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class CalibrationTest {
  private static final double HOUR = 3_600;

  @ParameterizedTest
  @EnumSource(names = {"TTFT_MEAN", "PREFIX_HIT_RATIO", "SSD_WRITTEN_BYTES"})
  void run_ofEqualVariants_findsWhatIsPlantedInWhateverDecides(Measure measure) {
    CalibrationResult result = calibration(measure, 12, HOUR).run();

    assertThat(result.experiments()).isEqualTo(12);
    assertThat(result.planted()).isEqualTo(12);
    assertThat(result.found()).isGreaterThanOrEqualTo(10);
    assertThat(result.wrong()).isZero();
    assertThat(result.winners()).isLessThanOrEqualTo(3);
    assertThat(result.enough()).isFalse();
    assertThat(result.table()).contains("Too few experiments");
  }

  @Test
  void run_ofVariantsThatDiffer_isNotSound() {
    // What is to be equal is not: B of every experiment takes a fifth longer.
    CalibrationResult result =
        new Calibration(
                number -> new SyntheticModel(number, 0.4, HOUR),
                criteria(Measure.TTFT_MEAN),
                0.5,
                1,
                12)
            .run();

    assertThat(result.winnersA()).isGreaterThanOrEqualTo(6);
    assertThat(result.sound()).isFalse();
  }

  @Test
  void run_loadThatIsTooShortForAVerdict_saysSo() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> calibration(Measure.TTFT_MEAN, 2, 600).run())
        .withMessageContaining("experiment [1] has no verdict: a verdict needs 50 minutes");
  }

  @Test
  void planted_hits_loseTheirShareInAllAndNoneOfA() {
    SyntheticModel model = new SyntheticModel(1, 0, HOUR);
    PlantedModel planted = new PlantedModel(model, Measure.PREFIX_HIT_RATIO, 0.7);

    assertThat(planted.run(Arm.A, 1, _ -> true)).isEqualTo(model.run(Arm.A, 1, _ -> true));
    List<SimulatedRequest> worse = planted.run(Arm.B, 1, _ -> true);
    assertThat(hits(worse) / hits(model.run(Arm.B, 1, _ -> true))).isCloseTo(0.7, within(0.005));
    assertThat(worse).allSatisfy(one -> assertThat(one.hitPages()).isNotNegative());
  }

  @Test
  void planted_moreHitsThanThereAre_areRefused() {
    assertThatIllegalArgumentException()
        .isThrownBy(
            () -> new PlantedModel(new SyntheticModel(1, 0, HOUR), Measure.PREFIX_HIT_RATIO, 1.1))
        .withMessageContaining("cannot be planted");
  }

  private static double hits(List<SimulatedRequest> requests) {
    return requests.stream().mapToInt(SimulatedRequest::hitPages).sum();
  }

  private static Calibration calibration(Measure measure, int experiments, double seconds) {
    return new Calibration(
        number -> new SyntheticModel(number, 0, seconds), criteria(measure), 0.5, 1, experiments);
  }

  private static Criteria criteria(Measure measure) {
    return new Criteria(measure, 0.02, List.of());
  }
}
