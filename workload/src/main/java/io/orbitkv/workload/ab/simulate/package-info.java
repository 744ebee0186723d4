/** Experiments on a model of the cache: whole traces in seconds, and intervals by resampling. */
package io.orbitkv.workload.ab.simulate;
