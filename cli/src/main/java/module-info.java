/** The {@code orbitkv} command. */
@org.jspecify.annotations.NullMarked
module io.orbitkv.cli {
  requires info.picocli;
  requires io.orbitkv.api;
  requires io.orbitkv.client;
  requires io.orbitkv.cuda;
  requires io.orbitkv.manager;
  requires io.orbitkv.model;
  requires io.orbitkv.workload;
  requires static org.jspecify;

  // Commands declare their options as annotated fields.
  opens io.orbitkv.cli to
      info.picocli;

  exports io.orbitkv.cli;
}
