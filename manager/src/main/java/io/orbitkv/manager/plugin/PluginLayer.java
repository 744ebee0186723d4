package io.orbitkv.manager.plugin;

import io.orbitkv.api.OrbitKvPlugin;
import java.util.List;
import java.util.ServiceConfigurationError;
import java.util.ServiceLoader;
import java.util.stream.Stream;

/**
 * The module layer of one loaded plugin and the key to it.
 *
 * @param controller opens packages and grants native access
 * @param root the root module
 */
record PluginLayer(ModuleLayer.Controller controller, Module root) {
  ModuleLayer layer() {
    return controller.layer();
  }

  /**
   * Defines a plugin's modules to one new class loader. Its parent is the null loader: a plugin
   * sees the packages of modules that it reads and no class besides.
   */
  static PluginLayer define(
      ModuleGraph graph, List<ModuleLayer> dependencies, ModuleLayer base, boolean nativeAccess) {
    List<ModuleLayer> parents = Stream.concat(dependencies.stream(), Stream.of(base)).toList();
    try {
      ModuleLayer.Controller controller =
          ModuleLayer.defineModulesWithOneLoader(graph.configuration(), parents, null);
      Module root = controller.layer().findModule(graph.root()).orElseThrow();
      if (nativeAccess) {
        grantNativeAccess(controller, root);
      }
      return new PluginLayer(controller, root);
    } catch (LayerInstantiationException | LinkageError refused) {
      throw new RefusedException(
          "its modules cannot be defined: " + RefusedException.describe(refused),
          "correct what lib/ holds",
          refused);
    }
  }

  @SuppressWarnings("restricted") // Only for plugins whose descriptor asks for it.
  private static void grantNativeAccess(ModuleLayer.Controller controller, Module root) {
    try {
      controller.enableNativeAccess(root);
    } catch (IllegalCallerException notOurs) {
      throw new RefusedException(
          "it asks for native access, which this process cannot grant",
          "start Java with --enable-native-access=io.orbitkv.manager",
          notOurs);
    }
  }

  /** Makes the plugin's one entry object. Runs plugin code. */
  OrbitKvPlugin entry() {
    try {
      List<ServiceLoader.Provider<OrbitKvPlugin>> providers =
          ServiceLoader.load(layer(), OrbitKvPlugin.class).stream()
              // The stream walks the parents' layers too.
              .filter(provider -> provider.type().getModule().getLayer() == layer())
              .toList();
      if (providers.size() != 1) {
        throw new RefusedException(
            "its layer provides [" + providers.size() + "] plugins, not one",
            "let one module in lib/ say provides … with exactly one class");
      }
      return providers.getFirst().get();
    } catch (ServiceConfigurationError failed) {
      Throwable cause = failed.getCause() == null ? failed : failed.getCause();
      throw new RefusedException(
          "its entry class cannot be made: " + RefusedException.describe(cause),
          "its constructor must be public, take nothing and do nothing: ask its author",
          failed);
    }
  }

  /** Lets the Manager reach the constructor of a settings record, exported or not. */
  void openSettings(Class<?> settings) {
    Module owner = settings.getModule();
    if (owner.getLayer() == layer()) {
      controller.addOpens(owner, settings.getPackageName(), PluginLayer.class.getModule());
    }
  }
}
