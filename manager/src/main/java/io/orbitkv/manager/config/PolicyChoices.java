package io.orbitkv.manager.config;

import io.orbitkv.api.policy.PolicySlot;
import io.orbitkv.manager.settings.ConfigNode;
import io.orbitkv.manager.settings.Nearest;
import io.orbitkv.manager.settings.Problems;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Reads {@code policies}: a name, or {@code {name: {settings}}}, in each slot; a list of them for
 * {@code cutoff}.
 */
final class PolicyChoices {
  private static final String KEY = "policies";

  private final Problems problems;
  private final List<PolicyChoice> choices = new ArrayList<>();

  private PolicyChoices(Problems problems) {
    this.problems = problems;
  }

  static List<PolicyChoice> of(ConfigNode.Mapping policies, Problems problems) {
    PolicyChoices reader = new PolicyChoices(problems);
    reader.level(policies, KEY, slots());
    return List.copyOf(reader.choices);
  }

  /** The slots as the tree that the configuration writes them in. */
  private static Map<String, Object> slots() {
    Map<String, Object> tree = new LinkedHashMap<>();
    for (PolicySlot slot : PolicySlot.values()) {
      String[] parts = slot.key().split("\\.", -1);
      if (parts.length == 1) {
        tree.put(parts[0], slot);
      } else {
        @SuppressWarnings("unchecked") // Only this method fills the tree.
        Map<String, Object> below =
            (Map<String, Object>) tree.computeIfAbsent(parts[0], _ -> new LinkedHashMap<>());
        below.put(parts[1], slot);
      }
    }
    return tree;
  }

  private void level(ConfigNode.Mapping section, String key, Map<String, Object> known) {
    for (ConfigNode.Entry entry : section.entries()) {
      String below = key + "." + entry.key();
      Object meant = known.get(entry.key());
      if (meant == null) {
        problems.add(
            entry.keyPlace(),
            below,
            "["
                + entry.key()
                + "] is not a slot: "
                + Nearest.suggestion(entry.key(), known.keySet()));
      } else if (meant instanceof PolicySlot slot) {
        slot(slot, entry.value(), below);
      } else if (entry.value() instanceof ConfigNode.Mapping mapping) {
        @SuppressWarnings("unchecked") // As slots() builds it.
        Map<String, Object> further = (Map<String, Object>) meant;
        level(mapping, below, further);
      } else {
        problems.add(
            entry.value().place(),
            below,
            entry.value().kind() + " stands where a section is expected, such as {dram: none}");
      }
    }
  }

  private void slot(PolicySlot slot, ConfigNode node, String key) {
    switch (node) {
      case ConfigNode.Scalar scalar when scalar.absent() ->
          problems.add(scalar.place(), key, "has no value: name a policy or write none");
      case ConfigNode.Scalar scalar ->
          choices.add(
              new PolicyChoice(
                  slot, scalar.text(), ConfigNode.Mapping.empty(scalar.place()), scalar.place()));
      case ConfigNode.Mapping mapping -> configured(slot, mapping, key);
      case ConfigNode.Sequence sequence -> {
        if (slot != PolicySlot.CUTOFF) {
          problems.add(sequence.place(), key, "takes one policy; only cutoff takes a list");
          return;
        }
        for (ConfigNode item : sequence.items()) {
          if (item instanceof ConfigNode.Sequence nested) {
            problems.add(nested.place(), key, "a list stands in a list: write [a, b]");
          } else {
            slot(slot, item, key);
          }
        }
      }
    }
  }

  private void configured(PolicySlot slot, ConfigNode.Mapping mapping, String key) {
    if (mapping.entries().size() != 1) {
      problems.add(
          mapping.place(), key, "names [" + mapping.entries().size() + "] policies, not one");
      return;
    }
    ConfigNode.Entry entry = mapping.entries().getFirst();
    switch (entry.value()) {
      case ConfigNode.Mapping settings ->
          choices.add(new PolicyChoice(slot, entry.key(), settings, entry.keyPlace()));
      case ConfigNode.Scalar scalar when scalar.absent() ->
          choices.add(
              new PolicyChoice(
                  slot, entry.key(), ConfigNode.Mapping.empty(scalar.place()), entry.keyPlace()));
      case ConfigNode.Scalar _, ConfigNode.Sequence _ ->
          problems.add(
              entry.value().place(),
              key + "." + entry.key(),
              entry.value().kind() + " stands where the policy's settings are expected");
    }
  }
}
