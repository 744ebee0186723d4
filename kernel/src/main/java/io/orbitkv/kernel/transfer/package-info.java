/** Copies between pages and device memory: restores, publishes, and what waits for them. */
package io.orbitkv.kernel.transfer;
