/** One run: a store between a generator of operations, a model device and a log of promises. */
package io.orbitkv.ssd.sim.run;
