package io.orbitkv.manager.experiment;

import io.orbitkv.manager.settings.ConfigNode;
import io.orbitkv.manager.settings.Place;
import java.util.ArrayList;
import java.util.List;

/** Sets single keys of a configuration; none is changed in place. */
public final class ConfigurationEdit {
  private ConfigurationEdit() {}

  /**
   * A configuration with one key set.
   *
   * @param section that the key is in
   * @param value with the place that messages shall name
   */
  public static ConfigNode.Mapping with(
      ConfigNode.Mapping root, String section, String key, ConfigNode value) {
    ConfigNode.Mapping below =
        root.entry(section).map(ConfigNode.Entry::value).orElse(null)
                instanceof ConfigNode.Mapping mapping
            ? mapping
            : ConfigNode.Mapping.empty(value.place());
    return set(root, section, set(below, key, value));
  }

  /** A value that a flag gave. */
  public static ConfigNode flag(String flag, String text) {
    return new ConfigNode.Scalar(Place.flag(flag), text, true);
  }

  /** Values that a flag gave. */
  public static ConfigNode flags(String flag, List<String> texts) {
    return new ConfigNode.Sequence(
        Place.flag(flag), texts.stream().map(text -> flag(flag, text)).toList());
  }

  private static ConfigNode.Mapping set(ConfigNode.Mapping section, String key, ConfigNode value) {
    List<ConfigNode.Entry> entries = new ArrayList<>();
    section.entries().stream().filter(entry -> !entry.key().equals(key)).forEach(entries::add);
    entries.add(new ConfigNode.Entry(key, value.place(), value));
    return new ConfigNode.Mapping(section.place(), entries);
  }
}
