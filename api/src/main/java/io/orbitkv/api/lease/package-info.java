/** Leases and budgets: who may use which pages, and whose bytes they are. */
package io.orbitkv.api.lease;
