package io.orbitkv.workload.planted;

import java.nio.file.Path;

/**
 * A bug that can be planted into the kernel.
 *
 * @param name its name, {@code like-this}
 * @param invariant name of the invariant that it must violate
 * @param scenario of the simulator, in which it is found soonest
 * @param origin where it comes from
 * @param description what it does, in one line
 * @param archive the changed classes, for {@code --patch-module}
 */
public record PlantedBug(
    String name,
    String invariant,
    String scenario,
    String origin,
    String description,
    Path archive) {}
