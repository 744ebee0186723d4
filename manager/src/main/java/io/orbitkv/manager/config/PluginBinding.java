package io.orbitkv.manager.config;

import io.orbitkv.api.backing.BackingTierFactory;
import io.orbitkv.api.copy.DeviceCopierFactory;
import io.orbitkv.api.memory.MemoryTierFactory;
import io.orbitkv.manager.plugin.Capability;
import io.orbitkv.manager.plugin.PluginHost;
import io.orbitkv.manager.plugin.PluginInfo;
import io.orbitkv.manager.plugin.PluginRefusal;
import io.orbitkv.manager.plugin.Provided;
import io.orbitkv.manager.settings.BoundValue;
import io.orbitkv.manager.settings.ConfigException;
import io.orbitkv.manager.settings.ConfigNode;
import io.orbitkv.manager.settings.ConfigProblem;
import io.orbitkv.manager.settings.Nearest;
import io.orbitkv.manager.settings.Origin;
import io.orbitkv.manager.settings.Place;
import io.orbitkv.manager.settings.Problems;
import io.orbitkv.manager.settings.SettingsBinder;
import java.lang.reflect.RecordComponent;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * What a configuration names, found among the plugins that are there, with their settings. Keep it
 * no longer than the plugins: it holds their factories.
 */
public final class PluginBinding {
  /** The backing tier that {@code ssd} configures. */
  public static final String SSD_TIER = "ssd-iouring";

  private static final String SSD_PATHS = "paths";
  private static final String SSD_CAPACITY = "capacity";

  private final ManagerConfig config;
  private final PluginHost host;
  private final Problems problems = new Problems();
  private final List<ShownValue> values = new ArrayList<>();
  private final List<Provided<DeviceCopierFactory<?>>> copiers = new ArrayList<>();
  private final List<BoundPolicy> policies = new ArrayList<>();
  private @Nullable Provided<MemoryTierFactory<?>> memoryTier;
  private @Nullable Provided<BackingTierFactory<?>> backingTier;

  private PluginBinding(ManagerConfig config, PluginHost host) {
    this.config = config;
    this.host = host;
  }

  /**
   * Finds and checks everything.
   *
   * @throws ConfigException when something is named that no plugin offers, or settings of a plugin
   *     do not fit it
   */
  public static PluginBinding of(ManagerConfig config, PluginHost host) {
    PluginBinding binding = new PluginBinding(config, host);
    binding.find();
    binding.refuseUnknownPlugins();
    binding.bindPolicies();
    binding.bindAll();
    binding.problems.throwIfAny();
    return binding;
  }

  /** The memory tier that {@code memory.tier} names. */
  public Provided<MemoryTierFactory<?>> memoryTier() {
    Provided<MemoryTierFactory<?>> found = memoryTier;
    if (found == null) {
      throw new AssertionError("a binding without a memory tier was refused");
    }
    return found;
  }

  /** The copiers that {@code copiers} names, in that order. */
  public List<Provided<DeviceCopierFactory<?>>> copiers() {
    return List.copyOf(copiers);
  }

  /** The backing tier that {@code backing.tier} names or {@code ssd.paths} asks for. */
  public Optional<Provided<BackingTierFactory<?>>> backingTier() {
    return Optional.ofNullable(backingTier);
  }

  /** The policies of plugins that are named, in the order of the slots. */
  public List<BoundPolicy> policies() {
    return List.copyOf(policies);
  }

  /** Values of the plugins' settings, for {@code config show}. */
  public List<ShownValue> values() {
    return List.copyOf(values);
  }

  /**
   * The settings of something that a plugin provides, from {@code plugin-settings.<plugin id>}; a
   * plugin that offers several tiers or copiers has a section for each in there, by name.
   *
   * @throws ConfigException when they do not fit, which {@link #of} has ruled out
   */
  public <S extends Record> S settings(Provided<?> provided, Class<S> type) {
    Target target = target(provided.plugin(), name(provided.factory()));
    return SettingsBinder.bind(
        type, target.section(), target.key() + ".", given(provided, type, target));
  }

  /** What the section {@code ssd} says to the tier that it configures, by its own keys. */
  private Map<String, ConfigNode> given(
      Provided<?> provided, Class<? extends Record> type, Target target) {
    if (!(provided.factory() instanceof BackingTierFactory<?> tier)
        || !tier.name().equals(SSD_TIER)) {
      return Map.of();
    }
    Map<String, ConfigNode> given = new LinkedHashMap<>();
    SsdSection ssd = config.settings().ssd();
    for (RecordComponent component : type.getRecordComponents()) {
      String key = target.key() + "." + component.getName();
      if (component.getName().equals(SSD_PATHS)) {
        Place place = place("ssd.paths");
        given.put(
            key,
            new ConfigNode.Sequence(
                place,
                ssd.paths().stream()
                    .map(path -> Path.of(path).toAbsolutePath().normalize().toString())
                    .<ConfigNode>map(path -> new ConfigNode.Scalar(place, path, true))
                    .toList()));
      } else if (component.getName().equals(SSD_CAPACITY)) {
        given.put(
            key, new ConfigNode.Scalar(place("ssd.capacity"), ssd.capacity().toString(), true));
      }
    }
    return given;
  }

  private Place place(String key) {
    for (ShownValue value : config.values()) {
      if (value.key().equals(key)) {
        return switch (value.origin()) {
          case Origin.File file -> file.place();
          case Origin.Flag flag -> Place.flag(flag.flag());
          case Origin.Default _ -> Place.flag(key);
        };
      }
    }
    return Place.flag(key);
  }

  private void find() {
    String tier = config.settings().memory().tier();
    memoryTier = host.memoryTier(tier).orElse(null);
    if (memoryTier == null) {
      absent("memory.tier", Capability.Kind.MEMORY_TIER, tier);
    }
    List<String> seen = new ArrayList<>();
    for (String name : config.settings().copiers()) {
      Optional<Provided<DeviceCopierFactory<?>>> copier = host.copier(name);
      if (seen.contains(name)) {
        problem("copiers", "[" + name + "] is named twice: keep one of them");
      } else if (copier.isPresent()) {
        copiers.add(copier.get());
      } else {
        absent("copiers", Capability.Kind.COPIER, name);
      }
      seen.add(name);
    }
    config
        .backingTier()
        .ifPresent(name -> {
          backingTier = host.backingTier(name).orElse(null);
          if (backingTier == null) {
            boolean implied = config.settings().backing().tier().equals(BackingSection.AUTO);
            absent(implied ? "ssd.paths" : "backing.tier", Capability.Kind.BACKING_TIER, name);
          }
        });
  }

  private void absent(String key, Capability.Kind kind, String name) {
    List<String> offered = host.names(kind);
    problem(
        key,
        "no plugin offers the "
            + kind.words()
            + " ["
            + name
            + "]"
            + Absence.refusedInstead(host, name)
            + (offered.isEmpty() ? "" : "; offered: [" + String.join(", ", offered) + "]")
            + "; plugins are looked for in ["
            + host.directory()
            + "]");
  }

  private void refuseUnknownPlugins() {
    List<String> ids = host.plugins().stream().map(PluginInfo::id).toList();
    for (ConfigNode.Entry entry : config.settings().pluginSettings().entries()) {
      if (ids.contains(entry.key())) {
        continue;
      }
      String reason =
          host.refusals().stream()
              .filter(refusal -> refusal.plugin().equals(entry.key()))
              .findFirst()
              .map(PluginRefusal::reason)
              .map(refused -> "plugin [" + entry.key() + "] is refused: " + refused)
              .orElseGet(() ->
                  "no plugin ["
                      + entry.key()
                      + "] is loaded: "
                      + Nearest.suggestion(entry.key(), ids));
      problems.add(entry.keyPlace(), "plugin-settings." + entry.key(), reason);
    }
  }

  private void bindPolicies() {
    policies.addAll(new PolicyBinding(host, problems).bindAll(config.policies()));
    policies.forEach(policy -> values.addAll(policy.values()));
    ShadowBinding.bind(config.shadows().shadows(), host, problems)
        .forEach(shadow -> shadow.policy().ifPresent(policy -> values.addAll(policy.values())));
  }

  private void bindAll() {
    Provided<MemoryTierFactory<?>> tier = memoryTier;
    if (tier != null) {
      check(tier, tier.factory().settings());
    }
    Provided<BackingTierFactory<?>> backing = backingTier;
    if (backing != null) {
      check(backing, backing.factory().settings());
    }
    for (Provided<DeviceCopierFactory<?>> copier : copiers) {
      check(copier, copier.factory().settings());
    }
    // Settings of plugins that nothing uses are held against their records too.
    for (PluginInfo plugin : host.plugins()) {
      for (Capability capability : configurable(plugin)) {
        boolean set = config.settings().pluginSettings().entry(plugin.id()).isPresent();
        if (set && !used(capability)) {
          unused(capability);
        }
      }
      refuseUnknownFactories(plugin);
    }
  }

  private boolean used(Capability capability) {
    Provided<MemoryTierFactory<?>> tier = memoryTier;
    Provided<BackingTierFactory<?>> backing = backingTier;
    return switch (capability.kind()) {
      case MEMORY_TIER -> tier != null && tier.factory().name().equals(capability.name());
      case BACKING_TIER -> backing != null && backing.factory().name().equals(capability.name());
      case COPIER ->
          copiers.stream().anyMatch(copier -> copier.factory().name().equals(capability.name()));
      case POLICY -> true;
    };
  }

  private void unused(Capability capability) {
    String name = capability.name();
    switch (capability.kind()) {
      case MEMORY_TIER ->
          host.memoryTier(name).ifPresent(found -> check(found, found.factory().settings()));
      case BACKING_TIER ->
          host.backingTier(name).ifPresent(found -> check(found, found.factory().settings()));
      case COPIER -> host.copier(name).ifPresent(found -> check(found, found.factory().settings()));
      case POLICY -> {}
    }
  }

  private void check(Provided<?> provided, Class<? extends Record> type) {
    Target target = target(provided.plugin(), name(provided.factory()));
    Map<String, ConfigNode> given = given(provided, type, target);
    refuseWhatIsGiven(target, given);
    SettingsBinder binder = new SettingsBinder(given, problems);
    binder.section(type, target.section(), target.key() + ".");
    for (BoundValue value : binder.values()) {
      values.add(
          new ShownValue(value.info().key(), value.text(), value.origin(), value.text(), ""));
    }
  }

  private void refuseWhatIsGiven(Target target, Map<String, ConfigNode> given) {
    ConfigNode.Mapping section = target.section();
    if (section == null) {
      return;
    }
    for (ConfigNode.Entry entry : section.entries()) {
      String key = target.key() + "." + entry.key();
      if (given.containsKey(key)) {
        problems.add(entry.keyPlace(), key, "is set by [ssd." + entry.key() + "]: write it there");
      }
    }
  }

  private void refuseUnknownFactories(PluginInfo plugin) {
    List<String> names = configurable(plugin).stream().map(Capability::name).toList();
    Optional<ConfigNode.Entry> entry = config.settings().pluginSettings().entry(plugin.id());
    if (entry.isEmpty() || names.size() == 1) {
      return;
    }
    String key = "plugin-settings." + plugin.id();
    if (entry.get().value() instanceof ConfigNode.Mapping section) {
      for (ConfigNode.Entry each : section.entries()) {
        if (!names.contains(each.key())) {
          problems.add(
              each.keyPlace(),
              key + "." + each.key(),
              "["
                  + each.key()
                  + "] is nothing that the plugin lets you set here: "
                  + Nearest.suggestion(each.key(), names));
        }
      }
    } else if (names.isEmpty()) {
      problems.add(entry.get().keyPlace(), key, "the plugin has nothing to set here");
    }
  }

  /** What of a plugin is set in {@code plugin-settings}; policies are set where they are named. */
  private static List<Capability> configurable(PluginInfo plugin) {
    return plugin.capabilities().stream()
        .filter(capability -> capability.kind() != Capability.Kind.POLICY)
        .toList();
  }

  /**
   * Where settings stand.
   *
   * @param key of their section
   * @param section null when nothing is set
   */
  private record Target(String key, ConfigNode.@Nullable Mapping section) {}

  private Target target(PluginInfo plugin, String name) {
    String key = "plugin-settings." + plugin.id();
    ConfigNode.Mapping section =
        section(config.settings().pluginSettings().entry(plugin.id()), key);
    if (configurable(plugin).size() <= 1) {
      return new Target(key, section);
    }
    String below = key + "." + name;
    return new Target(below, section == null ? null : section(section.entry(name), below));
  }

  private ConfigNode.@Nullable Mapping section(Optional<ConfigNode.Entry> entry, String key) {
    if (entry.isEmpty()) {
      return null;
    }
    return switch (entry.get().value()) {
      case ConfigNode.Mapping mapping -> mapping;
      case ConfigNode.Scalar scalar when scalar.absent() -> null;
      case ConfigNode.Scalar _, ConfigNode.Sequence _ -> {
        ConfigNode value = entry.get().value();
        problems.add(
            value.place(), key, value.kind() + " stands where a section with keys is expected");
        yield null;
      }
    };
  }

  private static String name(Object factory) {
    return switch (factory) {
      case MemoryTierFactory<?> tier -> tier.name();
      case BackingTierFactory<?> tier -> tier.name();
      case DeviceCopierFactory<?> copier -> copier.name();
      default ->
          throw new IllegalArgumentException(
              "[" + factory.getClass().getName() + "] has no settings in plugin-settings");
    };
  }

  private void problem(String key, String message) {
    String where =
        config.values().stream()
            .filter(value -> value.key().equals(key))
            .findFirst()
            .map(value -> Derivation.where(value.origin()))
            .orElse("");
    problems.add(new ConfigProblem(where, key, message));
  }
}
