/** The policy {@code write-adaptive}. */
package io.orbitkv.policy.writeadaptive;
