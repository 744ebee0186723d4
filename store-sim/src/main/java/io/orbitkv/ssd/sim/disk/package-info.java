/** A device in memory that loses power, tears writes, fails and lies, deterministically. */
package io.orbitkv.ssd.sim.disk;
