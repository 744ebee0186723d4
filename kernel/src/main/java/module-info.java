/**
 * The kernel: all state of operations, budgets, leases and residency, as a pure state machine. It
 * starts no thread, reads no clock and opens no file; one event goes in, commands come out.
 */
@org.jspecify.annotations.NullMarked
@SuppressWarnings("module") // The modules of qualified exports are built after this one.
module io.orbitkv.kernel {
  requires transitive io.orbitkv.api;
  requires static transitive org.jspecify;

  // Qualified: reflection ignores readability, so an open export would let every plugin in.
  exports io.orbitkv.kernel to
      io.orbitkv.cli,
      io.orbitkv.manager,
      io.orbitkv.testkit,
      io.orbitkv.workload;
  exports io.orbitkv.kernel.machine to
      io.orbitkv.cli,
      io.orbitkv.manager,
      io.orbitkv.testkit,
      io.orbitkv.workload;
  exports io.orbitkv.kernel.policy to
      io.orbitkv.cli,
      io.orbitkv.manager,
      io.orbitkv.testkit,
      io.orbitkv.workload;
}
