/** Placeholder. */
@org.jspecify.annotations.NullMarked
module io.orbitkv.dram {
  requires static org.jspecify;
  requires io.orbitkv.api;
  requires com.sun.jna;

  exports io.orbitkv.dram;
}
