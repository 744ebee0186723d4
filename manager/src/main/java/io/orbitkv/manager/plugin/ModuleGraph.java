package io.orbitkv.manager.plugin;

import io.orbitkv.api.OrbitKvPlugin;
import java.io.IOException;
import java.lang.module.Configuration;
import java.lang.module.FindException;
import java.lang.module.ModuleDescriptor;
import java.lang.module.ModuleFinder;
import java.lang.module.ModuleReference;
import java.lang.module.ResolutionException;
import java.lang.module.ResolvedModule;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;

/**
 * The resolved modules of one plugin.
 *
 * @param configuration resolved over those of its dependencies and of the Manager
 * @param root name of the root module
 */
record ModuleGraph(Configuration configuration, String root) {
  /** Names of the plugin's own modules. */
  Set<String> names() {
    Set<String> names = new TreeSet<>();
    configuration.modules().forEach(module -> names.add(module.name()));
    return names;
  }

  /**
   * Resolves a plugin's jars.
   *
   * @param folder the expanded plugin
   * @param descriptor its descriptor
   * @param dependencies graphs of the plugins that it depends on, in their order
   * @param base what the Manager runs with
   * @throws RefusedException saying which module is wrong
   */
  static ModuleGraph resolve(
      Path folder, Descriptor descriptor, List<Configuration> dependencies, Configuration base) {
    ModuleFinder finder = ModuleFinder.of(library(folder));
    List<ModuleDescriptor> carried = carried(finder);
    carried.forEach(ModuleRules::checkCarried);
    String root = root(descriptor, carried);

    Set<String> reachable = new HashSet<>();
    carried.forEach(module -> reachable.add(module.name()));
    dependencies.forEach(
        dependency -> dependency.modules().forEach(module -> reachable.add(module.name())));
    Set<String> present = present(base);
    for (ModuleDescriptor module : carried) {
      ModuleRules.checkRequired(module, reachable, present);
    }

    List<Configuration> parents = Stream.concat(dependencies.stream(), Stream.of(base)).toList();
    try {
      // The plugin's own jars first: its copy of a library wins over one that a parent has.
      Configuration resolved =
          Configuration.resolveAndBind(finder, parents, ModuleFinder.of(), Set.of(root));
      return new ModuleGraph(resolved, root);
    } catch (FindException | ResolutionException unresolved) {
      throw new RefusedException(
          "its modules do not fit together: " + unresolved.getMessage(),
          "correct what lib/ holds and what its modules require",
          unresolved);
    }
  }

  private static Path library(Path folder) {
    Path library = folder.resolve("lib");
    if (!Files.isDirectory(library)) {
      throw new RefusedException("it has no folder [lib]", "pack its jars into lib/");
    }
    try (Stream<Path> files = Files.list(library)) {
      for (Path file : files.sorted().toList()) {
        if (Files.isDirectory(file) || !file.getFileName().toString().endsWith(".jar")) {
          throw new RefusedException(
              "its lib/ holds [" + file.getFileName() + "], which is no jar",
              "pack jars only into lib/");
        }
      }
    } catch (IOException failed) {
      throw new RefusedException(
          "its lib/ cannot be read: " + RefusedException.describe(failed), "install it again");
    }
    return library;
  }

  private static List<ModuleDescriptor> carried(ModuleFinder finder) {
    try {
      return finder.findAll().stream()
          .map(ModuleReference::descriptor)
          .sorted(Comparator.comparing(ModuleDescriptor::name))
          .toList();
    } catch (FindException unreadable) {
      Throwable cause = unreadable.getCause();
      throw new RefusedException(
          "a jar in its lib/ cannot be read as a module: "
              + unreadable.getMessage()
              + (cause == null ? "" : ": " + cause.getMessage()),
          "build it again with a module-info for this Java",
          unreadable);
    }
  }

  private static String root(Descriptor descriptor, Collection<ModuleDescriptor> carried) {
    List<String> providers =
        carried.stream()
            .filter(module -> !module.isAutomatic() && provides(module) > 0)
            .map(ModuleDescriptor::name)
            .toList();
    if (descriptor.module().isEmpty()) {
      if (providers.size() == 1) {
        return providers.getFirst();
      }
      throw new RefusedException(
          providers.isEmpty()
              ? "no module in its lib/ provides [" + OrbitKvPlugin.class.getName() + "]"
              : "several modules provide a plugin: [" + String.join(", ", providers) + "]",
          "name the module in orbitkv.module and let its module-info say provides … with");
    }
    String name = descriptor.module();
    ModuleDescriptor root =
        carried.stream()
            .filter(module -> module.name().equals(name))
            .findFirst()
            .orElseThrow(() ->
                new RefusedException(
                    "its lib/ holds no module [" + name + "], which orbitkv.module names",
                    "correct orbitkv.module or pack the module's jar into lib/"));
    if (root.isAutomatic()) {
      throw new RefusedException(
          "its root module [" + name + "] is an automatic module",
          "give it a module-info.java: an automatic module could read everything");
    }
    if (provides(root) != 1) {
      throw new RefusedException(
          "its root module ["
              + name
              + "] provides ["
              + provides(root)
              + "] implementations of ["
              + OrbitKvPlugin.class.getName()
              + "], not one",
          "let its module-info say provides … with exactly one class");
    }
    return name;
  }

  private static int provides(ModuleDescriptor module) {
    return module.provides().stream()
        .filter(provided -> provided.service().equals(OrbitKvPlugin.class.getName()))
        .mapToInt(provided -> provided.providers().size())
        .sum();
  }

  private static Set<String> present(Configuration base) {
    Set<String> present = new HashSet<>();
    Deque<Configuration> open = new ArrayDeque<>(List.of(base));
    while (!open.isEmpty()) {
      Configuration configuration = open.pop();
      for (ResolvedModule module : configuration.modules()) {
        present.add(module.name());
      }
      configuration.parents().forEach(open::push);
    }
    return present;
  }
}
