package io.orbitkv.api.recovery;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.orbitkv.api.page.GroupRule;
import io.orbitkv.api.page.GroupSpec;
import java.util.List;
import org.junit.jupiter.api.Test;

class RecoveryDemandTest {
  private static final GroupSpec FULL = new GroupSpec(0, new GroupRule.Prefix());

  @Test
  void compile_fullAttentionAndWindow_needsTheWindowsLastPages() {
    RecoveryDemand demand =
        RecoveryDemand.compile(
            64, 128, 512, List.of(FULL, new GroupSpec(1, new GroupRule.Window(100))));

    assertThat(demand.ranges())
        .containsExactly(new GroupRange(0, 128, 512), new GroupRange(1, 384, 512));
  }

  @Test
  void compile_fullAttentionAndRecurrentState_needsTheCheckpoint() {
    RecoveryDemand demand =
        RecoveryDemand.compile(
            64, 128, 512, List.of(FULL, new GroupSpec(1, new GroupRule.Checkpoint())));

    assertThat(demand.ranges())
        .containsExactly(new GroupRange(0, 128, 512), new GroupRange(1, 448, 512));
  }

  @Test
  void compile_spanShorterThanTheWindow_needsTheSpan() {
    RecoveryDemand demand =
        RecoveryDemand.compile(
            64, 128, 192, List.of(FULL, new GroupSpec(1, new GroupRule.Window(100))));

    assertThat(demand.ranges().get(1)).isEqualTo(new GroupRange(1, 128, 192));
  }

  @Test
  void compile_emptySpan_needsNothing() {
    RecoveryDemand demand =
        RecoveryDemand.compile(
            64, 128, 128, List.of(FULL, new GroupSpec(1, new GroupRule.Checkpoint())));

    assertThat(demand.ranges())
        .containsExactly(new GroupRange(0, 128, 128), new GroupRange(1, 128, 128));
  }

  @Test
  void constructor_rangeThatEndsBeforeTheBoundary_isRefused() {
    List<GroupRange> ranges = List.of(new GroupRange(0, 0, 128), new GroupRange(1, 0, 64));

    assertThatThrownBy(() -> new RecoveryDemand(64, 0, 128, ranges))
        .hasMessageContaining("end at the boundary [128]");
  }

  @Test
  void constructor_unalignedSpan_isRefused() {
    List<GroupRange> ranges = List.of(new GroupRange(0, 0, 100));

    assertThatThrownBy(() -> new RecoveryDemand(64, 0, 100, ranges))
        .hasMessageContaining("not aligned");
  }

  @Test
  void constructor_groupsOutOfOrder_areRefused() {
    List<GroupRange> ranges =
        List.of(new GroupRange(0, 0, 128), new GroupRange(2, 64, 128), new GroupRange(1, 64, 128));

    assertThatThrownBy(() -> new RecoveryDemand(64, 0, 128, ranges))
        .hasMessageContaining("groups must ascend");
  }
}
