package io.orbitkv.plantedbugs;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A module that bugs can be planted into.
 *
 * @param module its name
 * @param sources where its sources begin, from the root of the tree
 */
record PlantTarget(String module, String sources) {
  /** Unless a patch says otherwise. */
  static final PlantTarget KERNEL = new PlantTarget("io.orbitkv.kernel", "kernel/src/main/java/");

  /** The SSD tier. */
  static final PlantTarget STORE =
      new PlantTarget("io.orbitkv.ssd", "plugins/ssd-iouring/src/main/java/");

  static final List<PlantTarget> ALL = List.of(KERNEL, STORE);

  /** The one of that name, or null. */
  static @Nullable PlantTarget named(String module) {
    return ALL.stream().filter(target -> target.module.equals(module)).findFirst().orElse(null);
  }
}
