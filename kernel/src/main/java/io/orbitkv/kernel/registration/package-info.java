/** How instances come and go: registration of ranks, sealing, retirement, device memory. */
package io.orbitkv.kernel.registration;
