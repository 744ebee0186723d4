package io.orbitkv.manager.policy;

import io.orbitkv.api.plugin.Meters;
import io.orbitkv.api.policy.Policy;
import io.orbitkv.api.policy.PolicyContext;
import java.util.function.Function;
import java.util.function.LongFunction;
import org.jspecify.annotations.Nullable;

/**
 * A policy of a plugin with its settings, before an instance of it is made. Whoever keeps one keeps
 * the plugin's classes.
 *
 * @param name of the policy in the configuration
 * @param plugin id of the plugin that offers it
 * @param settings in canonical form; empty when it has none
 * @param identity equal for two that can be one instance: the same policy with equal settings
 * @param create makes an instance. Thread of the policy
 * @param meters those of one instance, which closing removes; by the epoch in which it is made
 * @param log of the plugin
 * @param loader of the plugin's classes
 */
public record PolicySpec(
    String name,
    String plugin,
    String settings,
    Object identity,
    Function<? super PolicyContext, ? extends Policy> create,
    LongFunction<InstanceMeters> meters,
    System.Logger log,
    @Nullable ClassLoader loader) {
  /**
   * Meters of one instance.
   *
   * @param meters for the instance
   * @param close removes them
   */
  public record InstanceMeters(Meters meters, Runnable close) {}

  /** Name and settings. */
  @Override
  public String toString() {
    return settings.isEmpty() ? name : name + " {" + settings + "}";
  }
}
