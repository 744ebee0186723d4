package io.orbitkv.manager.config;

import io.orbitkv.kernel.ReadSettings;
import io.orbitkv.kernel.WriteSettings;
import io.orbitkv.manager.experiment.ArmSplit;
import io.orbitkv.manager.experiment.ExperimentReader;
import io.orbitkv.manager.experiment.LivePartition;
import io.orbitkv.manager.plugin.PluginTrust;
import io.orbitkv.manager.settings.ConfigException;
import io.orbitkv.manager.settings.ConfigNode;
import io.orbitkv.manager.settings.Place;
import io.orbitkv.manager.settings.Problems;
import io.orbitkv.manager.settings.SettingInfo;
import io.orbitkv.manager.settings.SettingsBinder;
import io.orbitkv.manager.settings.SettingsSchema;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A checked configuration with everything derived that a machine decides. Immutable.
 *
 * @param settings as written
 * @param socket where clients connect
 * @param poolBytes memory for pages
 * @param maxPages pages that the pool may hold at the same time, as far as the Java heap has room
 *     to know them
 * @param maxStoredPages pages of the backing tier that can be found, as far as the Java heap has
 *     room to know them; 0 without one
 * @param budgetBytes that all queries may hold
 * @param instanceBudgetBytes that the queries of one instance may hold
 * @param metricsAddress where metrics are served over HTTP; null: nowhere
 * @param pluginsDirectory where plugins are
 * @param pluginsWorkDirectory where plugins are expanded
 * @param pluginTrust which plugins may be loaded
 * @param policies named by slot; an absent slot runs its default
 * @param journal how much of the policies' decisions is kept
 * @param shadows policies that run in miniature beside them
 * @param values every value with its origin, in the order of the sections
 * @param source where it was read from; null when it was not read from a file and flags
 */
public record ManagerConfig(
    ManagerSettings settings,
    Path socket,
    long poolBytes,
    int maxPages,
    int maxStoredPages,
    long budgetBytes,
    long instanceBudgetBytes,
    @Nullable InetSocketAddress metricsAddress,
    Path pluginsDirectory,
    Path pluginsWorkDirectory,
    PluginTrust pluginTrust,
    List<PolicyChoice> policies,
    JournalSection journal,
    ShadowChoices shadows,
    List<ShownValue> values,
    @Nullable ConfigSource source) {
  /** Copies the lists. */
  public ManagerConfig {
    policies = List.copyOf(policies);
    values = List.copyOf(values);
  }

  /** Name of the backing tier, if there is to be one. */
  public Optional<String> backingTier() {
    return switch (settings.backing().tier()) {
      case BackingSection.NONE -> Optional.empty();
      case BackingSection.AUTO ->
          settings.ssd().paths().isEmpty() ? Optional.empty() : Optional.of(PluginBinding.SSD_TIER);
      default -> Optional.of(settings.backing().tier());
    };
  }

  /** A Java heap that has room to know every page of a store, if none is smaller than that. */
  public static long heapBytesForStore(long storeBytes, long pageBytes) {
    return HeapTables.heapBytesFor(storeBytes, pageBytes);
  }

  /**
   * How instances, tiers and budgets are divided into two cells; empty when there is one of each.
   */
  public Optional<ArmSplit> cells() {
    ConfigNode.Mapping ab = settings.ab();
    return ab.entries().isEmpty()
        ? Optional.empty()
        : LivePartition.of(ExperimentReader.read(ab, new Problems()).assignment());
  }

  /** How pages are read from the backing tier. */
  public ReadSettings reads() {
    QuerySection query = settings.query();
    return new ReadSettings(
        query.readBatch().bytes(),
        query.readMaxBatches(),
        query.readTimeout(),
        query.readPipeline(),
        query.onDeadline() == QuerySection.OnDeadline.HAND_OVER);
  }

  /** How pages are written to the backing tier; {@link WriteSettings#NONE} without one. */
  public WriteSettings writes() {
    BackingSection backing = settings.backing();
    return backingTier().isEmpty()
        ? WriteSettings.NONE
        : new WriteSettings(
            backing.writeQueue().bytes(), backing.writeInFlight().bytes(), maxStoredPages);
  }

  /**
   * Defaults, then the file, then flags.
   *
   * @param file the configuration file; null for none
   * @param flags what the command line sets, by key
   * @param facts what values are derived from
   * @throws ConfigException with everything that is wrong, at most {@link Problems#LIMIT} lines
   */
  public static ManagerConfig load(
      @Nullable Path file, Map<String, FlagValue> flags, HostFacts facts) {
    Problems problems = new Problems();
    ManagerConfig config = load(file, flags, facts, problems);
    problems.throwIfAny();
    return config;
  }

  /**
   * The same, as far as it goes: what is wrong is noted, and its default stands in its place.
   *
   * @param problems where to note what is wrong; with one, the configuration is for checks alone
   * @throws ConfigException when the file cannot be read at all, with everything noted so far
   */
  static ManagerConfig load(
      @Nullable Path file, Map<String, FlagValue> flags, HostFacts facts, Problems problems) {
    ConfigNode.Mapping root =
        file == null
            ? ConfigNode.Mapping.empty(new Place("default", 0, 0))
            : YamlReader.read(file, problems);
    return of(root, flags, facts, problems, new ConfigSource(file, flags, facts));
  }

  static ManagerConfig of(ConfigNode.Mapping root, Map<String, FlagValue> flags, HostFacts facts) {
    Problems problems = new Problems();
    ManagerConfig config = of(root, flags, facts, problems, null);
    problems.throwIfAny();
    return config;
  }

  private static ManagerConfig of(
      ConfigNode.Mapping root,
      Map<String, FlagValue> flags,
      HostFacts facts,
      Problems problems,
      @Nullable ConfigSource source) {
    SettingsBinder binder = SettingsBinder.goingOn(nodes(flags), problems);
    ManagerSettings settings = binder.section(ManagerSettings.class, root, "");
    for (String unknown : binder.unusedOverrides()) {
      throw new IllegalArgumentException("a flag sets [" + unknown + "], which is no key");
    }
    if (settings == null) {
      problems.throwIfAny();
      throw new AssertionError("no settings and no problem");
    }
    return new Derivation(settings, binder, facts, problems, source).config();
  }

  private static Map<String, ConfigNode> nodes(Map<String, FlagValue> flags) {
    Map<String, ConfigNode> nodes = new LinkedHashMap<>();
    Map<String, SettingInfo> known = new LinkedHashMap<>();
    SettingsSchema.of(ManagerSettings.class).forEach(info -> known.put(info.key(), info));
    flags.forEach((key, value) -> {
      Place place = Place.flag(value.flag());
      List<ConfigNode> items =
          value.values().stream()
              .<ConfigNode>map(text -> new ConfigNode.Scalar(place, text, true))
              .toList();
      SettingInfo info = known.get(key);
      boolean list = info != null && info.type().startsWith("list of ");
      nodes.put(
          key,
          list || items.size() != 1 ? new ConfigNode.Sequence(place, items) : items.getFirst());
    });
    return nodes;
  }
}
