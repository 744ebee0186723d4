package io.orbitkv.manager.plugin;

/**
 * What a plugin may at most be.
 *
 * @param entries files in the archive or folder
 * @param bytes of all files together, expanded
 * @param ratio expanded bytes for one byte of the archive
 */
public record PluginLimits(int entries, long bytes, int ratio) {
  /** Far above any honest plugin, far below what harms a host. */
  public static PluginLimits standard() {
    return new PluginLimits(2_000, 512L << 20, 100);
  }
}
