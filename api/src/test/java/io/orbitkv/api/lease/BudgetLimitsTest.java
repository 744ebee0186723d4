package io.orbitkv.api.lease;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class BudgetLimitsTest {
  @Test
  void speculativeShare_isAQuarterRoundedDown() {
    BudgetLimits limits = new BudgetLimits(103, 50);

    assertThat(limits.speculativeTotalBytes()).isEqualTo(25);
    assertThat(limits.speculativeInstanceBytes()).isEqualTo(12);
  }

  @Test
  void constructor_instanceAboveTotal_isRefused() {
    assertThatThrownBy(() -> new BudgetLimits(10, 11)).hasMessageContaining("instance budget [11]");
    assertThatThrownBy(() -> new BudgetLimits(10, 0)).hasMessageContaining("instance budget [0]");
  }
}
