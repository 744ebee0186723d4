package io.orbitkv.kernel;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class KernelDriverTest {
  private static final int STEPS = 10_000;

  static LongStream seeds() {
    return LongStream.rangeClosed(1, 36);
  }

  static LongStream seedsOfPolicies() {
    return LongStream.rangeClosed(1, 18);
  }

  @ParameterizedTest
  @MethodSource("seeds")
  void randomRun_endsDrainedToZero(long seed) {
    run(seed, STEPS);
  }

  @ParameterizedTest
  @MethodSource("seedsOfPolicies")
  void randomRun_withRandomPolicies_endsDrainedToZero(long seed) {
    run(seed, STEPS, true);
  }

  @Test
  void randomRuns_withRandomPolicies_visitEachKindOfAnswer() {
    Map<String, Long> sums = new TreeMap<>();
    for (long seed = 200; seed < 204; seed++) {
      run(seed, STEPS, true)
          .counters()
          .forEach((name, value) -> sums.merge(name, value, Long::sum));
    }
    for (KernelCounter counter :
        List.of(
            KernelCounter.VICTIMS_BY_SCORE,
            KernelCounter.VICTIMS_BY_DEFAULT,
            KernelCounter.RETENTION_QUESTIONS,
            KernelCounter.RETENTION_ANSWERS,
            KernelCounter.RETENTION_DEFAULTS,
            KernelCounter.ADOPTED_PAGES,
            KernelCounter.PAGE_EVENTS_TOLD,
            KernelCounter.PUBLISH_REFUSED_PAGES,
            KernelCounter.ADMISSION_QUESTIONS,
            KernelCounter.ADMISSIONS,
            KernelCounter.ADMISSIONS_DROPPED,
            KernelCounter.ADMISSIONS_PUT_OFF,
            KernelCounter.ADMISSIONS_PUT_OFF_TOO_OFTEN)) {
      assertTrue(sums.getOrDefault(counter.key(), 0L) > 0, counter + " never happened: " + sums);
    }
    assertEquals(
        sums.get(KernelCounter.RETENTION_QUESTIONS.key()),
        sums.get(KernelCounter.RETENTION_ANSWERS.key())
            + sums.get(KernelCounter.RETENTION_DEFAULTS.key()));
    assertEquals(
        sums.get(KernelCounter.ADMISSION_QUESTIONS.key()),
        sums.get(KernelCounter.ADMISSIONS.key())
            + sums.get(KernelCounter.ADMISSIONS_PUT_OFF.key())
            + sums.get(KernelCounter.ADMISSIONS_DROPPED.key()));
  }

  @Test
  void sameSeed_givesTheSameCommands() {
    assertEquals(run(11, 3_000).digest(), run(11, 3_000).digest());
    assertEquals(run(11, 3_000, true).digest(), run(11, 3_000, true).digest());
  }

  @Test
  void randomRuns_visitEachKindOfEnd() {
    Map<String, Long> sums = new TreeMap<>();
    for (long seed = 100; seed < 104; seed++) {
      run(seed, STEPS).counters().forEach((name, value) -> sums.merge(name, value, Long::sum));
    }
    for (KernelCounter counter : KernelCounter.values()) {
      if (OF_OTHER_RUNS.matcher(counter.key()).find()) {
        continue;
      }
      assertTrue(sums.getOrDefault(counter.key(), 0L) > 0, counter + " never happened: " + sums);
    }
  }

  /**
   * What needs a backing tier, preparations, policies or ranks that ask together: others have it.
   */
  private static final Pattern OF_OTHER_RUNS =
      Pattern.compile(
          "^(read_|write_|written_|preparations|speculat|warm|claims_|stored_|decisions_|disc|certif|victims_|admission|restores_staged|restores_unstaged|publish_refused|retention_|adopted_|page_events_)");

  private record Outcome(long digest, Map<String, Long> counters) {}

  private static Outcome run(long seed, int steps) {
    return run(seed, steps, false);
  }

  private static Outcome run(long seed, int steps, boolean policies) {
    KernelDriver driver = new KernelDriver(seed, policies);
    try {
      long digest = driver.run(steps);
      return new Outcome(digest, driver.status().counters());
    } catch (RuntimeException | Error failure) {
      throw new AssertionError("seed [" + seed + "]: " + failure.getMessage(), failure);
    }
  }
}
