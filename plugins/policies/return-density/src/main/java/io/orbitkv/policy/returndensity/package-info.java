/** The policy {@code return-density}. */
package io.orbitkv.policy.returndensity;
