package io.orbitkv.api.policy;

/** A bounded memory of how often keys were touched. Policy thread. */
public interface History {
  /**
   * Counts a touch.
   *
   * @return how often the key was touched since it was last forgotten, this touch included
   */
  int touch(long id);

  /** How often the key was touched since it was last forgotten; 0 when it is not remembered. */
  int count(long id);
}
