/**
 * Benchmarks of the SSD tier: throughput and latency beside fio, starts after a stop and after a
 * kill, and a loop of kills under load.
 */
package io.orbitkv.workload.ssd;
