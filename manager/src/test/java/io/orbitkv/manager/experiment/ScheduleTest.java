package io.orbitkv.manager.experiment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.Optional;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class ScheduleTest {
  private static final Duration HOUR = Duration.ofHours(1);
  private static final Duration FIVE = Duration.ofMinutes(5);

  @Test
  void turns_ofEachHalf_areShared_AndChangePlacesInTheMiddle() {
    Schedule schedule = Schedule.of(FIVE, HOUR.multipliedBy(2), Optional.of(HOUR), true, false);

    assertThat(schedule.sameBlocks()).isEqualTo(12);
    assertThat(schedule.blocks()).isEqualTo(24);
    assertThat(ofB(schedule, 0, 12)).isEqualTo(6);
    assertThat(ofB(schedule, 12, 24)).isEqualTo(6);
    assertThat(ofB(schedule, 24, 36)).isEqualTo(6);
    assertThat(schedule.turnOfB(12)).isFalse();
    assertThat(schedule.turnOfB(23)).isTrue();
    assertThat(schedule.turnOfB(24)).isTrue();
    assertThat(schedule.swapped(23)).isFalse();
    assertThat(schedule.swapped(24)).isTrue();
    assertThat(schedule.same(11)).isTrue();
    assertThat(schedule.same(12)).isFalse();
  }

  private static long ofB(Schedule schedule, int from, int to) {
    return IntStream.range(from, to).filter(schedule::turnOfB).count();
  }

  @Test
  void same_whenNotSaid_isAQuarterWithEqualHalves() {
    Schedule schedule = Schedule.of(FIVE, HOUR, Optional.empty(), false, false);

    assertThat(schedule.blocks()).isEqualTo(12);
    assertThat(schedule.sameBlocks()).isEqualTo(4);
  }

  @Test
  void shortBlocks_areRefusedUnlessSomebodySaysSo() {
    Duration minute = Duration.ofMinutes(1);

    assertThatThrownBy(() -> Schedule.of(minute, HOUR, Optional.empty(), true, false))
        .hasMessageContaining("a turn of [1m] is shorter than 5m")
        .hasMessageContaining("--short-blocks");
    assertThat(Schedule.of(minute, HOUR, Optional.empty(), true, true).blocks()).isEqualTo(60);
  }

  @Test
  void horizon_withFewerThanTenBlocksOfAVariant_isRefusedAndSaysWhatItTakes() {
    assertThatThrownBy(() -> Schedule.of(FIVE, HOUR, Optional.empty(), true, false))
        .hasMessageContaining("has [6] turns of [5m] for each variant")
        .hasMessageContaining("make it [100m] or more");
  }

  @Test
  void moreBlocksThanAreKept_areRefused() {
    assertThatThrownBy(() -> Schedule.of(FIVE, Duration.ofDays(30), Optional.empty(), false, false))
        .hasMessageContaining("more than the [1000] that are kept");
  }

  @Test
  void blocksInWhichCachesSettle_followEachChangeOfPolicies() {
    Schedule schedule = Schedule.of(FIVE, HOUR.multipliedBy(2), Optional.of(HOUR), false, false, 3);

    assertThat(schedule.sameBlocks()).isEqualTo(12);
    assertThat(schedule.blocks()).isEqualTo(24);
    assertThat(IntStream.range(0, 36).filter(schedule::settling))
        .containsExactly(12, 13, 14, 24, 25, 26);
  }

  @Test
  void horizon_withFewerThanTenBlocksBesideThoseThatSettle_isRefused() {
    assertThatThrownBy(() -> Schedule.of(FIVE, HOUR, Optional.empty(), false, false, 2))
        .hasMessageContaining("needs [10] beside the [2] after each change of policies")
        .hasMessageContaining("make it [70m] or more");
  }
}
