package io.orbitkv.workload.policy;

/**
 * What a policy kept, as the median of its runs.
 *
 * @param name of the policy
 * @param prefixHitRatio pages of prefix hits as a share of all pages
 * @param gapClosed share of the gap between the order of last use and the clairvoyant bound
 * @param spread between the best and the worst run
 * @param ssdWrittenBytes written to the backing tier
 */
public record PolicyFigures(
    String name, double prefixHitRatio, double gapClosed, double spread, long ssdWrittenBytes) {}
