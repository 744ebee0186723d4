package io.orbitkv.policy.restoreorrecompute;

import static org.assertj.core.api.Assertions.assertThat;

import io.orbitkv.api.policy.CutoffPolicy;
import io.orbitkv.policy.restoreorrecompute.QueueSimulation.Planner;
import io.orbitkv.policy.restoreorrecompute.QueueSimulation.Prompt;
import io.orbitkv.testkit.policy.PolicyTester;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Mean time to first token against always restoring and always recomputing, whichever is better.
 */
class RegretTest {
  private static final double MOST_REGRET = 1.05;
  private static final double[] BYTES_PER_SECOND = {0.5e9, 1.5e9, 3e9, 7e9, 14e9};
  private static final double[] TOKENS_PER_SECOND = {4e3, 10e3, 20e3, 40e3, 50e3};

  /**
   * Of all that would have to be computed, per second that the engine has. Beyond 1 the queue grows
   * as long as requests come, and there is no mean.
   */
  private static final double[] LOADS = {0.2, 0.5, 0.8, 1.0};

  private static final int[] CLIENTS = {1, 4, 8};
  private static final long SEED = 7;

  /** Requests that come by themselves, or clients that wait for each other. */
  private sealed interface Arrivals {
    record Load(double share) implements Arrivals {}

    record Clients(int number) implements Arrivals {}
  }

  @ParameterizedTest
  @ValueSource(doubles = {0.4, 0.75, 0.95})
  void meanTimeToFirstToken_overAllSpeeds_isNearTheBetterOfBothWhereTheEngineTellsItsQueue(
      double continued) {
    for (double load : LOADS) {
      assertNearTheBetter(new Arrivals.Load(load), continued, true);
    }
    for (int clients : CLIENTS) {
      assertNearTheBetter(new Arrivals.Clients(clients), continued, true);
    }
  }

  @Test
  void meanTimeToFirstToken_ofAnEngineThatTellsNothing_isNearTheBetterOfBothWhileThereIsNoQueue() {
    assertNearTheBetter(new Arrivals.Load(0.2), 0.75, false);
    assertNearTheBetter(new Arrivals.Clients(1), 0.75, false);
  }

  @Test
  void meanTimeToFirstToken_whereTierAndEngineCanShareTheWork_isBetterThanEither() {
    // 10,000 tokens a second from the tier, 20,000 from the engine, which is asked for 16,000.
    double regret = regret(1.5e9, 20e3, new Arrivals.Load(0.8), 0.75, true);

    assertThat(regret).isLessThan(0.8);
  }

  private static void assertNearTheBetter(Arrivals arrivals, double continued, boolean told) {
    for (double bytes : BYTES_PER_SECOND) {
      for (double tokens : TOKENS_PER_SECOND) {
        assertThat(regret(bytes, tokens, arrivals, continued, told))
            .as("%s bytes/s, %s tokens/s, %s", bytes, tokens, arrivals)
            .isLessThanOrEqualTo(MOST_REGRET);
      }
    }
  }

  private static double regret(
      double bytes, double tokens, Arrivals arrivals, double continued, boolean told) {
    Planner all = (request, tier, engine) -> request.ssdPages();
    Planner none = (request, tier, engine) -> 0;
    PolicyTester tester = PolicyTester.of(new RestoreOrRecomputePlugin());
    CutoffPolicy policy = tester.policy(CutoffPolicy.class);
    long start = tester.context().nanoTime();
    Planner choosing =
        (request, tier, engine) ->
            Math.clamp(
                (long) policy.plan(request, tier, engine).restorePages() - request.dramPages(),
                0,
                request.ssdPages());
    QueueSimulation.Clock clock =
        nanos ->
            tester.advance(
                Duration.ofNanos(Math.max(0, start + nanos - tester.context().nanoTime())));
    return mean(bytes, tokens, arrivals, continued, told, choosing, clock)
        / Math.min(
            mean(bytes, tokens, arrivals, continued, told, all, nanos -> {}),
            mean(bytes, tokens, arrivals, continued, told, none, nanos -> {}));
  }

  private static double mean(
      double bytes,
      double tokens,
      Arrivals arrivals,
      double continued,
      boolean told,
      Planner planner,
      QueueSimulation.Clock clock) {
    double perRequest = QueueSimulation.meanTokens(QueueSimulation.prompts(SEED, 1, continued));
    return switch (arrivals) {
      case Arrivals.Load(double share) -> {
        List<Prompt> prompts =
            QueueSimulation.prompts(SEED, share * tokens / perRequest, continued);
        yield new QueueSimulation(bytes, tokens, told, prompts, planner, clock).open();
      }
      case Arrivals.Clients(int number) -> {
        List<Prompt> prompts = QueueSimulation.prompts(SEED, 1, continued);
        yield new QueueSimulation(bytes, tokens, told, prompts, planner, clock).closed(number);
      }
    };
  }
}
