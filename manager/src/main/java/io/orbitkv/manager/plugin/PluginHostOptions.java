package io.orbitkv.manager.plugin;

import io.micrometer.core.instrument.MeterRegistry;
import java.nio.file.Path;
import java.time.Duration;
import java.util.function.LongSupplier;

/**
 * What the host is given.
 *
 * @param workDirectory where plugins are expanded; made when absent; must belong to this user alone
 * @param meters where the plugins' meters go
 * @param nanoClock monotonic time for plugins
 * @param limits what a plugin may at most be
 * @param threadPatience how long a closing scope waits for its interrupted threads, in real time
 */
public record PluginHostOptions(
    Path workDirectory,
    MeterRegistry meters,
    LongSupplier nanoClock,
    PluginLimits limits,
    Duration threadPatience) {
  /** Standard limits; two seconds of patience. */
  public static PluginHostOptions of(
      Path workDirectory, MeterRegistry meters, LongSupplier nanoClock) {
    return new PluginHostOptions(
        workDirectory, meters, nanoClock, PluginLimits.standard(), Duration.ofSeconds(2));
  }

  /** The same with other limits. */
  public PluginHostOptions withLimits(PluginLimits other) {
    return new PluginHostOptions(workDirectory, meters, nanoClock, other, threadPatience);
  }

  /** The same with another patience. */
  public PluginHostOptions withThreadPatience(Duration other) {
    return new PluginHostOptions(workDirectory, meters, nanoClock, limits, other);
  }
}
