package io.orbitkv.api.policy;

import java.util.List;

/**
 * Chooses requests to prepare: their pages are read into host memory and held for them. The kernel
 * keeps the speculative quarter, the limit of four preparations and their expiry whatever the
 * policy asks for.
 */
public non-sealed interface LookaheadPolicy extends Policy {
  /**
   * Policy thread. The accepted queue changed.
   *
   * @param queue accepted requests in arrival order
   * @return indices into {@code queue} in order of preference; others lose their preparation
   */
  List<Integer> prepare(List<RequestFacts> queue);
}
