package io.orbitkv.kernel.recovery;

import io.orbitkv.api.page.GroupRule;

/**
 * What a lease promises of one group.
 *
 * @param group the group
 * @param rule why just these pages
 * @param domain the number of the key space that they were looked for in
 * @param firstPage number of the first page: counted from the first token of the prompt where a
 *     boundary was selected, from the first key of the question otherwise
 * @param pages how many consecutive pages
 * @param keyDigest digest of their keys, in order; see {@link KeyDigest}
 */
public record CertifiedGroup(
    int group, GroupRule rule, int domain, int firstPage, int pages, long keyDigest) {}
