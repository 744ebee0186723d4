/** Simulated memory, devices and stores: where bytes are tags and transfers are events. */
package io.orbitkv.workload.sim.hardware;
