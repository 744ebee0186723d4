package io.orbitkv.api.policy;

/**
 * Ranks pages for eviction. The kernel picks candidates (coldest leaves of each class and a seeded
 * sample) ahead of need and evicts the lowest leaf first; it keeps its own LRU as fallback.
 */
public non-sealed interface RetentionPolicy extends Policy {
  /**
   * Policy thread. Inserts, uses and removals since the last call.
   *
   * @param events owned by the caller, valid during the call
   */
  void observe(PageEvents events);

  /**
   * Policy thread. Scores candidates; the lowest leaves first.
   *
   * @param candidates owned by the caller, valid during the call
   * @param scores filled by the policy, entry {@code i} for candidate {@code i}; has at least as
   *     many entries
   */
  void score(PageBatch candidates, long[] scores);
}
