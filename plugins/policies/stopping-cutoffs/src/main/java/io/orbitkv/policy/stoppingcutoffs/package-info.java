/** The policy {@code stopping-cutoffs}. */
package io.orbitkv.policy.stoppingcutoffs;
