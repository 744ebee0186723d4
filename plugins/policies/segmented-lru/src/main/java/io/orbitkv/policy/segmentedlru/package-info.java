/** The policy {@code segmented-lru}. */
package io.orbitkv.policy.segmentedlru;
