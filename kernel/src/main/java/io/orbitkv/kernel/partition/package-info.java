/** What belongs together when the cache is split: residency, budget, leases. */
package io.orbitkv.kernel.partition;
