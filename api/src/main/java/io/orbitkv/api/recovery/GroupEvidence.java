package io.orbitkv.api.recovery;

/**
 * The pages of one group that one rank or shard found inside a span.
 *
 * @param group the group
 * @param pageEnds the token after the last one of each page that is present, strictly ascending.
 *     Not copied: whoever made the evidence leaves the array alone from then on. Checked by {@link
 *     RecoveryContract#boundaries}, which knows the size of a page.
 */
public record GroupEvidence(int group, int[] pageEnds) {}
