/** The policy {@code arrival-lookahead}. */
package io.orbitkv.policy.arrivallookahead;
