/** A Java client of the Manager: one connection, many operations in flight. */
@org.jspecify.annotations.NullMarked
module io.orbitkv.client {
  requires transitive io.orbitkv.api;
  requires transitive io.orbitkv.wire;
  requires static transitive org.jspecify;

  exports io.orbitkv.client;
}
