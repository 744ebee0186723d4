/** The policy {@code restore-or-recompute}. */
package io.orbitkv.policy.restoreorrecompute;
