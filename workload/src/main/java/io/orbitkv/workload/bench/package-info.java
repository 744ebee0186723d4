/** Benchmarks of single parts. */
package io.orbitkv.workload.bench;
