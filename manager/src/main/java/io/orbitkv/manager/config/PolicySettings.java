package io.orbitkv.manager.config;

import io.orbitkv.api.policy.PolicySlot;
import io.orbitkv.manager.settings.ConfigException;
import io.orbitkv.manager.settings.ConfigNode;
import io.orbitkv.manager.settings.Place;
import io.orbitkv.manager.settings.Problems;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Settings of one policy that come from elsewhere than the configuration file. */
public final class PolicySettings {
  private PolicySettings() {}

  /**
   * Reads settings in YAML: what would stand below the policy's name in the configuration.
   *
   * @param source what messages call the text
   * @throws ConfigException when it is not a section in YAML
   */
  public static ConfigNode.Mapping yaml(String source, String text) {
    return YamlReader.parse(source, text.getBytes(StandardCharsets.UTF_8));
  }

  /** Settings by key, as a command line gives them. */
  public static ConfigNode.Mapping pairs(Map<String, String> pairs) {
    List<ConfigNode.Entry> entries = new ArrayList<>();
    pairs.forEach((key, text) -> {
      Place place = Place.flag(key + "=" + text);
      entries.add(new ConfigNode.Entry(key, place, value(place, text)));
    });
    return new ConfigNode.Mapping(Place.flag("the command line"), entries);
  }

  /**
   * Reads what would stand behind a slot in the configuration.
   *
   * @param source what messages call the text
   * @param text one line
   * @throws ConfigException when it names no policies, or more than the slot takes
   */
  public static List<PolicyChoice> value(PolicySlot slot, String source, String text) {
    ConfigNode.Mapping parsed = yaml(source, slot.key() + ": " + text.replace('\n', ' '));
    Problems problems = new Problems();
    List<PolicyChoice> choices = PolicyChoices.of(slot, parsed, problems);
    problems.throwIfAny();
    return choices;
  }

  private static ConfigNode value(Place place, String text) {
    String form = text.strip();
    if (!form.startsWith("[") || !form.endsWith("]")) {
      return new ConfigNode.Scalar(place, text, true);
    }
    List<ConfigNode> items = new ArrayList<>();
    for (String item : form.substring(1, form.length() - 1).split(",", -1)) {
      if (!item.isBlank()) {
        items.add(new ConfigNode.Scalar(place, item.strip(), true));
      }
    }
    return new ConfigNode.Sequence(place, items);
  }
}
