package io.orbitkv.policy.returndensity;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class ReturnTimesTest {
  private final ReturnTimes times = new ReturnTimes(50_000);

  @Test
  void value_nothingLearned_fallsWithAge() {
    assertThat(times.value(Conversations.FIRST_TURN, 1))
        .isGreaterThan(times.value(Conversations.FIRST_TURN, 10));
    assertThat(times.value(Conversations.FIRST_TURN, 10))
        .isGreaterThan(times.value(Conversations.FIRST_TURN, 1_000));
  }

  @Test
  void value_returnsAfterAPause_isHighestJustBeforeThem() {
    for (int i = 0; i < 1_000; i++) {
      times.returned(Conversations.FIRST_TURN, 100);
    }
    times.fit();

    long soon = times.value(Conversations.FIRST_TURN, 95);
    assertThat(soon).isGreaterThan(times.value(Conversations.FIRST_TURN, 2));
    assertThat(soon).isGreaterThan(times.value(Conversations.FIRST_TURN, 500));
  }

  @Test
  void value_kindThatReturnsOften_isWorthMoreThanOneThatDoesNot() {
    for (int i = 0; i < 1_000; i++) {
      times.returned(Conversations.MANY_TURNS, 60);
      times.lost(Conversations.FIRST_TURN, 3_000);
    }
    times.fit();

    assertThat(times.value(Conversations.MANY_TURNS, 30))
        .isGreaterThan(2 * times.value(Conversations.FIRST_TURN, 30));
    assertThat(times.value(Conversations.SHARED, 30))
        .isEqualTo(times.value(Conversations.MANY_TURNS, 30));
  }

  @Test
  void value_openConversations_countUpToTheirAge() {
    for (int i = 0; i < 100; i++) {
      times.returned(Conversations.FIRST_TURN, 100);
      times.open(Conversations.FIRST_TURN, 10);
    }
    times.fit();
    long unknownEnd = times.value(Conversations.FIRST_TURN, 90);
    times.startFit(0);
    for (int i = 0; i < 100; i++) {
      times.open(Conversations.FIRST_TURN, 1_000);
    }
    times.fit();

    assertThat(unknownEnd).isGreaterThan(times.value(Conversations.FIRST_TURN, 90));
  }

  @Test
  void startFit_manyRequestsLater_forgets() {
    for (int i = 0; i < 1_000; i++) {
      times.returned(Conversations.FIRST_TURN, 100);
    }
    times.fit();
    long before = times.value(Conversations.FIRST_TURN, 95);
    times.startFit(5_000_000);
    times.fit();

    assertThat(times.value(Conversations.FIRST_TURN, 95)).isLessThan(before / 2);
  }

  @Test
  void quick_isAmongTheFastestReturns() {
    for (int i = 0; i < 30; i++) {
      times.returned(Conversations.FIRST_TURN, 4);
    }
    for (int i = 0; i < 70; i++) {
      times.returned(Conversations.FIRST_TURN, 200);
    }
    times.fit();

    assertThat(times.quick(3)).isTrue();
    assertThat(times.quick(100)).isFalse();
  }
}
