package io.orbitkv.manager.policy;

/** Says which variant a request belongs to while both serve at once. Dispatcher. */
@FunctionalInterface
public interface ArmRouter {
  /**
   * Whether it is one of B.
   *
   * @param instance name of the engine instance
   * @param unitHash draw of the chain's root, in [0, 1)
   */
  boolean ofB(String instance, double unitHash);
}
