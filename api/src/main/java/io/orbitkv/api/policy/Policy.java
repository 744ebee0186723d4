package io.orbitkv.api.policy;

/**
 * What all policies have in common. All methods of one policy instance are called by one thread,
 * one after another. A plugin that names one policy in several slots gets one instance, so state is
 * shared.
 */
public sealed interface Policy
    permits AdmissionPolicy, CutoffPolicy, LookaheadPolicy, RetentionPolicy, WarmingPolicy {
  /**
   * A timer of {@link PolicyContext#schedule} went off.
   *
   * @param token what was given to {@code schedule}
   */
  default void onTimer(long token) {}

  /**
   * On a swap the new policy receives the residents in slices of at most 4,096 pages while the old
   * one still serves.
   *
   * @param residents owned by the caller, valid during the call
   */
  default void adopt(PageBatch residents) {}
}
