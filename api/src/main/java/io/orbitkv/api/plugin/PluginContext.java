package io.orbitkv.api.plugin;

import java.util.concurrent.ThreadFactory;
import java.util.function.LongSupplier;

/**
 * The scope of one plugin: what it makes through this context ends with the plugin. The Manager
 * closes it on stop, so a policy plugin that holds on to nothing else can be unloaded. Any thread.
 */
public interface PluginContext {
  /** The plugin's id. */
  String pluginId();

  /**
   * Monotonic time in nanoseconds; under the simulator, virtual time. Wall-clock time decides
   * nothing.
   */
  LongSupplier nanoClock();

  /**
   * Makes platform threads named after the plugin. Threads that still run when the scope is closed
   * are interrupted and, if they do not end, named in the log.
   */
  ThreadFactory threads();

  /** The plugin's logger. */
  System.Logger log();

  /** The plugin's meters; gone from every export once the scope is closed. */
  Meters meters();

  /**
   * Ties a resource to the scope; closed in reverse order of registration.
   *
   * @return {@code resource}
   */
  <T extends AutoCloseable> T closeWithScope(T resource);
}
