package io.orbitkv.workload.sim;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Predicate;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class ShrinkerTest {
  private static final List<Integer> HUNDRED = IntStream.range(0, 100).boxed().toList();

  private final AtomicLong clockNanos = new AtomicLong();

  private List<Integer> shrink(Predicate<List<Integer>> fails, Duration time) {
    Predicate<List<Integer>> timed =
        actions -> {
          clockNanos.addAndGet(1_000_000);
          return fails.test(actions);
        };
    return new Shrinker<>(timed, clockNanos::get, time).shrink(HUNDRED);
  }

  @Test
  void twoActionsThatFailTogether_areAllThatIsLeft() {
    List<Integer> shortest =
        shrink(actions -> actions.contains(17) && actions.contains(83), Duration.ofMinutes(1));
    assertThat(shortest).containsExactly(17, 83);
  }

  @Test
  void orderOfTheRest_isKept() {
    List<Integer> shortest =
        shrink(actions -> actions.containsAll(List.of(3, 4, 50, 99)), Duration.ofMinutes(1));
    assertThat(shortest).containsExactly(3, 4, 50, 99);
  }

  @Test
  void failureThatNeedsEverything_staysAsItIs() {
    assertThat(shrink(actions -> actions.size() == 100, Duration.ofMinutes(1))).isEqualTo(HUNDRED);
  }

  @Test
  void endOfTheTime_leavesTheShortestSoFar() {
    Predicate<List<Integer>> fails = actions -> actions.contains(17);
    List<Integer> shortest = shrink(fails, Duration.ofMillis(4));
    assertThat(shortest).contains(17).hasSizeLessThan(100).hasSizeGreaterThan(1);
    assertThat(shrink(fails, Duration.ZERO)).isEqualTo(HUNDRED);
  }
}
