package io.orbitkv.workload.ssd;

import io.orbitkv.api.backing.BackingTier;
import io.orbitkv.api.memory.HostChunk;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/** Where the tiers come from that are measured. */
public interface TierSource {
  /**
   * A tier that is not started, the caller's to close.
   *
   * @param chunks memory that runs will lie in
   * @throws IllegalStateException saying why the file cannot be used and what to do
   */
  BackingTier open(Store store, List<HostChunk> chunks);

  /**
   * Which store, and how it is driven.
   *
   * @param files or block device
   * @param capacityBytes of it
   * @param engine as the tier's settings name it
   * @param direct whether the page cache is passed by
   * @param format whether whatever is in the file may be overwritten
   * @param writeSharePercent that writes are guaranteed beside reads
   * @param settings others of the tier, by key
   */
  record Store(
      List<Path> files,
      long capacityBytes,
      String engine,
      boolean direct,
      boolean format,
      int writeSharePercent,
      Map<String, String> settings) {}
}
