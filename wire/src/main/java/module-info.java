/**
 * The protocol between clients and the Manager: frames over a Unix socket and the status board in
 * shared memory, with the codec for both sides.
 */
@org.jspecify.annotations.NullMarked
module io.orbitkv.wire {
  requires transitive io.orbitkv.api;
  requires com.sun.jna;
  requires tools.jackson.databind;
  requires static transitive org.jspecify;

  exports io.orbitkv.wire;
}
