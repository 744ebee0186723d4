package io.orbitkv.architecture;

import java.io.File;
import java.lang.module.ModuleDescriptor;
import java.lang.module.ModuleFinder;
import java.lang.module.ModuleReference;
import java.nio.file.Path;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;

/** The modules of OrbitKV as the build made them, read from the class path of this test. */
final class Modules {
  private static final String PREFIX = "io.orbitkv.";

  private final Map<String, ModuleReference> byName = new TreeMap<>();

  private Modules() {}

  static Modules ofClassPath() {
    var modules = new Modules();
    for (String entry : System.getProperty("java.class.path").split(File.pathSeparator, -1)) {
      // One finder an entry: the test's own folder of classes is no module, and that is no error.
      for (ModuleReference module : ModuleFinder.of(Path.of(entry)).findAll()) {
        if (module.descriptor().name().startsWith(PREFIX)) {
          modules.byName.put(module.descriptor().name(), module);
        }
      }
    }
    return modules;
  }

  Set<String> names() {
    return byName.keySet();
  }

  ModuleDescriptor descriptor(String name) {
    ModuleReference module = byName.get(name);
    if (module == null) {
      throw new IllegalArgumentException("no module [" + name + "] among " + byName.keySet());
    }
    return module.descriptor();
  }

  /** Everything that the module reads, by its own descriptor, at compile time or later. */
  Set<String> requires(String name) {
    return descriptor(name).requires().stream()
        .map(ModuleDescriptor.Requires::name)
        .collect(Collectors.toCollection(TreeSet::new));
  }

  /** Those of the modules read that belong to OrbitKV. */
  Set<String> ownRequires(String name) {
    return requires(name).stream()
        .filter(required -> required.startsWith(PREFIX))
        .collect(Collectors.toCollection(TreeSet::new));
  }

  Set<Path> locations() {
    return byName.values().stream()
        .map(module -> Path.of(module.location().orElseThrow()))
        .collect(Collectors.toCollection(TreeSet::new));
  }
}
