package io.orbitkv.manager.experiment;

import io.orbitkv.manager.settings.ConfigNode;
import tools.jackson.databind.json.JsonMapper;

/** A configuration as JSON, which every reader of YAML reads. */
public final class ConfigurationText {
  private ConfigurationText() {}

  /** The text of a node: equal nodes have equal texts, wherever they were written. */
  public static String of(ConfigNode node) {
    StringBuilder text = new StringBuilder();
    write(node, text, "\n");
    return text.toString();
  }

  private static void write(ConfigNode node, StringBuilder text, String newLine) {
    switch (node) {
      case ConfigNode.Scalar scalar ->
          text.append(scalar.absent() ? "null" : quoted(scalar.text()));
      case ConfigNode.Sequence sequence -> {
        String between = "";
        text.append('[');
        for (ConfigNode item : sequence.items()) {
          text.append(between);
          write(item, text, newLine + "  ");
          between = ", ";
        }
        text.append(']');
      }
      case ConfigNode.Mapping mapping -> {
        String below = newLine + "  ";
        String between = below;
        text.append('{');
        for (ConfigNode.Entry entry : mapping.entries()) {
          text.append(between).append(quoted(entry.key())).append(": ");
          write(entry.value(), text, below);
          between = "," + below;
        }
        text.append(mapping.entries().isEmpty() ? "}" : newLine + "}");
      }
    }
  }

  private static String quoted(String text) {
    return JsonMapper.shared().writeValueAsString(text);
  }
}
