/** One seed's run: clients, devices and policies around the kernel, and what is checked. */
package io.orbitkv.workload.sim.run;
