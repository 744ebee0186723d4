/**
 * Proofs about offered leases: what a lease promises, and a checker that believes nothing of how
 * the lease came about.
 */
package io.orbitkv.kernel.recovery;
