package io.orbitkv.client;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

final class PatienceTest {
  @Test
  void parkNanos_firstMilliseconds_areShort() {
    long slept = 0;
    int number = 0;
    for (; slept < 5_000_000; number++) {
      assertThat(Patience.parkNanos(number)).isEqualTo(Patience.SHORT_PARK_NANOS);
      slept += Patience.parkNanos(number);
    }
    assertThat(number).isEqualTo(Patience.SHORT_PARKS);
  }

  @Test
  void parkNanos_afterThem_growToAMillisecondAndNoFurther() {
    long before = Patience.SHORT_PARK_NANOS;
    for (int number = Patience.SHORT_PARKS; number < Patience.SHORT_PARKS + 100; number++) {
      assertThat(Patience.parkNanos(number))
          .isBetween(before, 2 * before)
          .isLessThanOrEqualTo(Patience.LONG_PARK_NANOS);
      before = Patience.parkNanos(number);
    }
    assertThat(Patience.parkNanos(Integer.MAX_VALUE)).isEqualTo(Patience.LONG_PARK_NANOS);
  }

  @Test
  void stayAwake_endsAfterSomeRounds() {
    int round = 0;
    while (Patience.stayAwake(round)) {
      round++;
    }
    assertThat(round).isBetween(100, 10_000);
    assertThat(Patience.stayAwake(Integer.MAX_VALUE)).isFalse();
  }
}
