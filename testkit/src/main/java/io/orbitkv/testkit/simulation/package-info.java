/** Tiers and copiers without memory or hardware, for deterministic tests of whoever uses them. */
package io.orbitkv.testkit.simulation;
