/** The policy {@code w-tinylfu}. */
package io.orbitkv.policy.wtinylfu;
