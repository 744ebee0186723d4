package io.orbitkv.manager.experiment;

import io.orbitkv.api.policy.PolicySlot;
import io.orbitkv.manager.settings.ConfigNode;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Merge patches (RFC 7396) on {@code policies}: a section is merged, {@code null} takes a key away,
 * anything else replaces. A slot is replaced whole: two policies in it would be no configuration.
 */
public final class PolicyPatch {
  private static final Set<String> SLOTS =
      Arrays.stream(PolicySlot.values()).map(PolicySlot::key).collect(Collectors.toSet());

  private PolicyPatch() {}

  /** The policies after the patch; neither argument is changed. */
  public static ConfigNode.Mapping apply(ConfigNode.Mapping policies, ConfigNode.Mapping patch) {
    return apply(policies, patch, "");
  }

  private static ConfigNode.Mapping apply(
      ConfigNode.Mapping below, ConfigNode.Mapping patch, String key) {
    List<ConfigNode.Entry> merged = new ArrayList<>();
    for (ConfigNode.Entry entry : below.entries()) {
      if (patch.entry(entry.key()).isEmpty()) {
        merged.add(entry);
      }
    }
    for (ConfigNode.Entry change : patch.entries()) {
      String path = key.isEmpty() ? change.key() : key + "." + change.key();
      switch (change.value()) {
        case ConfigNode.Scalar scalar when scalar.absent() -> {}
        case ConfigNode.Mapping section when !SLOTS.contains(path) ->
            merged.add(
                new ConfigNode.Entry(
                    change.key(),
                    change.keyPlace(),
                    apply(under(below, change.key(), section), section, path)));
        case ConfigNode.Scalar _, ConfigNode.Sequence _, ConfigNode.Mapping _ -> merged.add(change);
      }
    }
    return new ConfigNode.Mapping(below.place(), merged);
  }

  private static ConfigNode.Mapping under(
      ConfigNode.Mapping below, String key, ConfigNode.Mapping patch) {
    Optional<ConfigNode> value = below.entry(key).map(ConfigNode.Entry::value);
    return value.isPresent() && value.get() instanceof ConfigNode.Mapping mapping
        ? mapping
        : ConfigNode.Mapping.empty(patch.place());
  }

  /** Slots that differ between two sections {@code policies}. */
  public static Set<PolicySlot> differing(ConfigNode.Mapping one, ConfigNode.Mapping other) {
    Set<PolicySlot> differing = EnumSet.noneOf(PolicySlot.class);
    for (PolicySlot slot : PolicySlot.values()) {
      if (!text(one, slot).equals(text(other, slot))) {
        differing.add(slot);
      }
    }
    return differing;
  }

  private static String text(ConfigNode.Mapping policies, PolicySlot slot) {
    ConfigNode node = policies;
    for (String part : slot.key().split("\\.", -1)) {
      Optional<ConfigNode.Entry> entry =
          node instanceof ConfigNode.Mapping mapping ? mapping.entry(part) : Optional.empty();
      if (entry.isEmpty()) {
        return "";
      }
      node = entry.get().value();
    }
    return ConfigurationText.of(node);
  }
}
