/** Crash tests of the SSD store: seeds, reports and the program that runs them. */
package io.orbitkv.ssd.sim;
