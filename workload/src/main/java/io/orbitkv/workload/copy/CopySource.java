package io.orbitkv.workload.copy;

import io.orbitkv.api.copy.DeviceCopier;
import io.orbitkv.api.memory.MemoryTier;

/** Where {@link CopyBench} gets what it measures: the plugins of an installation. */
public interface CopySource {
  /** The copier for GPUs; the caller closes it. */
  DeviceCopier copier();

  /**
   * Host memory, not touched yet; the caller closes it after the copier.
   *
   * @param bytes of the pool
   */
  MemoryTier memory(long bytes);
}
