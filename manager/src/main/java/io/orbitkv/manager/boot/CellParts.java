package io.orbitkv.manager.boot;

import io.orbitkv.api.memory.MemoryTier;
import io.orbitkv.kernel.KernelSettings;
import io.orbitkv.manager.dispatch.BackingPort;
import io.orbitkv.manager.dispatch.Copiers;
import io.orbitkv.manager.dispatch.PoolProgress;
import io.orbitkv.manager.policy.PolicyHost;
import java.util.Set;

/**
 * What one cell is made of; nothing of it is another cell's.
 *
 * @param share of everything that is limited
 * @param kernel limits of its kernel
 * @param memory its part of the pool
 * @param copierNames in the order of the configuration
 * @param copiers of its own
 * @param backing its part of the store
 * @param progress of its part of the pool
 * @param policies of its own
 */
record CellParts(
    CellShare share,
    KernelSettings kernel,
    MemoryTier memory,
    Set<String> copierNames,
    Copiers copiers,
    BackingPort backing,
    PoolProgress progress,
    PolicyHost policies) {}
