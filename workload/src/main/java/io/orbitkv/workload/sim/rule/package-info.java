/** What the simulator knows by name: faults, invariants, scenarios, recorded actions. */
package io.orbitkv.workload.sim.rule;
