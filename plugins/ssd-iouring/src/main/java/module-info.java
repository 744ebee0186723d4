/**
 * The plugin {@code ssd-iouring}: pages on SSD, in a log-structured store that is read and written
 * past the page cache, checksummed and persistent.
 */
@org.jspecify.annotations.NullMarked
@SuppressWarnings("module") // The modules of qualified exports are built after this one.
module io.orbitkv.ssd {
  requires static org.jspecify;
  requires com.sun.jna;
  requires io.orbitkv.api;

  // The crash tests drive the store over a model device.
  exports io.orbitkv.ssd.device to
      io.orbitkv.ssd.sim;
  exports io.orbitkv.ssd.store to
      io.orbitkv.ssd.sim;

  // Else nothing is exported: the entry is a provider, and the Manager opens the settings to
  // itself.
  provides io.orbitkv.api.OrbitKvPlugin with
      io.orbitkv.ssd.SsdTierPlugin;
}
