/**
 * The kernel: all state of operations, budgets, leases and residency, as a pure state machine. It
 * starts no thread, reads no clock and opens no file; one event goes in, commands come out.
 */
@org.jspecify.annotations.NullMarked
module io.orbitkv.kernel {
  requires transitive io.orbitkv.api;
  requires static transitive org.jspecify;

  exports io.orbitkv.kernel;
}
