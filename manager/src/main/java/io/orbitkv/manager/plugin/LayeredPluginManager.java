package io.orbitkv.manager.plugin;

import io.orbitkv.api.plugin.ApiVersion;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.pf4j.AbstractPluginManager;
import org.pf4j.DefaultVersionManager;
import org.pf4j.ExtensionFactory;
import org.pf4j.ExtensionFinder;
import org.pf4j.ExtensionWrapper;
import org.pf4j.PluginDescriptor;
import org.pf4j.PluginDescriptorFinder;
import org.pf4j.PluginFactory;
import org.pf4j.PluginLoader;
import org.pf4j.PluginRepository;
import org.pf4j.PluginState;
import org.pf4j.PluginStatusProvider;
import org.pf4j.PluginWrapper;
import org.pf4j.VersionManager;

/*
 * PF4J keeps descriptors, states and the graph of dependencies. What it does by class loader is
 * replaced: a plugin comes as a layer that is defined before PF4J hears of it, extensions are the
 * offers of its entry object, and the host, not a directory listing, gives the order of loading.
 *
 * The base class calls the create methods from its constructor, before the fields here exist: what
 * they return touches those fields later only.
 */

/** PF4J's life cycle over plugins that are module layers. Guarded by the host's lock. */
final class LayeredPluginManager extends AbstractPluginManager {
  private final Map<Path, HostedPlugin> arriving = new HashMap<>();

  LayeredPluginManager(Path root) {
    super(root);
    setExactVersionAllowed(true);
    setSystemVersion(ApiVersion.CURRENT);
  }

  /** Takes a plugin in. Its dependencies are there already. */
  void load(Path folder, HostedPlugin plugin) {
    arriving.put(folder, plugin);
    try {
      String id = loadPlugin(folder);
      if (getPlugin(id).getPlugin() != plugin) {
        throw new IllegalStateException("plugin [" + id + "] is not the one that arrived");
      }
    } finally {
      arriving.remove(folder);
    }
  }

  /**
   * Starts a plugin whose dependencies are started.
   *
   * @return null when it started, otherwise what it threw
   */
  @Nullable Throwable start(String id) {
    PluginState state = startPlugin(id);
    if (state.isStarted()) {
      return null;
    }
    Throwable failure = getPlugin(id).getFailedException();
    return failure == null ? new IllegalStateException("its state is [" + state + "]") : failure;
  }

  /** Stops one plugin; its dependents are stopped already. */
  void stop(String id) {
    stopPlugin(id, false);
  }

  /** Stops and forgets one plugin; its dependents are gone already. */
  void unload(String id) {
    unloadPlugin(id, false);
  }

  /** Ids of started plugins in the order in which they started. */
  List<String> startOrder() {
    return getStartedPlugins().stream().map(PluginWrapper::getPluginId).toList();
  }

  /** PF4J 3.15.0 removes from the list that it iterates (its issue 656). */
  @Override
  public void stopPlugins() {
    for (String id : new ArrayList<>(startOrder()).reversed()) {
      stop(id);
    }
  }

  @Override
  protected PluginDescriptorFinder createPluginDescriptorFinder() {
    return new PluginDescriptorFinder() {
      @Override
      public boolean isApplicable(Path folder) {
        return arriving.containsKey(folder);
      }

      @Override
      public PluginDescriptor find(Path folder) {
        return arrival(folder).descriptor().pf4j();
      }
    };
  }

  @Override
  protected PluginLoader createPluginLoader() {
    return new PluginLoader() {
      @Override
      public boolean isApplicable(Path folder) {
        return arriving.containsKey(folder);
      }

      @Override
      public ClassLoader loadPlugin(Path folder, PluginDescriptor descriptor) {
        return arrival(folder).layer().root().getClassLoader();
      }
    };
  }

  /** PF4J asks when a wrapper's plugin is first wanted, which {@link #load} sees to. */
  @Override
  protected PluginFactory createPluginFactory() {
    return wrapper -> arrival(wrapper.getPluginPath());
  }

  private HostedPlugin arrival(Path folder) {
    HostedPlugin plugin = arriving.get(folder);
    if (plugin == null) {
      throw new IllegalStateException("no plugin arrives from [" + folder + "]");
    }
    return plugin;
  }

  @Override
  protected PluginRepository createPluginRepository() {
    return new PluginRepository() {
      @Override
      public List<Path> getPluginPaths() {
        return List.of();
      }

      @Override
      public boolean deletePluginPath(Path folder) {
        return false;
      }
    };
  }

  @Override
  protected PluginStatusProvider createPluginStatusProvider() {
    return new PluginStatusProvider() {
      @Override
      public boolean isPluginDisabled(String id) {
        return false;
      }

      @Override
      public void disablePlugin(String id) {}

      @Override
      public void enablePlugin(String id) {}
    };
  }

  @Override
  protected VersionManager createVersionManager() {
    return new DefaultVersionManager();
  }

  @Override
  protected ExtensionFactory createExtensionFactory() {
    return new ExtensionFactory() {
      @Override
      public <T> T create(Class<T> type) {
        throw new UnsupportedOperationException("extensions are made by ServiceLoader");
      }
    };
  }

  @Override
  protected ExtensionFinder createExtensionFinder() {
    return new ExtensionFinder() {
      @Override
      public <T> List<ExtensionWrapper<T>> find(Class<T> type) {
        return List.of();
      }

      @Override
      public <T> List<ExtensionWrapper<T>> find(Class<T> type, String id) {
        return List.of();
      }

      @Override
      @SuppressWarnings("rawtypes") // PF4J's own signature.
      public List<ExtensionWrapper> find(String id) {
        return List.of();
      }

      @Override
      public Set<String> findClassNames(String id) {
        return Set.of();
      }
    };
  }
}
