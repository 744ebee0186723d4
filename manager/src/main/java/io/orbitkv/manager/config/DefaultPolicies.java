package io.orbitkv.manager.config;

import io.orbitkv.api.policy.PolicySlot;
import io.orbitkv.manager.plugin.PluginHost;
import io.orbitkv.manager.settings.ConfigNode;
import io.orbitkv.manager.settings.Place;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * What {@code default} means in each slot: the policy that measurement favours, from its plugin,
 * and without that plugin what is built in. Every policy named here comes with OrbitKV.
 */
public final class DefaultPolicies {
  private DefaultPolicies() {}

  /** The policy of a slot, if its default is one. */
  public static Optional<String> of(PolicySlot slot) {
    return switch (slot) {
      case RETENTION_DRAM, RETENTION_SSD -> Optional.of("return-density");
      case CUTOFF -> Optional.of("restore-or-recompute");
      case ADMISSION_DRAM, ADMISSION_SSD -> Optional.of("write-adaptive");
      case ADMISSION_PROMOTE, LOOKAHEAD, WARMING -> Optional.empty();
    };
  }

  /**
   * Slots that run what is built in because the plugin of their default is not there, each with the
   * policy that is missing.
   *
   * @param named what the configuration names
   * @param host plugins that were started
   */
  public static List<String> missing(List<PolicyChoice> named, PluginHost host) {
    List<String> missing = new ArrayList<>();
    for (PolicySlot slot : PolicySlot.values()) {
      if (named.stream().allMatch(choice -> choice.slot() != slot || choice.isDefault())) {
        of(slot)
            .filter(name -> !offered(slot, name, host))
            .ifPresent(name -> missing.add(slot.key() + ": " + name));
      }
    }
    return missing;
  }

  /**
   * What the configuration names, and the default of each slot that it leaves out or calls {@code
   * default}, as far as its plugin is there.
   */
  public static List<PolicyChoice> completed(List<PolicyChoice> named, PluginHost host) {
    List<PolicyChoice> all = new ArrayList<>();
    for (PolicySlot slot : PolicySlot.values()) {
      List<PolicyChoice> own = named.stream().filter(choice -> choice.slot() == slot).toList();
      boolean byDefault = own.isEmpty() || (own.size() == 1 && own.getFirst().isDefault());
      Optional<String> name = of(slot).filter(policy -> offered(slot, policy, host));
      if (byDefault && name.isPresent() && settingsOf(own).entries().isEmpty()) {
        all.add(new PolicyChoice(slot, name.get(), settingsOf(own), settingsOf(own).place()));
      } else {
        all.addAll(own);
      }
    }
    return all;
  }

  private static ConfigNode.Mapping settingsOf(List<PolicyChoice> own) {
    return own.isEmpty()
        ? ConfigNode.Mapping.empty(new Place("default", 0, 0))
        : own.getFirst().settings();
  }

  private static boolean offered(PolicySlot slot, String name, PluginHost host) {
    return host.policy(name).filter(one -> one.factory().slots().contains(slot)).isPresent();
  }
}
