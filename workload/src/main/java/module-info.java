/** Placeholder. */
@org.jspecify.annotations.NullMarked
module io.orbitkv.workload {
  requires static org.jspecify;
  requires io.orbitkv.api;
  requires io.orbitkv.client;
  requires tools.jackson.databind;
  requires org.hdrhistogram;

  exports io.orbitkv.workload;
}
