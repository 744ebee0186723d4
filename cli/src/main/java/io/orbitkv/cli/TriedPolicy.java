package io.orbitkv.cli;

import io.orbitkv.api.policy.PolicySlot;
import io.orbitkv.manager.plugin.Capability;
import io.orbitkv.manager.plugin.PluginInfo;
import io.orbitkv.workload.policy.BenchedPolicy;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The policy of a zip that is not installed.
 *
 * @param plugin that offers it
 * @param policy its name
 * @param slots that it can serve in
 */
record TriedPolicy(PluginInfo plugin, String policy, Set<PolicySlot> slots) {
  TriedPolicy {
    slots = PolicySlot.setOf(slots);
  }

  /**
   * Finds it among what was loaded.
   *
   * @param name of one of the policies; null when there is but one
   */
  static TriedPolicy of(BenchPolicies loaded, Path zip, @Nullable String name) {
    String file = String.valueOf(zip.getFileName());
    PluginInfo plugin =
        loaded.host().plugins().stream()
            .filter(each -> each.file().equals(file))
            .findFirst()
            .orElseThrow(() ->
                CommandException.usage("plugin [" + zip + "] is not loaded: see 'plugins verify'"));
    List<Capability> policies =
        plugin.capabilities().stream()
            .filter(each -> each.kind() == Capability.Kind.POLICY)
            .filter(each -> name == null || each.name().equals(name))
            .toList();
    if (policies.size() != 1) {
      List<String> there =
          plugin.capabilities().stream()
              .filter(each -> each.kind() == Capability.Kind.POLICY)
              .map(Capability::name)
              .toList();
      throw CommandException.usage(
          there.isEmpty()
              ? "plugin [" + plugin.id() + "] offers no policy"
              : name == null
                  ? "plugin [" + plugin.id() + "] offers " + there + ": name one with --policy"
                  : "plugin ["
                      + plugin.id()
                      + "] offers no policy ["
                      + name
                      + "]: there are "
                      + there);
    }
    Capability policy = policies.getFirst();
    Set<PolicySlot> slots = EnumSet.noneOf(PolicySlot.class);
    policy.slots().forEach(key -> slots.add(slot("", key)));
    return new TriedPolicy(plugin, policy.name(), slots);
  }

  /**
   * A slot by its key.
   *
   * @param option that named it
   */
  static PolicySlot slot(String option, String key) {
    List<String> keys = new ArrayList<>();
    for (PolicySlot slot : PolicySlot.values()) {
      if (slot.key().equals(key)) {
        return slot;
      }
      keys.add(slot.key());
    }
    throw CommandException.usage(option + " [" + key + "] is no slot: there are " + keys);
  }

  /** The slots of a role, or of a slot's key, that it can serve in. */
  Set<PolicySlot> in(String option, String role) {
    Set<PolicySlot> chosen = EnumSet.noneOf(PolicySlot.class);
    boolean known = false;
    for (PolicySlot slot : PolicySlot.values()) {
      boolean named = slot.key().equals(role) || slot.key().startsWith(role + ".");
      known |= named;
      if (named && slots.contains(slot)) {
        chosen.add(slot);
      }
    }
    if (!known) {
      throw CommandException.usage(
          option
              + " ["
              + role
              + "] is neither a role ("
              + ProjectRole.keys()
              + ") nor a slot such as admission.ssd");
    }
    if (chosen.isEmpty()) {
      throw CommandException.usage(
          "policy ["
              + policy
              + "] does not serve in ["
              + role
              + "]: it serves in "
              + slots.stream().map(PolicySlot::key).toList());
    }
    return chosen;
  }

  /** Makes it, with settings by key. */
  BenchedPolicy benched(BenchPolicies loaded, Map<String, String> settings) {
    Map<String, String> own = new LinkedHashMap<>();
    settings.forEach((key, value) -> own.put(policy + "." + key, value));
    PolicySlot any = slots.iterator().next();
    return loaded.of(any, List.of(policy), own).getFirst();
  }
}
