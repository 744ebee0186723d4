package io.orbitkv.manager.config;

import io.orbitkv.api.policy.PolicySlot;
import io.orbitkv.manager.settings.BoundValue;
import io.orbitkv.manager.settings.ConfigNode;
import io.orbitkv.manager.settings.Nearest;
import io.orbitkv.manager.settings.Origin;
import io.orbitkv.manager.settings.Problems;
import io.orbitkv.manager.settings.SettingsBinder;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Reads {@code policies}: a name, or {@code {name: {settings}}}, in each slot; a list of them for
 * {@code cutoff}; and how their decisions are kept.
 */
final class PolicyChoices {
  static final String KEY = "policies";
  private static final String JOURNAL = "journal";

  private final Problems problems;
  private final List<PolicyChoice> choices = new ArrayList<>();
  private final List<BoundValue> journalValues = new ArrayList<>();
  private JournalSection journal = JournalSection.DEFAULT;
  private ShadowChoices shadows = new ShadowChoices(ShadowSection.DEFAULT, List.of(), List.of());

  private PolicyChoices(Problems problems) {
    this.problems = problems;
  }

  static PolicyChoices of(ConfigNode.Mapping policies, Problems problems) {
    PolicyChoices reader = new PolicyChoices(problems);
    reader.level(policies, KEY, slots());
    reader.journal(policies.entry(JOURNAL));
    reader.shadows = ShadowChoices.of(policies.entry(ShadowChoices.NAME), problems);
    return reader;
  }

  /**
   * What is named for one slot.
   *
   * @param slot with its key as the one entry
   */
  static List<PolicyChoice> of(PolicySlot slot, ConfigNode.Mapping named, Problems problems) {
    PolicyChoices reader = new PolicyChoices(problems);
    for (ConfigNode.Entry entry : named.entries()) {
      reader.slot(slot, entry.value(), KEY + "." + slot.key());
    }
    if (reader.choices.isEmpty() && !problems.concern(KEY)) {
      problems.add(
          named.place(), KEY + "." + slot.key(), "names no policy: write none for the default");
    }
    return reader.choices();
  }

  /** What stands for one policy at a place. */
  static List<PolicyChoice> one(PolicySlot slot, ConfigNode node, String key, Problems problems) {
    PolicyChoices reader = new PolicyChoices(problems);
    if (node instanceof ConfigNode.Sequence nested) {
      problems.add(nested.place(), key, "a list stands in a list: write [a, b]");
    } else {
      reader.slot(slot, node, key);
    }
    return reader.choices();
  }

  /** What is named, in the order of the slots. */
  List<PolicyChoice> choices() {
    return choices.stream().sorted(Comparator.comparing(PolicyChoice::slot)).toList();
  }

  /** How much of the decisions is kept. */
  JournalSection journal() {
    return journal;
  }

  /** What runs in miniature beside it. */
  ShadowChoices shadows() {
    return shadows;
  }

  /** Every slot with what serves in it, the journal and the shadows, for {@code config show}. */
  List<ShownValue> shown() {
    List<ShownValue> shown = new ArrayList<>();
    for (PolicySlot slot : PolicySlot.values()) {
      shown.add(shown(slot, choices.stream().filter(choice -> choice.slot() == slot).toList()));
    }
    for (BoundValue value : journalValues) {
      shown.add(new ShownValue(value.info().key(), value.text(), value.origin(), value.text(), ""));
    }
    shown.addAll(shadows.shown());
    return shown;
  }

  private static ShownValue shown(PolicySlot slot, List<PolicyChoice> named) {
    String key = KEY + "." + slot.key();
    List<String> names = named.stream().map(PolicyChoice::name).toList();
    String value =
        named.isEmpty()
            ? PolicyChoice.DEFAULT
            : named.size() == 1 ? names.getFirst() : "[" + String.join(", ", names) + "]";
    Origin origin = named.isEmpty() ? new Origin.Default() : Origin.of(named.getFirst().place());
    boolean builtIn = named.isEmpty() || named.getFirst().builtIn();
    return builtIn
        ? new ShownValue(key, value, origin, "built in", meaning(slot, value))
        : new ShownValue(key, value, origin, value, "");
  }

  private static String meaning(PolicySlot slot, String value) {
    return DefaultPolicies.of(slot)
        .filter(_ -> value.equals(PolicyChoice.DEFAULT))
        .map(name -> name + ", and where its plugin is missing " + builtIn(slot))
        .orElseGet(() -> builtIn(slot));
  }

  private static String builtIn(PolicySlot slot) {
    return switch (slot) {
      case LOOKAHEAD -> "nothing is prepared but what engines ask for";
      case WARMING -> "nothing is warmed but what engines ask for";
      case CUTOFF -> "the limits of query.read-*";
      case ADMISSION_DRAM, ADMISSION_SSD, ADMISSION_PROMOTE -> "everything is admitted";
      case RETENTION_DRAM -> "what was used least recently goes first";
      case RETENTION_SSD -> "the store's own order";
    };
  }

  private void journal(Optional<ConfigNode.Entry> entry) {
    ConfigNode.Mapping section = null;
    if (entry.isPresent()) {
      ConfigNode value = entry.get().value();
      if (value instanceof ConfigNode.Mapping mapping) {
        section = mapping;
      } else if (!(value instanceof ConfigNode.Scalar scalar) || !scalar.absent()) {
        problems.add(
            value.place(),
            KEY + "." + JOURNAL,
            value.kind() + " stands where a section with keys is expected");
      }
    }
    SettingsBinder binder = new SettingsBinder(Map.of(), problems);
    JournalSection bound = binder.section(JournalSection.class, section, KEY + "." + JOURNAL + ".");
    journalValues.addAll(binder.values());
    if (bound != null) {
      journal = bound;
    }
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
      if (below.equals(KEY + "." + JOURNAL) || below.equals(ShadowChoices.KEY)) {
        continue;
      }
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
