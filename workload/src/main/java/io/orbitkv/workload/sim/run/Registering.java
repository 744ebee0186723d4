package io.orbitkv.workload.sim.run;

/**
 * A registration without a reply.
 *
 * @param shape of the instance
 * @param rank that registers
 */
record Registering(Shape shape, int rank) {}
