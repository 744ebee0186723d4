/** The policy {@code write-on-reuse}. */
package io.orbitkv.policy.writeonreuse;
