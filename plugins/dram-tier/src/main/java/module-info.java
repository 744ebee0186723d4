/**
 * The plugin {@code dram-tier}: host memory for pages, in arenas of private anonymous memory on each
 * NUMA node.
 */
@org.jspecify.annotations.NullMarked
module io.orbitkv.dram {
  requires static org.jspecify;
  requires com.sun.jna;
  requires io.orbitkv.api;

  // The Manager makes the settings record; everything else in the package is package-private.
  exports io.orbitkv.dram;

  provides io.orbitkv.api.plugin.OrbitKvPlugin with
      io.orbitkv.dram.DramTierPlugin;
}
