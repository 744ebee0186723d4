/**
 * The plugin {@code ssd-iouring}: pages on SSD, in a log-structured store that is read and written
 * past the page cache, checksummed and persistent.
 */
@org.jspecify.annotations.NullMarked
module io.orbitkv.ssd {
  requires static org.jspecify;
  requires com.sun.jna;
  requires io.orbitkv.api;

  // Nothing is exported: the entry is a provider, and the Manager opens the settings to itself.
  provides io.orbitkv.api.OrbitKvPlugin with
      io.orbitkv.ssd.SsdTierPlugin;
}
