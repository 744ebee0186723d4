package io.orbitkv.api.page;

/**
 * One group of layers that share pages, keys and a recovery rule.
 *
 * @param id dense, from 0; group 0 always has the {@link GroupRule.Prefix} rule
 * @param rule what recovery needs of this group
 */
public record GroupSpec(int id, GroupRule rule) {
  /** Largest number of groups of one model. */
  public static final int MAX_GROUPS = 16;

  /**
   * @throws IllegalArgumentException when the id is out of range or group 0 is not a prefix group
   */
  public GroupSpec {
    if (id < 0 || id >= MAX_GROUPS) {
      throw new IllegalArgumentException("group id [" + id + "] is outside 0.." + (MAX_GROUPS - 1));
    }
    if (id == 0 && !(rule instanceof GroupRule.Prefix)) {
      throw new IllegalArgumentException(
          "group 0 has the rule [" + rule + "]: it must be a prefix group");
    }
  }
}
