/** Placeholder. */
@org.jspecify.annotations.NullMarked
module io.orbitkv.client {
  requires static org.jspecify;
  requires io.orbitkv.api;
  requires io.orbitkv.wire;

  exports io.orbitkv.client;
}
