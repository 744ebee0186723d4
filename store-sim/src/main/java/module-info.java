/**
 * The crash tests of the SSD store: its classes between generated operations, a model of a device
 * that loses power, fails and lies, and a log of promises outside of both.
 */
@org.jspecify.annotations.NullMarked
module io.orbitkv.ssd.sim {
  requires transitive io.orbitkv.api;
  requires io.orbitkv.ssd;
  requires io.orbitkv.workload;
  requires static transitive org.jspecify;

  exports io.orbitkv.ssd.sim;
  exports io.orbitkv.ssd.sim.rule;
}
