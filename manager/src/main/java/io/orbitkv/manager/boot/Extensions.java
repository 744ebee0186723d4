package io.orbitkv.manager.boot;

import io.micrometer.core.instrument.MeterRegistry;
import io.orbitkv.api.backing.BackingTier;
import io.orbitkv.api.copy.DeviceCopier;
import io.orbitkv.api.memory.HostChunk;
import io.orbitkv.api.memory.MemoryTier;
import io.orbitkv.api.memory.MemoryTierFactory;
import io.orbitkv.manager.admin.StatusReport;
import io.orbitkv.manager.environment.ManagerException;
import io.orbitkv.manager.policy.PolicyCatalog;
import java.util.List;

/**
 * What plugins give to this start: made by name, with the settings of the configuration. Boot
 * thread. Closed after everything that it made.
 */
public interface Extensions extends AutoCloseable {
  /**
   * Makes the memory tier.
   *
   * @param share of the cell that it is for
   * @throws ManagerException when its settings do not fit or the system refuses
   */
  MemoryTier memoryTier(MemoryTierFactory.Request request, CellShare share) throws ManagerException;

  /**
   * Makes one copier.
   *
   * @param share of the cell that it is for
   * @throws ManagerException when its settings do not fit or something that it needs is missing
   */
  DeviceCopier copier(String name, CellShare share) throws ManagerException;

  /**
   * Makes the backing tier of the configuration, which has one. It is not started.
   *
   * @param chunks where runs will lie
   * @param share of the cell that it is for
   * @throws ManagerException when its settings do not fit, it cannot be divided, or the system
   *     refuses
   */
  BackingTier backingTier(List<HostChunk> chunks, CellShare share) throws ManagerException;

  /** Any thread. The policies that there are, and those that the configuration names. */
  PolicyCatalog policies();

  /** Any thread. The loaded plugins. */
  List<StatusReport.PluginLine> plugins();

  /** Any thread. The plugins that were refused. */
  List<StatusReport.RefusalLine> refusals();

  @Override
  void close();

  /** Opens the extensions of a start. */
  @FunctionalInterface
  interface Source {
    /**
     * Boot thread.
     *
     * @param meters where the meters of plugins go
     * @throws ManagerException when the configuration names something that no plugin offers
     */
    Extensions open(MeterRegistry meters) throws ManagerException;
  }
}
