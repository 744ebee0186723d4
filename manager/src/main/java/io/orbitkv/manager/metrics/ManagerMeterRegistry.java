package io.orbitkv.manager.metrics;

import io.micrometer.core.instrument.Clock;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.distribution.DistributionStatisticConfig;
import io.micrometer.core.instrument.distribution.pause.PauseDetector;
import io.micrometer.core.instrument.simple.SimpleConfig;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * The one registry of a Manager, for its own meters and those of its plugins. Timers keep buckets
 * that only grow; everything else is Micrometer's. Any thread.
 */
public final class ManagerMeterRegistry extends SimpleMeterRegistry {
  private final LongSupplier nanoClock;

  /**
   * Makes an empty registry.
   *
   * @param nanoClock monotonic nanoseconds, for timers that time what they are given
   */
  public ManagerMeterRegistry(LongSupplier nanoClock) {
    super(SimpleConfig.DEFAULT, Clock.SYSTEM);
    this.nanoClock = nanoClock;
  }

  @Override
  protected Timer newTimer(
      Meter.Id id, DistributionStatisticConfig statistics, PauseDetector pauses) {
    return new BucketTimer(id, TimeUnit.SECONDS, nanoClock);
  }

  /** A timer of the Manager. Its name ends with its unit. */
  BucketTimer duration(String name, String help, String... tags) {
    Timer timer = Timer.builder(name).description(help).tags(tags).register(this);
    if (timer instanceof BucketTimer ours) {
      return ours;
    }
    throw new IllegalStateException("timer [" + name + "] is not this registry's");
  }
}
