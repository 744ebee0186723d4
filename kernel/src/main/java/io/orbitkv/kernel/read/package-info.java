/** Reads from the backing tier: batches, sharing, and what drains when interest ends. */
package io.orbitkv.kernel.read;
