package io.orbitkv.api.recovery;

import io.orbitkv.api.page.GroupRule;
import io.orbitkv.api.page.GroupSpec;
import java.util.EnumSet;
import java.util.List;

/**
 * What one group holds and what recovery needs of it.
 *
 * <p>An engine that counts the next query token inside its window of W tokens has a past of W − 1
 * tokens, and that is the number to declare; a window without a past is no group of its own.
 *
 * @param group the group, as in {@link GroupSpec}
 * @param components what its pages hold, each once; all of them are sealed together. In the order
 *     of {@link StateComponent}, whatever order was given.
 * @param rule which pages must be present; each component must allow it
 */
public record GroupContract(int group, List<StateComponent> components, GroupRule rule) {
  /**
   * @throws IllegalArgumentException when the group is out of range, group 0 is not a prefix group,
   *     no component is named, one is named twice, or one does not allow the rule
   */
  public GroupContract {
    // The bounds of the id, and that group 0 is a prefix group, are the specification's to check.
    new GroupSpec(group, rule);
    if (components.isEmpty()) {
      throw new IllegalArgumentException(
          "group [" + group + "] has no components: name what its pages hold");
    }
    EnumSet<StateComponent> distinct = EnumSet.noneOf(StateComponent.class);
    for (StateComponent component : components) {
      if (!distinct.add(component)) {
        throw new IllegalArgumentException(
            "group [" + group + "] names the component [" + component + "] twice");
      }
      if (!component.allows(rule)) {
        throw new IllegalArgumentException(
            "group ["
                + group
                + "] holds ["
                + component
                + "], which the rule ["
                + rule
                + "] does not recover");
      }
    }
    components = List.copyOf(distinct);
  }

  /** The group as it is registered: without its components. */
  public GroupSpec spec() {
    return new GroupSpec(group, rule);
  }

  /** A group whose registration names no components: it holds what its rule suggests. */
  public static GroupContract of(GroupSpec spec) {
    return new GroupContract(
        spec.id(), List.of(StateComponent.suggestedBy(spec.rule())), spec.rule());
  }
}
