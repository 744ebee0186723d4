package io.orbitkv.manager.live;

import io.orbitkv.api.backing.BackingUsage;
import io.orbitkv.kernel.KernelStatus;
import java.time.Duration;
import java.util.Optional;

/**
 * How long a cache takes to replace its content: of each tier its capacity over what came into it a
 * second since the start; of both tiers the longer time.
 */
final class Turnover {
  private static final double NANOS_A_SECOND = 1e9;
  private static final long LONGEST_SECONDS = Duration.ofDays(3650).toSeconds();

  private Turnover() {}

  /**
   * Measures it.
   *
   * @param usage of the backing tier; empty without one
   * @param uptimeNanos in which the counters grew
   * @return empty when nothing came into a tier so far: it is not known then
   */
  static Optional<Duration> of(
      KernelStatus status, Optional<BackingUsage> usage, long uptimeNanos) {
    long inserted =
        status.counters().getOrDefault("published_bytes", 0L)
            + status.counters().getOrDefault("read_bytes", 0L);
    Optional<Duration> memory = of(status.memory().capacityBytes(), inserted, uptimeNanos);
    if (usage.isEmpty() || memory.isEmpty()) {
      return memory;
    }
    long written = status.counters().getOrDefault("written_bytes", 0L);
    return of(usage.get().capacityBytes(), written, uptimeNanos)
        .map(store -> store.compareTo(memory.get()) > 0 ? store : memory.get());
  }

  private static Optional<Duration> of(long capacityBytes, long bytes, long nanos) {
    if (bytes <= 0 || nanos <= 0) {
      return Optional.empty();
    }
    double seconds = capacityBytes / (bytes / (nanos / NANOS_A_SECOND));
    return Optional.of(
        seconds >= LONGEST_SECONDS
            ? Duration.ofSeconds(LONGEST_SECONDS)
            : Duration.ofNanos(Math.max(1, (long) (seconds * NANOS_A_SECOND))));
  }
}
