package io.orbitkv.manager.boot;

import io.orbitkv.api.backing.BackingUsage;
import io.orbitkv.api.copy.DeviceCopier;
import io.orbitkv.api.copy.DeviceUnavailableException;
import io.orbitkv.api.memory.MemoryTier;
import io.orbitkv.api.memory.MemoryTierFactory;
import io.orbitkv.api.memory.MemoryUsage;
import io.orbitkv.api.policy.Facts;
import io.orbitkv.api.policy.TierFacts;
import io.orbitkv.api.policy.TierKind;
import io.orbitkv.kernel.KernelSettings;
import io.orbitkv.manager.dispatch.BackingPort;
import io.orbitkv.manager.dispatch.Copiers;
import io.orbitkv.manager.dispatch.PoolProgress;
import io.orbitkv.manager.environment.ManagerEnvironment;
import io.orbitkv.manager.environment.ManagerException;
import io.orbitkv.manager.metrics.ManagerMeterRegistry;
import io.orbitkv.manager.policy.Journal;
import io.orbitkv.manager.policy.PolicyHost;
import io.orbitkv.manager.policy.PolicyLimits;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes the parts of each cell: memory, copiers, backing tier, policies, and the limits of its
 * kernel, each its share of what is configured. What was made goes onto the boot's stack. Boot
 * thread.
 *
 * @param undo takes what was made
 * @param extensions that provide the parts
 * @param journal of all cells
 */
record CellAssembly(
    BootSettings settings,
    ManagerEnvironment environment,
    ManagerMeterRegistry meters,
    UndoStack undo,
    Extensions extensions,
    Journal journal) {
  private static final Logger log = LoggerFactory.getLogger(CellAssembly.class);

  /** Parts of a pool are multiples of it. */
  private static final long POOL_GRANULE_BYTES = 4 << 10;

  /**
   * Makes a cell.
   *
   * @param progress of the whole pool
   * @throws ManagerException when a part cannot be made, saying which
   */
  CellParts cell(CellShare share, PoolProgress progress) throws ManagerException {
    long poolBytes = poolBytes(settings.poolBytes(), share);
    MemoryTier memory = memory(share, poolBytes);
    Map<String, DeviceCopier> copiers = copiers(share);
    BackingPort backing = backing(memory, share);
    return new CellParts(
        share,
        kernelSettings(share),
        memory,
        copiers.keySet(),
        new Copiers(List.copyOf(copiers.values())),
        backing,
        share.divided() ? new PoolProgress(poolBytes, progress) : progress,
        policies(memory, backing, share));
  }

  /** Bytes of the pools of all cells: of a divided pool a little may be left over. */
  static long poolBytes(BootSettings settings, List<CellShare> shares) {
    return shares.stream().mapToLong(share -> poolBytes(settings.poolBytes(), share)).sum();
  }

  // Whole granules, as a pool of any size is.
  private static long poolBytes(long bytes, CellShare share) {
    return share.divided() ? share.of(bytes) / POOL_GRANULE_BYTES * POOL_GRANULE_BYTES : bytes;
  }

  private MemoryTier memory(CellShare share, long poolBytes) throws ManagerException {
    MemoryTierFactory.Request request =
        new MemoryTierFactory.Request(poolBytes, environment.numa().nodes(), environment.numa());
    return undo.pushOnlyClean("memory tier", extensions.memoryTier(request, share));
  }

  /** Those that this machine has devices for. */
  private Map<String, DeviceCopier> copiers(CellShare share) throws ManagerException {
    Map<String, DeviceCopier> copiers = new LinkedHashMap<>();
    @Nullable ManagerException absent = null;
    for (String name : settings.copiers()) {
      try {
        copiers.put(name, undo.pushOnlyClean("copier " + name, extensions.copier(name, share)));
      } catch (ManagerException refused) {
        if (!(refused.getCause() instanceof DeviceUnavailableException)) {
          throw refused;
        }
        log.warn("{}; workers whose memory is on such a device are refused", refused.getMessage());
        absent = refused;
      }
    }
    if (copiers.isEmpty() && absent != null) {
      throw absent;
    }
    return copiers;
  }

  private BackingPort backing(MemoryTier memory, CellShare share) throws ManagerException {
    String name = settings.backingTier();
    return name.isEmpty()
        ? BackingPort.none()
        : BackingPort.of(
            undo.pushOnlyClean(
                "backing tier " + name, extensions.backingTier(memory.chunks(), share)));
  }

  private PolicyHost policies(MemoryTier memory, BackingPort backing, CellShare share) {
    return new PolicyHost(
        new PolicyHost.Parts(
            PolicyLimits.DEFAULT,
            environment.nanoClock(),
            System::currentTimeMillis,
            environment.random(),
            meters,
            journal,
            () -> hostMemory(memory.usage()),
            backing::facts,
            settings.prefillTokensPerSecond()),
        share.number(),
        share.cells());
  }

  private static TierFacts hostMemory(MemoryUsage usage) {
    return new TierFacts(
        TierKind.DRAM,
        usage.capacityBytes(),
        usage.freeBytes(),
        0,
        Facts.UNKNOWN,
        Facts.UNKNOWN,
        Facts.UNKNOWN,
        BackingUsage.UNLIMITED);
  }

  /** The one place where limits of the configuration become the kernel's. */
  private KernelSettings kernelSettings(CellShare share) {
    KernelSettings whole =
        KernelSettings.of(share.of(settings.budget()), Math.max(1, share.of(settings.maxPages())));
    return whole.with(share.of(whole.limits())).with(settings.reads(), share.of(settings.writes()));
  }
}
