package io.orbitkv.kernel;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

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

  @ParameterizedTest
  @MethodSource("seeds")
  void randomRun_endsDrainedToZero(long seed) {
    run(seed, STEPS);
  }

  @Test
  void sameSeed_givesTheSameCommands() {
    assertEquals(run(11, 3_000).digest(), run(11, 3_000).digest());
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

  /** What needs a backing tier, preparations or ranks that ask together: the simulator has them. */
  private static final Pattern OF_OTHER_RUNS =
      Pattern.compile(
          "^(read_|write_|written_|preparations|speculat|warm|claims_|stored_|decisions_|disc|certif)");

  private record Outcome(long digest, Map<String, Long> counters) {}

  private static Outcome run(long seed, int steps) {
    KernelDriver driver = new KernelDriver(seed);
    try {
      long digest = driver.run(steps);
      return new Outcome(digest, driver.status().counters());
    } catch (RuntimeException | Error failure) {
      throw new AssertionError("seed [" + seed + "]: " + failure.getMessage(), failure);
    }
  }
}
