/** What the crash tests of the store know by name: invariants, faults, crash points. */
package io.orbitkv.ssd.sim.rule;
