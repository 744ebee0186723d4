package io.orbitkv.manager.plugin;

import java.lang.module.ModuleDescriptor;
import java.lang.module.ModuleDescriptor.Requires;
import java.util.Collection;
import java.util.Set;

/*
 * Layers hide what a module does not export. They do not stop a plugin from requiring a module that
 * does export, nor from carrying a second copy of one; both are refused here, by name, before
 * anything is resolved.
 */

/** Which modules a plugin may carry and which it may require. */
final class ModuleRules {
  /** A second copy would split types that plugin and Manager share, or a native library. */
  private static final Set<String> RESERVED =
      Set.of(
          "io.orbitkv.api",
          "io.orbitkv.cli",
          "io.orbitkv.client",
          "io.orbitkv.cuda",
          "io.orbitkv.kernel",
          "io.orbitkv.manager",
          "io.orbitkv.model",
          "io.orbitkv.testkit",
          "io.orbitkv.wire",
          "io.orbitkv.workload",
          "org.pf4j",
          "com.sun.jna");

  private static final Set<String> RESERVED_PACKAGES =
      Set.of(
          "io.orbitkv.api",
          "io.orbitkv.cli",
          "io.orbitkv.client",
          "io.orbitkv.cuda",
          "io.orbitkv.kernel",
          "io.orbitkv.manager",
          "io.orbitkv.model",
          "io.orbitkv.testkit",
          "io.orbitkv.wire",
          "io.orbitkv.workload",
          "org.pf4j");

  /** What a plugin may require beside its own modules and those of the plugins it depends on. */
  private static final Set<String> ALLOWED =
      Set.of(
          "io.orbitkv.api",
          "io.orbitkv.cuda",
          "com.sun.jna",
          "com.github.benmanes.caffeine",
          "org.jspecify",
          "java.base",
          "java.logging",
          "java.management",
          "java.naming",
          "java.net.http",
          "java.xml",
          "jdk.crypto.ec",
          "jdk.httpserver",
          "jdk.jfr",
          "jdk.management",
          "jdk.net",
          "jdk.unsupported");

  private ModuleRules() {}

  /**
   * @throws RefusedException when a plugin must not carry the module
   */
  static void checkCarried(ModuleDescriptor module) {
    String name = module.name();
    if (RESERVED.contains(name) || name.startsWith("java.") || name.startsWith("jdk.")) {
      throw new RefusedException(
          "it bundles the module [" + name + "], which is reserved",
          "take that jar out of lib/: OrbitKV brings it");
    }
    for (String held : module.packages()) {
      for (String reserved : RESERVED_PACKAGES) {
        if (held.equals(reserved) || held.startsWith(reserved + ".")) {
          throw new RefusedException(
              "its module [" + name + "] bundles the package [" + held + "], which is reserved",
              "take that jar out of lib/: OrbitKV brings it");
        }
      }
    }
  }

  /**
   * @param module carried by the plugin
   * @param reachable names of the plugin's own modules and of its dependencies' modules
   * @param present names of the modules that the Manager runs with
   * @throws RefusedException when the module requires one that plugins may not use
   */
  static void checkRequired(
      ModuleDescriptor module, Collection<String> reachable, Collection<String> present) {
    for (Requires required : module.requires()) {
      String name = required.name();
      // Annotations for the compiler alone: absent at run time, so nothing can be reached.
      boolean harmless =
          required.modifiers().contains(Requires.Modifier.STATIC) && !present.contains(name);
      if (reachable.contains(name) || harmless) {
        continue;
      }
      if (!ALLOWED.contains(name)) {
        throw new RefusedException(
            "its module [" + module.name() + "] requires [" + name + "], which plugins may not use",
            "use io.orbitkv.api alone, or bundle the library in lib/, or declare the plugin that"
                + " has it in plugin.dependencies");
      }
      if (!present.contains(name)) {
        throw new RefusedException(
            "its module ["
                + module.name()
                + "] requires ["
                + name
                + "], which is not installed here",
            "bundle it in lib/, or run with a Java that has it");
      }
    }
  }
}
