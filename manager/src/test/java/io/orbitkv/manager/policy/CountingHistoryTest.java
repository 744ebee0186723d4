package io.orbitkv.manager.policy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class CountingHistoryTest {
  @Test
  void touches_areCounted() {
    CountingHistory history = new CountingHistory(2);

    assertThat(history.touch(7)).isEqualTo(1);
    assertThat(history.touch(7)).isEqualTo(2);
    assertThat(history.count(7)).isEqualTo(2);
    assertThat(history.count(8)).isZero();
  }

  @Test
  void leastRecentlyTouched_isForgottenAndALookKeepsNothing() {
    CountingHistory history = new CountingHistory(2);
    history.touch(1);
    history.touch(2);
    history.touch(1);
    history.count(2);
    history.touch(3);

    assertThat(history.count(2)).isZero();
    assertThat(history.count(1)).isEqualTo(2);
    assertThat(history.touch(2)).isEqualTo(1);
    assertThat(history.count(1)).isZero();
  }

  @Test
  void sizeOutOfRange_isRefused() {
    assertThatThrownBy(() -> new CountingHistory(0)).hasMessageContaining("[0]");
    assertThatThrownBy(() -> new CountingHistory(1_000_001)).hasMessageContaining("[1000001]");
  }
}
