package io.orbitkv.manager.policy;

import io.orbitkv.api.policy.PolicySlot;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/**
 * What serves in each policy slot: the kernel's own built-in, or a runner. Owner (the dispatcher's
 * side), but for {@link #status}.
 */
public final class PolicySlots implements AutoCloseable {
  /** Name of a slot that does nothing. */
  public static final String NONE = "none";

  /** Name of the kernel's own order of eviction. */
  public static final String LRU = "lru";

  private final Map<PolicySlot, String> builtIns = new EnumMap<>(PolicySlot.class);
  private final Map<PolicySlot, PolicyRunner<?>> runners = new EnumMap<>(PolicySlot.class);

  /**
   * All slots with their built-in.
   *
   * @param named what the configuration names; a slot that it does not name evicts the least
   *     recently used page in host memory and does nothing elsewhere
   */
  public PolicySlots(Map<PolicySlot, String> named) {
    for (PolicySlot slot : PolicySlot.values()) {
      builtIns.put(slot, slot == PolicySlot.RETENTION_DRAM ? LRU : NONE);
    }
    builtIns.putAll(named);
  }

  /** Boot thread. A runner serves in the slot from now on; the slots own it. */
  public void serve(PolicySlot slot, PolicyRunner<?> runner) {
    runners.put(slot, runner);
  }

  /** Owner. Lets every runner hand out advice and defaults. */
  public void advance(long nowNanos) {
    for (PolicyRunner<?> runner : runners.values()) {
      runner.advance(nowNanos);
    }
  }

  /** Any thread. All slots, in order. */
  public List<PolicyStatus> status() {
    List<PolicyStatus> all = new ArrayList<>();
    for (PolicySlot slot : PolicySlot.values()) {
      PolicyRunner<?> runner = runners.get(slot);
      all.add(
          runner == null
              ? PolicyStatus.builtIn(slot.key(), builtIns.getOrDefault(slot, NONE))
              : runner.status(slot.key()));
    }
    return all;
  }

  /** Owner. Ends every runner. */
  @Override
  public void close() {
    for (PolicyRunner<?> runner : runners.values()) {
      runner.close();
    }
  }
}
