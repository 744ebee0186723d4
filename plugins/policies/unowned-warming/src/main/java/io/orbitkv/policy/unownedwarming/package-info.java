/** The policy {@code unowned-warming}. */
package io.orbitkv.policy.unownedwarming;
