/** Leases: who may use which resident pages, until when, and what holds them. */
package io.orbitkv.kernel.lease;
