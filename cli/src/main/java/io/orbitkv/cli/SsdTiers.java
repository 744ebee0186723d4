package io.orbitkv.cli;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.orbitkv.api.backing.BackingTier;
import io.orbitkv.api.backing.BackingTierFactory;
import io.orbitkv.api.memory.HostChunk;
import io.orbitkv.manager.config.HostFacts;
import io.orbitkv.manager.config.ManagerConfig;
import io.orbitkv.manager.config.PluginBinding;
import io.orbitkv.manager.environment.ManagerLog;
import io.orbitkv.manager.plugin.PluginHost;
import io.orbitkv.manager.plugin.PluginHostOptions;
import io.orbitkv.manager.plugin.PluginRefusal;
import io.orbitkv.manager.plugin.Provided;
import io.orbitkv.manager.settings.ConfigNode;
import io.orbitkv.manager.settings.Place;
import io.orbitkv.manager.settings.SettingsBinder;
import io.orbitkv.workload.ssd.TierSource;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** The SSD tiers of this installation's plugin, loaded as a Manager loads it. */
final class SsdTiers implements TierSource, AutoCloseable {
  private static final String KEY_PREFIX = "plugin-settings." + PluginBinding.SSD_TIER + ".";

  private final PluginHost host;
  private final Map<String, String> settings;
  private boolean opened;

  private SsdTiers(PluginHost host, Map<String, String> settings) {
    this.host = host;
    this.settings = settings;
  }

  /**
   * Loads the plugins.
   *
   * @param settings of the tier by key, beside those of the store
   * @throws CommandException when no plugin offers the tier
   */
  static SsdTiers load(Map<String, String> settings) {
    // Each start of a tier says at level info what it found.
    ManagerLog.install("WARN");
    ManagerConfig config = ManagerConfig.load(null, Map.of(), HostFacts.detect());
    PluginHost host;
    try {
      host =
          PluginHost.open(
              config.pluginsDirectory(),
              config.pluginTrust(),
              PluginHostOptions.of(
                  config.pluginsWorkDirectory(), new SimpleMeterRegistry(), System::nanoTime));
    } catch (IllegalStateException unusable) {
      throw CommandException.failure(String.valueOf(unusable.getMessage()), unusable);
    }
    if (host.backingTier(PluginBinding.SSD_TIER).isEmpty()) {
      throw absent(host);
    }
    return new SsdTiers(host, Map.copyOf(settings));
  }

  private static CommandException absent(PluginHost host) {
    String refused =
        host.refusals().stream()
            .map(PluginRefusal::line)
            .filter(line -> line.contains(PluginBinding.SSD_TIER))
            .collect(Collectors.joining("; ", ": ", ""));
    String directory = host.directory().toString();
    host.close();
    return CommandException.usage(
        "no plugin in ["
            + directory
            + "] offers the backing tier ["
            + PluginBinding.SSD_TIER
            + "]"
            + (refused.length() > 2 ? refused : ": install it there"));
  }

  /** The tier that was opened before must be closed. */
  @Override
  public BackingTier open(Store store, List<HostChunk> chunks) {
    if (opened) {
      restart();
    }
    opened = true;
    Provided<BackingTierFactory<?>> tier =
        host.backingTier(PluginBinding.SSD_TIER).orElseThrow(() -> absent(host));
    return tier.call(factory -> create(tier, factory, section(store), chunks));
  }

  private static <S extends Record> BackingTier create(
      Provided<?> tier,
      BackingTierFactory<S> factory,
      ConfigNode.Mapping section,
      List<HostChunk> chunks) {
    return factory.create(
        SettingsBinder.bind(factory.settings(), section, KEY_PREFIX), chunks, tier.scope());
  }

  /** A plugin's scope is made for one life of its tier: meters can be registered once. */
  private void restart() {
    host.backingTier(PluginBinding.SSD_TIER)
        .map(tier -> tier.plugin().id())
        .ifPresent(plugin -> {
          List<String> _ = host.stop(plugin);
          host.start(plugin)
              .ifPresent(refused -> {
                throw new IllegalStateException(refused.line());
              });
        });
  }

  private ConfigNode.Mapping section(Store store) {
    Map<String, ConfigNode> values = new LinkedHashMap<>();
    values.put(
        "paths",
        new ConfigNode.Sequence(
            Place.flag("--file"),
            store.files().stream().map(file -> scalar("--file", file.toString())).toList()));
    values.put("capacity", scalar("--size", Long.toString(store.capacityBytes())));
    values.put("engine", scalar("--engines", store.engine()));
    values.put("direct", scalar("--direct", store.direct() ? "on" : "off"));
    values.put("format", scalar("--file", Boolean.toString(store.format())));
    values.put("write-share", scalar("--write-share", Integer.toString(store.writeSharePercent())));
    settings.forEach((key, value) -> values.put(key, scalar("--set", value)));
    store.settings().forEach((key, value) -> values.put(key, scalar("--variant", value)));
    List<ConfigNode.Entry> entries = new ArrayList<>();
    values.forEach((key, value) -> entries.add(new ConfigNode.Entry(key, value.place(), value)));
    return new ConfigNode.Mapping(Place.flag("--set"), entries);
  }

  private static ConfigNode scalar(String flag, String text) {
    return new ConfigNode.Scalar(Place.flag(flag), text, true);
  }

  @Override
  public void close() {
    host.close();
  }
}
