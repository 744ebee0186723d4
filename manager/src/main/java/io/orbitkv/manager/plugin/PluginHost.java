package io.orbitkv.manager.plugin;

import io.orbitkv.api.backing.BackingTierFactory;
import io.orbitkv.api.copy.DeviceCopierFactory;
import io.orbitkv.api.memory.MemoryTierFactory;
import io.orbitkv.api.policy.PolicyFactory;
import java.lang.System.Logger.Level;
import java.lang.module.Configuration;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Loads plugins, each into a module layer of its own, and hands out what they offer. A plugin that
 * cannot be used is refused by name and the others serve on.
 *
 * <p>Any thread; one lock orders what changes plugins. Plugin code runs on the calling thread with
 * the plugin's loader as context class loader. Close tiers and copiers before the host: closing it
 * stops all plugins, the last started first, closes their scopes and removes what was expanded.
 */
public final class PluginHost implements AutoCloseable {
  private static final System.Logger LOG = System.getLogger(PluginHost.class.getName());

  private final Path directory;
  private final PluginHostOptions options;
  private final ModuleLayer base;
  private final LayeredPluginManager manager;
  private final PluginStore store;

  // Guarded by this. In the order of loading, which has each plugin behind those it depends on.
  private final Map<String, Loaded> loaded = new LinkedHashMap<>();
  private final List<PluginRefusal> refusals = new ArrayList<>();
  private final Set<String> failed = new HashSet<>();

  /** What is kept of a loaded plugin. */
  private record Loaded(PluginInstallation installation, ModuleGraph graph, HostedPlugin plugin) {
    Descriptor descriptor() {
      return installation.descriptor();
    }
  }

  private PluginHost(Path directory, PluginHostOptions options) {
    this.directory = directory;
    this.options = options;
    this.manager = new LayeredPluginManager(directory);
    this.base = baseLayer();
    this.store = new PluginStore(options.workDirectory(), options.limits());
  }

  /** The layer that the Manager itself runs in. */
  static ModuleLayer baseLayer() {
    ModuleLayer layer = PluginHost.class.getModule().getLayer();
    if (layer == null) {
      throw new IllegalStateException(
          "plugins need the Manager on the module path: start it with --module-path");
    }
    return layer;
  }

  /**
   * Loads and starts every plugin of a directory that can be used.
   *
   * @param pluginsDirectory holds zips and folders; an absent one holds no plugin
   * @param trust which of them may be loaded
   * @param options what the host is given
   * @throws IllegalStateException when the work directory cannot be used or the directory not
   *     listed
   */
  public static PluginHost open(
      Path pluginsDirectory, PluginTrust trust, PluginHostOptions options) {
    return open(pluginsDirectory, List.of(), trust, options);
  }

  /**
   * The same, with plugins that are not in the directory. One of those takes the place of the
   * installed plugin of its id.
   *
   * @param also zips and folders, loaded from where they are
   */
  public static PluginHost open(
      Path pluginsDirectory, List<Path> also, PluginTrust trust, PluginHostOptions options) {
    PluginHost host = new PluginHost(pluginsDirectory, options);
    try {
      host.loadAll(also, trust);
      return host;
    } catch (RuntimeException failed) {
      host.close();
      throw failed;
    }
  }

  private synchronized void loadAll(List<Path> also, PluginTrust trust) {
    SortedMap<String, PluginInstallation> installed = new TreeMap<>();
    Set<String> refusedIds = new HashSet<>();
    List<Path> files = new ArrayList<>(also);
    files.addAll(PluginInstallation.candidates(directory));
    for (Path file : files) {
      String name = file.getFileName().toString();
      try {
        PluginStore.Expanded expanded = store.expand(file);
        Descriptor descriptor = Descriptor.read(expanded.folder());
        name = descriptor.id();
        PluginInstallation installation =
            new PluginInstallation(file, expanded.folder(), expanded.digest(), descriptor);
        PluginInstallation first = installed.get(descriptor.id());
        if (first != null && also.contains(first.file()) && !also.contains(file)) {
          LOG.log(Level.DEBUG, "[{0}] gives way to [{1}], which has its id", file, first.file());
          continue;
        }
        if (first != null) {
          throw new RefusedException(
              "its id is taken by [" + first.file().getFileName() + "]", "remove one of the two");
        }
        installation.check(trust);
        installed.put(descriptor.id(), installation);
      } catch (RefusedException refused) {
        refuse(name, file, refused);
        refusedIds.add(name);
      }
    }
    refusedIds.removeAll(installed.keySet());

    SortedMap<String, Descriptor> descriptors = new TreeMap<>();
    installed.forEach((id, installation) -> descriptors.put(id, installation.descriptor()));
    DependencyOrder order = DependencyOrder.of(descriptors, refusedIds);
    order.refused().forEach((id, refused) -> refuse(id, file(installed, id), refused));
    for (String id : order.order()) {
      PluginInstallation installation = installed.get(id);
      if (installation != null) {
        loadAndStart(installation);
      }
    }
  }

  private static Path file(SortedMap<String, PluginInstallation> installed, String id) {
    PluginInstallation installation = installed.get(id);
    return installation == null ? Path.of(id) : installation.file();
  }

  private void loadAndStart(PluginInstallation installation) {
    String id = installation.descriptor().id();
    try {
      load(installation);
      begin(id);
    } catch (RefusedException refused) {
      forget(id);
      refuse(id, installation.file(), refused);
    }
  }

  private void load(PluginInstallation installation) {
    Descriptor descriptor = installation.descriptor();
    List<Configuration> configurations = new ArrayList<>();
    List<ModuleLayer> layers = new ArrayList<>();
    for (Descriptor.Dependency dependency : descriptor.dependencies()) {
      Loaded needed = loaded.get(dependency.id());
      if (needed == null) {
        throw DependencyOrder.needsRefused(dependency.id());
      }
      configurations.add(needed.graph().configuration());
      layers.add(needed.plugin().layer().layer());
    }
    ModuleGraph graph =
        ModuleGraph.resolve(
            installation.folder(), descriptor, configurations, base.configuration());
    PluginLayer layer = PluginLayer.define(graph, layers, base, descriptor.nativeAccess());
    HostedPlugin plugin =
        new HostedPlugin(
            descriptor,
            layer,
            () ->
                new PluginScope(
                    descriptor.id(),
                    layer.root().getClassLoader(),
                    options.meters(),
                    options.nanoClock(),
                    options.threadPatience()));
    manager.load(installation.folder(), plugin);
    loaded.put(descriptor.id(), new Loaded(installation, graph, plugin));
  }

  /** Starts a loaded plugin whose dependencies are started. */
  private void begin(String id) {
    Throwable failure = manager.start(id);
    if (failure == null) {
      try {
        refuseTakenNames(id);
        failed.remove(id);
        return;
      } catch (RefusedException taken) {
        manager.stop(id);
        failure = taken;
      }
    }
    failed.add(id);
    if (failure instanceof RefusedException refused) {
      throw refused;
    }
    throw new RefusedException(
        "it does not start: " + RefusedException.describe(failure), "ask its author", failure);
  }

  private void refuseTakenNames(String id) {
    Set<String> own = new HashSet<>();
    for (HostedPlugin.Offer offer : loaded(id).plugin().offers()) {
      Capability.Kind kind = offer.capability().kind();
      String name = offer.capability().name();
      if (!own.add(kind + " " + name)) {
        throw new RefusedException(
            "it offers the " + kind.words() + " [" + name + "] twice", "ask its author");
      }
      for (Loaded other : loaded.values()) {
        if (!other.descriptor().id().equals(id) && offers(other, kind, name)) {
          throw new RefusedException(
              "the "
                  + kind.words()
                  + " ["
                  + name
                  + "] is offered by the plugin ["
                  + other.descriptor().id()
                  + "] already",
              "remove one of the two");
        }
      }
    }
  }

  private static boolean offers(Loaded plugin, Capability.Kind kind, String name) {
    return plugin.plugin().offers().stream()
        .anyMatch(
            offer -> offer.capability().kind() == kind && offer.capability().name().equals(name));
  }

  private void refuse(String plugin, Path file, RefusedException refused) {
    PluginRefusal refusal =
        new PluginRefusal(
            plugin, file.getFileName().toString(), refused.reason(), refused.remedy());
    refusals.add(refusal);
    LOG.log(Level.WARNING, refusal.line());
  }

  private void forget(String id) {
    failed.remove(id);
    if (loaded.remove(id) != null) {
      manager.unload(id);
    }
  }

  private Loaded loaded(String id) {
    Loaded plugin = loaded.get(id);
    if (plugin == null) {
      throw new IllegalArgumentException(
          "no plugin [" + id + "] is loaded; loaded: " + loaded.keySet());
    }
    return plugin;
  }

  /** The directory that was searched. */
  public Path directory() {
    return directory;
  }

  /** Loaded plugins by id. */
  public synchronized List<PluginInfo> plugins() {
    return loaded.keySet().stream().sorted().map(this::info).toList();
  }

  /** Plugins that are not used, in the order in which that was found. */
  public synchronized List<PluginRefusal> refusals() {
    return List.copyOf(refusals);
  }

  private PluginInfo info(String id) {
    Loaded plugin = loaded(id);
    Descriptor descriptor = plugin.descriptor();
    PluginStatus status;
    if (manager.startOrder().contains(id)) {
      status = PluginStatus.STARTED;
    } else {
      status = failed.contains(id) ? PluginStatus.FAILED : PluginStatus.STOPPED;
    }
    return new PluginInfo(
        id,
        descriptor.version(),
        descriptor.provider(),
        descriptor.description(),
        descriptor.requires(),
        plugin.graph().root(),
        plugin.installation().file().getFileName().toString(),
        plugin.installation().digest(),
        status,
        descriptor.dependencies().stream().map(Descriptor.Dependency::id).toList(),
        plugin.plugin().capabilities());
  }

  /** The memory tier of that name, if a started plugin offers it. */
  public Optional<Provided<MemoryTierFactory<?>>> memoryTier(String name) {
    return provided(Capability.Kind.MEMORY_TIER, name)
        .map(p -> new Provided<>((MemoryTierFactory<?>) p.factory(), p.plugin(), p.scope()));
  }

  /** The backing tier of that name, if a started plugin offers it. */
  public Optional<Provided<BackingTierFactory<?>>> backingTier(String name) {
    return provided(Capability.Kind.BACKING_TIER, name)
        .map(p -> new Provided<>((BackingTierFactory<?>) p.factory(), p.plugin(), p.scope()));
  }

  /** The copier of that name, if a started plugin offers it. */
  public Optional<Provided<DeviceCopierFactory<?>>> copier(String name) {
    return provided(Capability.Kind.COPIER, name)
        .map(p -> new Provided<>((DeviceCopierFactory<?>) p.factory(), p.plugin(), p.scope()));
  }

  /** The policy of that name, if a started plugin offers it. */
  public Optional<Provided<PolicyFactory<?>>> policy(String name) {
    return provided(Capability.Kind.POLICY, name)
        .map(p -> new Provided<>((PolicyFactory<?>) p.factory(), p.plugin(), p.scope()));
  }

  /** Names of what started plugins offer of a kind, sorted. */
  public synchronized List<String> names(Capability.Kind kind) {
    return loaded.values().stream()
        .flatMap(plugin -> plugin.plugin().offers().stream())
        .filter(offer -> offer.capability().kind() == kind)
        .map(offer -> offer.capability().name())
        .sorted()
        .toList();
  }

  private synchronized Optional<Provided<Object>> provided(Capability.Kind kind, String name) {
    for (Map.Entry<String, Loaded> entry : loaded.entrySet()) {
      HostedPlugin plugin = entry.getValue().plugin();
      for (HostedPlugin.Offer offer : plugin.offers()) {
        if (offer.capability().kind() == kind && offer.capability().name().equals(name)) {
          return Optional.of(new Provided<>(offer.factory(), info(entry.getKey()), plugin.scope()));
        }
      }
    }
    return Optional.empty();
  }

  /**
   * Starts a stopped plugin and, before it, what it depends on.
   *
   * @return why one of them does not start; empty when all did
   * @throws IllegalArgumentException when no such plugin is loaded
   */
  public synchronized Optional<PluginRefusal> start(String id) {
    Loaded plugin = loaded(id);
    if (manager.startOrder().contains(id)) {
      return Optional.empty();
    }
    for (Descriptor.Dependency dependency : plugin.descriptor().dependencies()) {
      Optional<PluginRefusal> refused = start(dependency.id());
      if (refused.isPresent()) {
        return refused;
      }
    }
    try {
      begin(id);
      return Optional.empty();
    } catch (RefusedException refused) {
      refuse(id, plugin.installation().file(), refused);
      return Optional.of(refusals.getLast());
    }
  }

  /**
   * Stops a plugin and, before it, all that depend on it. Their scopes are closed.
   *
   * @return ids of those that were stopped, in that order
   * @throws IllegalArgumentException when no such plugin is loaded
   */
  public synchronized List<String> stop(String id) {
    loaded(id);
    List<String> stopped = new ArrayList<>();
    Set<String> going = withDependents(id);
    for (String next : manager.startOrder().reversed()) {
      if (going.contains(next)) {
        manager.stop(next);
        stopped.add(next);
      }
    }
    return List.copyOf(stopped);
  }

  /**
   * Stops and unloads a plugin and, before it, all that depend on it. Their class loaders are
   * collected once nobody keeps a {@link Provided} or anything made from it.
   *
   * @return ids of those that were unloaded, in that order
   * @throws IllegalArgumentException when no such plugin is loaded
   */
  public synchronized List<String> unload(String id) {
    Set<String> order = new LinkedHashSet<>(stop(id));
    // Those that were not running, dependents first too.
    order.addAll(new ArrayList<>(withDependents(id)).reversed());
    order.forEach(this::forget);
    return List.copyOf(order);
  }

  /** The plugin and all that depend on it, each after what it depends on. */
  private Set<String> withDependents(String id) {
    Set<String> found = new LinkedHashSet<>(Set.of(id));
    for (Loaded plugin : loaded.values()) {
      if (plugin.descriptor().dependencies().stream().anyMatch(d -> found.contains(d.id()))) {
        found.add(plugin.descriptor().id());
      }
    }
    return found;
  }

  /** Stops all plugins, the last started first, and unloads them. */
  @Override
  public synchronized void close() {
    manager.stopPlugins();
    for (String id : List.copyOf(loaded.keySet()).reversed()) {
      forget(id);
    }
    store.close();
  }

  /** For tests of unloading. */
  synchronized @Nullable ClassLoader loaderOf(String id) {
    return loaded(id).plugin().layer().root().getClassLoader();
  }
}
