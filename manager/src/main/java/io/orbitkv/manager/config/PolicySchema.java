package io.orbitkv.manager.config;

import io.orbitkv.api.policy.PolicySlot;
import io.orbitkv.manager.plugin.Capability;
import io.orbitkv.manager.plugin.PluginInfo;
import io.orbitkv.manager.policy.ShadowPlan;
import io.orbitkv.manager.settings.SettingInfo;
import io.orbitkv.manager.settings.SettingsSchema;
import java.util.ArrayList;
import java.util.List;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * The section {@code policies} as JSON schema: each slot takes the name of a built-in or of a
 * policy that a plugin offers for it, or an object with that one name and its settings.
 */
final class PolicySchema {
  private final List<PluginInfo> plugins;

  PolicySchema(List<PluginInfo> plugins) {
    this.plugins = plugins;
  }

  void put(ObjectNode section) {
    ConfigCommands.section(section);
    for (PolicySlot slot : PolicySlot.values()) {
      ObjectNode properties = properties(section);
      String[] parts = slot.key().split("\\.", -1);
      if (parts.length == 2) {
        ObjectNode below = (ObjectNode) properties.get(parts[0]);
        if (below == null) {
          below = properties.putObject(parts[0]);
          ConfigCommands.section(below);
        }
        properties = properties(below);
      }
      ObjectNode node = properties.putObject(parts[parts.length - 1]);
      put(slot, node);
    }
    putShadows(properties(section).putObject(ShadowChoices.NAME));
    ObjectNode journal = properties(section).putObject("journal");
    ConfigCommands.section(journal);
    for (SettingInfo setting : SettingsSchema.of(JournalSection.class)) {
      ConfigCommands.property(properties(journal).putObject(setting.key()), setting);
    }
  }

  private void putShadows(ObjectNode section) {
    ConfigCommands.section(section);
    for (SettingInfo setting : SettingsSchema.of(ShadowSection.class)) {
      ConfigCommands.property(properties(section).putObject(setting.key()), setting);
    }
    for (PolicySlot slot : ShadowPlan.SLOTS) {
      String[] parts = slot.key().split("\\.", -1);
      ObjectNode below = (ObjectNode) properties(section).get(parts[0]);
      if (below == null) {
        below = properties(section).putObject(parts[0]);
        ConfigCommands.section(below);
      }
      ArrayNode forms = properties(below).putObject(parts[1]).putArray("anyOf");
      List<Capability> offered = offered(slot);
      putOne(offered, forms);
      ObjectNode list = forms.addObject();
      list.put("type", "array");
      list.put("maxItems", ShadowPlan.MOST_OF_A_SLOT);
      putOne(offered, list.putObject("items").putArray("anyOf"));
    }
  }

  private List<Capability> offered(PolicySlot slot) {
    List<Capability> offered = new ArrayList<>();
    for (PluginInfo plugin : plugins) {
      for (Capability capability : plugin.capabilities()) {
        if (capability.kind() == Capability.Kind.POLICY
            && capability.slots().contains(slot.key())) {
          offered.add(capability);
        }
      }
    }
    return offered;
  }

  private void put(PolicySlot slot, ObjectNode node) {
    List<Capability> offered = offered(slot);
    ArrayNode forms = node.putArray("anyOf");
    putOne(offered, forms);
    if (slot == PolicySlot.CUTOFF) {
      ObjectNode list = forms.addObject();
      list.put("type", "array");
      putOne(offered, list.putObject("items").putArray("anyOf"));
    }
  }

  private static void putOne(List<Capability> offered, ArrayNode forms) {
    ObjectNode name = forms.addObject();
    name.put("type", "string");
    ArrayNode examples = name.putArray("examples");
    examples.add(PolicyChoice.DEFAULT).add(PolicyChoice.NONE);
    ObjectNode configured = forms.addObject();
    configured.put("type", "object");
    configured.put("minProperties", 1);
    configured.put("maxProperties", 1);
    ObjectNode policies = configured.putObject("properties");
    for (Capability capability : offered) {
      examples.add(capability.name());
      ObjectNode settings = policies.putObject(capability.name());
      ConfigCommands.section(settings);
      for (SettingInfo setting : capability.settings()) {
        ConfigCommands.property(properties(settings).putObject(setting.key()), setting);
      }
    }
  }

  private static ObjectNode properties(ObjectNode section) {
    return (ObjectNode) section.get("properties");
  }
}
