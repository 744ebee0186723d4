/**
 * What the Manager is exercised with: request traces and a generator of them, the model of an
 * engine that replays a trace with real bytes, benchmarks, and their reports.
 */
@org.jspecify.annotations.NullMarked
module io.orbitkv.workload {
  requires transitive io.orbitkv.api;
  requires transitive io.orbitkv.client;
  requires transitive io.orbitkv.cuda;
  requires io.orbitkv.kernel;
  requires transitive io.orbitkv.model;
  requires io.orbitkv.wire;
  requires java.management;
  requires jdk.jfr;
  requires jdk.management;
  requires org.apache.commons.statistics.distribution;
  requires org.hdrhistogram;
  requires tools.jackson.databind;
  requires static transitive org.jspecify;

  exports io.orbitkv.workload.ab.assign;
  exports io.orbitkv.workload.ab.live;
  exports io.orbitkv.workload.ab.report;
  exports io.orbitkv.workload.ab.simulate;
  exports io.orbitkv.workload.ab.statistics;
  exports io.orbitkv.workload.ab.traffic;
  exports io.orbitkv.workload.ab.verdict;
  exports io.orbitkv.workload.bench;
  exports io.orbitkv.workload.copy;
  exports io.orbitkv.workload.planted;
  exports io.orbitkv.workload.policy;
  exports io.orbitkv.workload.process;
  exports io.orbitkv.workload.replay;
  exports io.orbitkv.workload.report;
  exports io.orbitkv.workload.sim;
  exports io.orbitkv.workload.sim.rule;
  exports io.orbitkv.workload.ssd;
  exports io.orbitkv.workload.trace;
}
