package io.orbitkv.workload.ab.simulate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.orbitkv.workload.ab.assign.Split;
import io.orbitkv.workload.ab.simulate.SimulatedExperiment.Resamples;
import io.orbitkv.workload.ab.simulate.SimulatedExperiment.Result;
import io.orbitkv.workload.ab.statistics.Estimate;
import io.orbitkv.workload.ab.statistics.Power;
import io.orbitkv.workload.ab.verdict.Compared;
import io.orbitkv.workload.ab.verdict.Criteria;
import io.orbitkv.workload.ab.verdict.Measure;
import io.orbitkv.workload.ab.verdict.Verdict;
import java.util.List;
import org.junit.jupiter.api.Test;

class SimulatedExperimentTest {
  private static final double HOUR = 3_600;
  private static final Criteria CRITERIA = new Criteria(Measure.TTFT_MEAN, 0.02, List.of());

  @Test
  void alone_variantsThatDoTheSame_haveNoIntervalOfWidthZero() {
    Result result = SimulatedExperiment.alone(new SyntheticModel(1, 0, HOUR), CRITERIA, draws(1));

    assertThat(result.judgement().verdict()).isEqualTo(Verdict.NO_DIFFERENCE_SHOWN);
    assertThat(result.judgement().reason()).contains("nothing varied");
    assertThat(result.judgement().primary().orElseThrow().estimate().interval()).isEmpty();
  }

  @Test
  void alone_constantFactor_hasTheSameEffectEverywhereAndSoNoInterval() {
    Result result =
        SimulatedExperiment.alone(new SyntheticModel(1, -0.1, HOUR), CRITERIA, draws(1));

    assertThat(result.judgement().primary().orElseThrow().change())
        .isCloseTo(Math.expm1(-0.1), within(1e-9));
  }

  @Test
  void partition_bothTiersFilled_measuresFromThenOn() {
    Result result =
        SimulatedExperiment.partition(
            new SyntheticModel(1, 0, HOUR), CRITERIA, new Split(0.5, 7), draws(1));

    assertThat(result.coldStart()).isFalse();
    assertThat(result.measuredFromSeconds()).isPositive().isLessThan(600);
    assertThat(result.a().requests().size() + result.b().requests().size()).isEqualTo(1_500);
    assertThat(result.judgement().primary().orElseThrow().estimate().interval()).isPresent();
    assertThat(result.judgement().exploratory())
        .extracting(Compared::measure)
        .contains(Measure.PREFIX_HIT_RATIO, Measure.SSD_WRITTEN_BYTES, Measure.TTFT_P95);
  }

  @Test
  void partition_shortTrace_showsEffectsWithoutAVerdict() {
    Result result =
        SimulatedExperiment.partition(
            new SyntheticModel(1, 0.5, 600), CRITERIA, new Split(0.5, 7), draws(1));

    assertThat(result.judgement().verdict()).isEqualTo(Verdict.NONE);
    assertThat(result.judgement().reason()).contains("50 minutes");
    assertThat(result.coldStart()).isTrue();
    assertThat(result.judgement().primary()).isPresent();
  }

  @Test
  void partition_waitsThatOutlastBlocks_haveNoVerdictAboutTimes() {
    SimulatedModel slow =
        new PlantedModel(new SyntheticModel(1, 0, HOUR), Measure.TTFT_MEAN, 1_000);
    Criteria hits = new Criteria(Measure.PREFIX_HIT_RATIO, 0.02, List.of());

    Result times = SimulatedExperiment.partition(slow, CRITERIA, new Split(0.5, 7), draws(1));
    Result others = SimulatedExperiment.partition(slow, hits, new Split(0.5, 7), draws(1));

    assertThat(times.judgement().verdict()).isEqualTo(Verdict.NONE);
    assertThat(times.judgement().reason())
        .contains("one request in twenty waited longer")
        .contains("compare prefix_hit_ratio");
    assertThat(times.judgement().primary()).isPresent();
    assertThat(others.longWaits()).isEqualTo(times.longWaits()).isPresent();
    assertThat(others.judgement().verdict()).isNotEqualTo(Verdict.NONE);
  }

  @Test
  void partition_sameSeed_givesTheSame() {
    SyntheticModel model = new SyntheticModel(3, 0.05, HOUR);

    assertThat(
            SimulatedExperiment.partition(model, CRITERIA, new Split(0.5, 7), draws(5)).judgement())
        .isEqualTo(
            SimulatedExperiment.partition(model, CRITERIA, new Split(0.5, 7), draws(5))
                .judgement());
  }

  @Test
  void partition_twoHundredOfOneConfiguration_callAWinnerInAtMostNinePerCent() {
    int winners = 0;
    for (int seed = 0; seed < 200; seed++) {
      winners += winner(new SyntheticModel(seed, 0, HOUR), seed) == Verdict.NONE ? 0 : 1;
    }

    assertThat(winners).isLessThanOrEqualTo(18);
  }

  @Test
  void partition_twiceTheDetectableEffect_isFoundInAtLeastEightyPerCent() {
    int found = 0;
    int experiments = 100;
    for (int seed = 0; seed < experiments; seed++) {
      Estimate pilot =
          SimulatedExperiment.partition(
                  new SyntheticModel(5_000 + seed, 0, HOUR),
                  CRITERIA,
                  new Split(0.5, seed),
                  draws(1))
              .judgement()
              .primary()
              .orElseThrow()
              .estimate();
      double planted =
          2 * pilot.standardError() * Power.detectableInErrors(pilot.degreesOfFreedom());
      found += winner(new SyntheticModel(seed, planted, HOUR), seed) == Verdict.A ? 1 : 0;
    }

    assertThat(found).isGreaterThanOrEqualTo(experiments * 8 / 10);
  }

  private static Resamples draws(long seed) {
    return new Resamples(150, seed);
  }

  private static Verdict winner(SyntheticModel model, long salt) {
    Verdict verdict =
        SimulatedExperiment.partition(model, CRITERIA, new Split(0.5, salt), draws(salt))
            .judgement()
            .verdict();
    return verdict == Verdict.A || verdict == Verdict.B ? verdict : Verdict.NONE;
  }
}
