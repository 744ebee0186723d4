/** Bugs planted into the kernel: which there are, and running the simulator with one of them. */
package io.orbitkv.workload.planted;
