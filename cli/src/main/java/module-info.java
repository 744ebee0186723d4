/** Placeholder. */
@org.jspecify.annotations.NullMarked
module io.orbitkv.cli {
  requires static org.jspecify;
  requires info.picocli;
  requires io.orbitkv.manager;
  requires io.orbitkv.client;
  requires io.orbitkv.workload;

  exports io.orbitkv.cli;
}
