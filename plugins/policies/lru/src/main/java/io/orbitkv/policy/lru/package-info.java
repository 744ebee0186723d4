/** The policy {@code lru}. */
package io.orbitkv.policy.lru;
