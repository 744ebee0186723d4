package io.orbitkv.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.orbitkv.api.policy.CutoffPolicy;
import io.orbitkv.api.policy.CutoffPolicy.OnDeadline;
import io.orbitkv.api.policy.CutoffPolicy.ReadLimits;
import io.orbitkv.api.policy.PolicySlot;
import io.orbitkv.api.policy.Reason;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class TimedModelTest {
  private static final Reason REASON = Reason.of("test");

  /** A page of 64 tokens takes a second to compute, half a second to read, nothing to copy. */
  private static final TimedSettings TIMES = new TimedSettings(64, 128, 1e18, 1e18, 0, 0);

  private static final ModelTrace TRACE =
      SmallTraces.of(new long[] {1, 2}, new long[] {11, 12}, new long[] {1, 2, 3});

  @Test
  void run_nothingThere_computesTheWholePrompt() {
    assertThat(run(Map.of()).getFirst().ttftSeconds()).isCloseTo(2, within(1e-9));
  }

  @Test
  void run_pagesInTheStore_waitsForTheReadAndComputesTheRest() {
    RequestOutcome last = run(Map.of()).getLast();

    assertThat(last.ssdPages()).isEqualTo(2);
    // The engine is busy with the prompts before until second 4; the read is done by then.
    assertThat(last.ttftSeconds()).isCloseTo(3, within(1e-9));
  }

  @Test
  void run_cutoffThatRestoresNothing_computesAll() {
    CutoffPolicy nothing =
        (request, source, engine) ->
            new ReadLimits(0, 0, Duration.ZERO, OnDeadline.MISS, 0, REASON);

    RequestOutcome last =
        run(Map.of(
                PolicySlot.CUTOFF,
                new HostedPolicy("nothing", nothing, new ModelContext("nothing", 1))))
            .getLast();

    assertThat(last.ssdReadBytes()).isZero();
    assertThat(last.ttftSeconds()).isCloseTo(5, within(1e-9));
  }

  @Test
  void run_deadlineThatHandsOver_restoresWhatWasReadInTime() {
    CutoffPolicy soon =
        (request, source, engine) ->
            new ReadLimits(
                0, 0, Duration.ofMillis(600), OnDeadline.HAND_OVER, Integer.MAX_VALUE, REASON);

    RequestOutcome last =
        run(Map.of(PolicySlot.CUTOFF, new HostedPolicy("soon", soon, new ModelContext("soon", 1))))
            .getLast();

    assertThat(last.ssdPages()).isEqualTo(1);
  }

  @Test
  void run_closedLoop_startsARequestWhenOneHasEnded() {
    TimedSettings closed = new TimedSettings(64, 128, 1e18, 1e18, 0, 1);

    List<RequestOutcome> outcomes =
        new TimedModel(TRACE, settings(), closed, Map.of(), List.of()).run();

    assertThat(outcomes.get(1).arrivalNanos()).isEqualTo(2_000_000_000L);
    assertThat(outcomes.get(2).ttftSeconds()).isCloseTo(2, within(1e-9));
  }

  @Test
  void run_promptThatTheDeviceHas_isNeitherLookedForNorComputed() {
    TimedSettings device = TIMES.withDevice(100 * 64);

    RequestOutcome last =
        new TimedModel(TRACE, settings(), device, Map.of(), List.of()).run().getLast();

    assertThat(last.devicePages()).isEqualTo(2);
    assertThat(last.hitPages()).isEqualTo(2);
    assertThat(last.ssdReadBytes()).isZero();
  }

  @Test
  void run_promptThatWaitedForARead_isComputedBeforeThoseThatCameLater() {
    // The third request's read is over at second 3.6, the fourth is ready at 3, the engine at 4.
    TimedSettings slowRead = new TimedSettings(64, 80, 1e18, 1e18, 0, 0);
    ModelTrace trace =
        SmallTraces.of(
            new long[] {1, 2}, new long[] {11, 12}, new long[] {1, 2, 3}, new long[] {21, 22});

    List<RequestOutcome> outcomes =
        new TimedModel(trace, settings(), slowRead, Map.of(), List.of()).run();

    assertThat(outcomes.get(2).ttftSeconds()).isCloseTo(3, within(1e-9));
    assertThat(outcomes.get(3).ttftSeconds()).isCloseTo(4, within(1e-9));
  }

  @Test
  void run_copyToHostMemory_holdsUpTheNextPrompt() {
    // A page takes a second over the link.
    TimedSettings slowLink = new TimedSettings(64, 128, 1e18, 64, 0, 0);

    List<RequestOutcome> outcomes =
        new TimedModel(TRACE, settings(), slowLink, Map.of(), List.of()).run();

    assertThat(outcomes.getFirst().ttftSeconds()).isCloseTo(2, within(1e-9));
    // It comes after a second: one more of computing, two of copying, and then its own two.
    assertThat(outcomes.get(1).ttftSeconds()).isCloseTo(5, within(1e-9));
  }

  @Test
  void run_ofARecording_isWhatTheTiersGive() {
    Recording recording = new Recording(TRACE, settings());

    List<RequestOutcome> outcomes = new TimedModel(recording, TIMES, 1, List.of()).run();

    assertThat(outcomes).isEqualTo(run(Map.of()));
  }

  @Test
  void run_writesBeyondTheQueue_areDropped() {
    TimedSettings slowWrites = new TimedSettings(64, 128, 1, 1e18, 0, 0, 0, 0, 3 * 64);

    List<RequestOutcome> outcomes =
        new TimedModel(TRACE, settings(), slowWrites, Map.of(), List.of()).run();

    assertThat(outcomes.get(0).ssdWrittenBytes()).isEqualTo(2 * 64);
    assertThat(outcomes.get(1).ssdWrittenBytes()).isEqualTo(64);
  }

  private static List<RequestOutcome> run(Map<PolicySlot, HostedPolicy> policies) {
    return new TimedModel(TRACE, settings(), TIMES, policies, List.of()).run();
  }

  private static ModelSettings settings() {
    return new ModelSettings(64, 2 * 64, 100 * 64, VictimRule.kernel(64), 0, 1);
  }
}
