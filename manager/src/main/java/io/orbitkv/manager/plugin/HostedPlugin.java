package io.orbitkv.manager.plugin;

import io.orbitkv.api.OrbitKvPlugin;
import io.orbitkv.api.backing.BackingTierFactory;
import io.orbitkv.api.copy.DeviceCopierFactory;
import io.orbitkv.api.memory.MemoryTierFactory;
import io.orbitkv.api.policy.PolicyFactory;
import io.orbitkv.api.policy.PolicySlot;
import io.orbitkv.manager.settings.SettingsSchema;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.pf4j.Plugin;

/**
 * One loaded plugin in PF4J's life cycle: start opens its scope and asks what it offers, stop
 * closes the scope. Guarded by the host's lock.
 */
final class HostedPlugin extends Plugin {
  private final Descriptor descriptor;
  private final PluginLayer layer;
  private final Supplier<PluginScope> newScope;

  private @Nullable PluginScope scope;
  private List<Offer> offers = List.of();
  private List<Capability> capabilities = List.of();

  /**
   * A factory of the plugin and what is told of it.
   *
   * @param capability holds nothing of the plugin's classes
   * @param factory the plugin's object
   */
  record Offer(Capability capability, Object factory) {}

  HostedPlugin(Descriptor descriptor, PluginLayer layer, Supplier<PluginScope> newScope) {
    this.descriptor = descriptor;
    this.layer = layer;
    this.newScope = newScope;
  }

  Descriptor descriptor() {
    return descriptor;
  }

  PluginLayer layer() {
    return layer;
  }

  List<Offer> offers() {
    return offers;
  }

  /** What it offers, or offered when it last ran. */
  List<Capability> capabilities() {
    return capabilities;
  }

  PluginScope scope() {
    PluginScope open = scope;
    if (open == null) {
      throw new IllegalStateException("plugin [" + descriptor.id() + "] is not started");
    }
    return open;
  }

  /** Runs plugin code. */
  @Override
  public void start() {
    try (ContextLoader _ = ContextLoader.of(layer.root().getClassLoader())) {
      offers = offersOf(layer.entry());
      capabilities = offers.stream().map(Offer::capability).toList();
      scope = newScope.get();
    } catch (RefusedException refused) {
      throw refused;
    } catch (OutOfMemoryError ours) {
      throw ours;
    } catch (Throwable failed) {
      // Whatever foreign code throws is its own fault and refuses that plugin alone.
      throw new RefusedException(
          "it failed while telling what it offers: " + RefusedException.describe(failed),
          "ask its author",
          failed);
    }
  }

  /** Closes the scope. Runs plugin code. */
  @Override
  public void stop() {
    PluginScope open = scope;
    scope = null;
    offers = List.of();
    if (open != null) {
      open.closeAll();
    }
  }

  private List<Offer> offersOf(OrbitKvPlugin entry) {
    List<Offer> all = new ArrayList<>();
    for (MemoryTierFactory<?> factory : entry.memoryTiers()) {
      all.add(offer(Capability.Kind.MEMORY_TIER, factory.name(), factory.settings(), factory));
    }
    for (BackingTierFactory<?> factory : entry.backingTiers()) {
      all.add(offer(Capability.Kind.BACKING_TIER, factory.name(), factory.settings(), factory));
    }
    for (DeviceCopierFactory<?> factory : entry.deviceCopiers()) {
      all.add(offer(Capability.Kind.COPIER, factory.name(), factory.settings(), factory));
    }
    for (PolicyFactory<?> factory : entry.policies()) {
      layer.openSettings(factory.settings());
      Capability capability =
          new Capability(
              Capability.Kind.POLICY,
              name(Capability.Kind.POLICY, factory.name()),
              factory.slots().stream().map(PolicySlot::key).toList(),
              factory.replayable(),
              SettingsSchema.of(factory.settings()));
      all.add(new Offer(capability, factory));
    }
    return List.copyOf(all);
  }

  private Offer offer(
      Capability.Kind kind, String name, Class<? extends Record> settings, Object factory) {
    layer.openSettings(settings);
    Capability capability =
        new Capability(kind, name(kind, name), List.of(), true, SettingsSchema.of(settings));
    return new Offer(capability, factory);
  }

  private static String name(Capability.Kind kind, String name) {
    if (!name.matches("[a-z][a-z0-9]*(-[a-z0-9]+)*")) {
      throw new RefusedException(
          "its "
              + kind.words()
              + " ["
              + name
              + "] is named in another form than the configuration's",
          "use lower case letters, digits and dashes");
    }
    return name;
  }
}
