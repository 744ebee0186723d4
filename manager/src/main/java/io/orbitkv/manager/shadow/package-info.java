/**
 * Shadow policies: what another policy would have kept of the traffic that there is, on keys alone.
 * A sample of the conversations goes through caches in miniature, one with the policies that serve
 * and one for each shadow; the difference between their hits is the regret.
 */
package io.orbitkv.manager.shadow;
