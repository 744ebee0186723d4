package io.orbitkv.model;

/**
 * How a tier asks for victims; the kernel's figures in pages of 64 tokens by default.
 *
 * @param candidates most candidates of a question
 * @param coldestShare share of them that are the coldest leaves; the rest is a sample of all leaves
 * @param victimShare share of the scored that become victims
 * @param parentFollows whether the page before a victim takes its place at once when it became a
 *     leaf thereby and was used when the victim was and as often; otherwise it waits for the next
 *     question. Where conversations are few and long, each has one leaf: without this a share of
 *     the leaves is one page of every other conversation, and even scores by last use keep less
 *     than the order of last use does
 * @param ahead whether it asks between the steps of requests alone, once the tier is nearly full,
 *     and makes do with what it has, or with the coldest page, in the middle of one: as the kernel
 *     does, which waits for no policy. Where victims seldom run out both come to the same
 */
public record VictimRule(
    int candidates, double coldestShare, double victimShare, boolean parentFollows, boolean ahead) {
  /** Candidates of the kernel. */
  public static final int KERNEL_CANDIDATES = 1024;

  private static final int KERNEL_PAGE_TOKENS = 64;

  /** The kernel's rule for pages of so many tokens: the same share of the pool a question. */
  public static VictimRule kernel(int pageTokens) {
    int candidates = Math.max(16, KERNEL_CANDIDATES * KERNEL_PAGE_TOKENS / pageTokens);
    return new VictimRule(Math.min(candidates, 4 * KERNEL_CANDIDATES), 0.5, 0.25, true, false);
  }

  /** The kernel's rule and times, for a run whose requests and questions do not overlap. */
  public static VictimRule lockstep() {
    return new VictimRule(KERNEL_CANDIDATES, 0.5, 0.25, true, true);
  }

  /** The same with other times. */
  public VictimRule betweenRequests(boolean alone) {
    return new VictimRule(candidates, coldestShare, victimShare, parentFollows, alone);
  }

  /** The same of a cache that is smaller by a share: a question is about the same share of it. */
  public VictimRule scaled(double share) {
    int fewer = Math.max(16, (int) Math.round(candidates * share));
    return new VictimRule(
        Math.min(candidates, fewer), coldestShare, victimShare, parentFollows, ahead);
  }

  /** With fewer victims left than that, the kernel asks for more. */
  int fewVictims() {
    return candidates / 8;
  }
}
