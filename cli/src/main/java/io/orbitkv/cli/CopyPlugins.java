package io.orbitkv.cli;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.orbitkv.api.copy.DeviceCopier;
import io.orbitkv.api.copy.DeviceCopierFactory;
import io.orbitkv.api.memory.MemoryTier;
import io.orbitkv.api.memory.MemoryTierFactory;
import io.orbitkv.api.memory.NumaTopology;
import io.orbitkv.manager.config.HostFacts;
import io.orbitkv.manager.config.ManagerConfig;
import io.orbitkv.manager.environment.ManagerLog;
import io.orbitkv.manager.plugin.PluginHost;
import io.orbitkv.manager.plugin.PluginHostOptions;
import io.orbitkv.manager.plugin.Provided;
import io.orbitkv.manager.settings.ConfigNode;
import io.orbitkv.manager.settings.Place;
import io.orbitkv.manager.settings.SettingsBinder;
import io.orbitkv.workload.copy.CopySource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Copier and host memory of this installation's plugins, loaded as a Manager loads them. */
final class CopyPlugins implements CopySource, AutoCloseable {
  private static final String COPIER = "cuda-copy";
  private static final String MEMORY = "dram";

  private final PluginHost host;
  private final Map<String, String> settings;

  private CopyPlugins(PluginHost host, Map<String, String> settings) {
    this.host = host;
    this.settings = settings;
  }

  /**
   * Loads the plugins.
   *
   * @param settings of the copier by key
   */
  static CopyPlugins load(Map<String, String> settings) {
    ManagerLog.install("WARN");
    ManagerConfig config = ManagerConfig.load(null, Map.of(), HostFacts.detect());
    try {
      return new CopyPlugins(
          PluginHost.open(
              config.pluginsDirectory(),
              config.pluginTrust(),
              PluginHostOptions.of(
                  config.pluginsWorkDirectory(), new SimpleMeterRegistry(), System::nanoTime)),
          Map.copyOf(settings));
    } catch (IllegalStateException unusable) {
      throw CommandException.failure(String.valueOf(unusable.getMessage()), unusable);
    }
  }

  @Override
  public DeviceCopier copier() {
    Provided<DeviceCopierFactory<?>> copier =
        host.copier(COPIER).orElseThrow(() -> absent("copier", COPIER));
    return copier.call(factory -> copier(copier, factory));
  }

  private <S extends Record> DeviceCopier copier(
      Provided<?> plugin, DeviceCopierFactory<S> factory) {
    List<ConfigNode.Entry> entries = new ArrayList<>();
    settings.forEach((key, value) -> {
      Place place = Place.flag("--set");
      entries.add(new ConfigNode.Entry(key, place, new ConfigNode.Scalar(place, value, true)));
    });
    return factory.create(
        SettingsBinder.bind(
            factory.settings(),
            new ConfigNode.Mapping(Place.flag("--set"), entries),
            "plugin-settings." + COPIER + "."),
        plugin.scope());
  }

  @Override
  public MemoryTier memory(long bytes) {
    Provided<MemoryTierFactory<?>> memory =
        host.memoryTier(MEMORY).orElseThrow(() -> absent("memory tier", MEMORY));
    return memory.call(factory -> memory(memory, factory, bytes));
  }

  private static <S extends Record> MemoryTier memory(
      Provided<?> plugin, MemoryTierFactory<S> factory, long bytes) {
    return factory.create(
        SettingsBinder.bind(
            factory.settings(),
            ConfigNode.Mapping.empty(Place.flag("--pool-size")),
            "plugin-settings." + MEMORY + "."),
        new MemoryTierFactory.Request(bytes, List.of(0), new OneNode()),
        plugin.scope());
  }

  private CommandException absent(String what, String name) {
    return CommandException.usage(
        "no plugin in ["
            + host.directory()
            + "] offers the "
            + what
            + " ["
            + name
            + "]: install it there");
  }

  @Override
  public void close() {
    host.close();
  }

  /** Memory lies where the threads run that touch it. */
  private static final class OneNode implements NumaTopology {
    @Override
    public List<Integer> nodes() {
      return List.of(0);
    }

    @Override
    public void bind(long address, long bytes, int node) {
      // The system's own placement.
    }
  }
}
