package io.orbitkv.workload.planted;

import java.nio.file.Path;

/**
 * A bug that can be planted into the kernel or the SSD store.
 *
 * @param name its name, {@code like-this}
 * @param invariant name of the invariant that it must violate
 * @param scenario of the simulator, in which it is found soonest
 * @param origin where it comes from
 * @param description what it does, in one line
 * @param module that it changes
 * @param archive the changed classes, for {@code --patch-module}
 */
public record PlantedBug(
    String name,
    String invariant,
    String scenario,
    String origin,
    String description,
    String module,
    Path archive) {
  /** The module of the SSD store, which has a simulator of its own. */
  public static final String STORE = "io.orbitkv.ssd";

  /** Whether the crash tests of the SSD store must find it; otherwise the kernel's simulator. */
  public boolean ofStore() {
    return module.equals(STORE);
  }
}
