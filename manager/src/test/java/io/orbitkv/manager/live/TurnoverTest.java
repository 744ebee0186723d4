package io.orbitkv.manager.live;

import static org.assertj.core.api.Assertions.assertThat;

import io.orbitkv.api.backing.BackingUsage;
import io.orbitkv.api.memory.MemoryUsage;
import io.orbitkv.kernel.KernelStatus;
import io.orbitkv.manager.fixture.FakeKernel;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class TurnoverTest {
  private static final long MINUTE = Duration.ofMinutes(1).toNanos();

  private static KernelStatus status(Map<String, Long> counters) {
    KernelStatus empty = FakeKernel.emptyStatus();
    return new KernelStatus(
        0,
        0,
        0,
        Map.of(),
        0,
        0,
        0,
        0,
        0,
        0,
        0,
        0,
        0,
        0,
        0,
        0,
        0,
        0,
        0,
        new MemoryUsage(600, 600, 0, 600, 600, 0, -1),
        empty.sessions(),
        0,
        0,
        0,
        0,
        counters);
  }

  private static BackingUsage store(long capacityBytes) {
    return new BackingUsage("test", capacityBytes, 0, 0, 0, 0, 0, 0, BackingUsage.UNLIMITED, "");
  }

  @Test
  void memoryAlone_takesItsCapacityOverWhatCameIn() {
    assertThat(
            Turnover.of(
                status(Map.of("published_bytes", 50L, "read_bytes", 10L)),
                Optional.empty(),
                MINUTE))
        .contains(Duration.ofMinutes(10));
  }

  @Test
  void tiers_takeAsLongAsTheSlowerOne() {
    KernelStatus status = status(Map.of("published_bytes", 60L, "written_bytes", 10L));

    assertThat(Turnover.of(status, Optional.of(store(1_000)), MINUTE))
        .contains(Duration.ofMinutes(100));
    assertThat(Turnover.of(status, Optional.of(store(10)), MINUTE))
        .contains(Duration.ofMinutes(10));
  }

  @Test
  void tierThatNothingCameInto_isNotKnown() {
    assertThat(Turnover.of(status(Map.of()), Optional.empty(), MINUTE)).isEmpty();
    assertThat(
            Turnover.of(status(Map.of("published_bytes", 60L)), Optional.of(store(1_000)), MINUTE))
        .isEmpty();
  }
}
