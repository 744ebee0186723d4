/**
 * The plugin {@code host-copy}: copies between host pages and workers that keep their pages in
 * shared memory.
 */
@org.jspecify.annotations.NullMarked
module io.orbitkv.hostcopy {
  requires static org.jspecify;
  requires com.sun.jna;
  requires io.orbitkv.api;

  // Nothing is exported: the entry is a provider, and the Manager opens the settings to itself.
  provides io.orbitkv.api.OrbitKvPlugin with
      io.orbitkv.hostcopy.HostCopyPlugin;
}
