/**
 * The plugin {@code dram-tier}: host memory for pages, in arenas of private anonymous memory on
 * each NUMA node.
 */
@org.jspecify.annotations.NullMarked
module io.orbitkv.dram {
  requires static org.jspecify;
  requires com.sun.jna;
  requires io.orbitkv.api;

  // Nothing is exported: the entry is a provider, and the Manager opens the settings to itself.
  provides io.orbitkv.api.OrbitKvPlugin with
      io.orbitkv.dram.DramTierPlugin;
}
