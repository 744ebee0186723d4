/** Placeholder. */
@org.jspecify.annotations.NullMarked
module io.orbitkv.hostcopy {
  requires static org.jspecify;
  requires io.orbitkv.api;
  requires com.sun.jna;

  exports io.orbitkv.hostcopy;
}
