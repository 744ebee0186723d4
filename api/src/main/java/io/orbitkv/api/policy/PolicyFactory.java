package io.orbitkv.api.policy;

import java.util.Set;
import java.util.function.BiFunction;

/**
 * Makes instances of one policy.
 *
 * @param name the name in the configuration, lower case with dashes
 * @param slots where it can serve
 * @param settings a record whose components carry {@link io.orbitkv.api.settings.Setting}
 * @param replayable whether equal facts, clock and seed give equal decisions; {@code sim} refuses a
 *     policy that is not
 * @param create policy thread: makes an instance; an exception is reported by the policy's name and
 *     the slot runs its default
 * @param <S> the settings record
 */
public record PolicyFactory<S extends Record>(
    String name,
    Set<PolicySlot> slots,
    Class<S> settings,
    boolean replayable,
    BiFunction<S, PolicyContext, ? extends Policy> create) {
  /**
   * @throws IllegalArgumentException when the name has another form or there is no slot
   */
  public PolicyFactory {
    if (!name.matches("[a-z][a-z0-9]*(-[a-z0-9]+)*")) {
      throw new IllegalArgumentException(
          "policy name [" + name + "] must be lower case letters, digits and dashes");
    }
    if (slots.isEmpty()) {
      throw new IllegalArgumentException("policy [" + name + "] serves in no slot");
    }
    slots = java.util.Collections.unmodifiableSet(new java.util.TreeSet<>(slots));
  }
}
