/** The policy {@code write-all}. */
package io.orbitkv.policy.writeall;
