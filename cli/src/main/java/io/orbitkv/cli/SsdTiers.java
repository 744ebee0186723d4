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
  private final Provided<BackingTierFactory<?>> tier;
  private final Map<String, String> settings;

  private SsdTiers(
      PluginHost host, Provided<BackingTierFactory<?>> tier, Map<String, String> settings) {
    this.host = host;
    this.tier = tier;
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
    return host.backingTier(PluginBinding.SSD_TIER)
        .map(tier -> new SsdTiers(host, tier, Map.copyOf(settings)))
        .orElseThrow(() -> absent(host));
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

  @Override
  public BackingTier open(Store store, List<HostChunk> chunks) {
    return tier.call(factory -> create(factory, store, chunks));
  }

  private <S extends Record> BackingTier create(
      BackingTierFactory<S> factory, Store store, List<HostChunk> chunks) {
    S bound = SettingsBinder.bind(factory.settings(), section(store), KEY_PREFIX);
    return factory.create(bound, chunks, tier.scope());
  }

  private ConfigNode.Mapping section(Store store) {
    Map<String, ConfigNode> values = new LinkedHashMap<>();
    values.put(
        "paths",
        new ConfigNode.Sequence(
            Place.flag("--file"), List.of(scalar("--file", store.file().toString()))));
    values.put("capacity", scalar("--size", Long.toString(store.capacityBytes())));
    values.put("engine", scalar("--engines", store.engine()));
    values.put("direct", scalar("--direct", store.direct() ? "on" : "off"));
    values.put("format", scalar("--file", Boolean.toString(store.format())));
    values.put("write-share", scalar("--write-share", Integer.toString(store.writeSharePercent())));
    settings.forEach((key, value) -> values.put(key, scalar("--set", value)));
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
