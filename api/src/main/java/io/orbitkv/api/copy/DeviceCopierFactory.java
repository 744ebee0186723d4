package io.orbitkv.api.copy;

import io.orbitkv.api.plugin.PluginContext;

/**
 * Makes copiers of one kind.
 *
 * @param <S> settings, a record whose components carry {@link io.orbitkv.api.settings.Setting}
 */
public interface DeviceCopierFactory<S extends Record> {
  /** The name in the configuration, for example {@code host-copy}. */
  String name();

  /** The settings record. */
  Class<S> settings();

  /**
   * Boot thread.
   *
   * @param settings parsed and checked
   * @param context the plugin's scope; closed after the copier
   * @throws DeviceUnavailableException when the machine lacks such devices
   * @throws IllegalStateException saying what else is missing and what to install or change
   */
  DeviceCopier create(S settings, PluginContext context);
}
