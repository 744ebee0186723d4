package io.orbitkv.manager.plugin;

import io.orbitkv.manager.settings.SettingInfo;
import io.orbitkv.manager.settings.TextTable;
import tools.jackson.databind.node.ObjectNode;

/**
 * Everything that is known of one plugin.
 *
 * @param plugin the plugin
 */
public record PluginDescription(PluginInfo plugin) {
  /** Text for people: what it is, what it offers and each setting with its limits. */
  public String text() {
    StringBuilder text = new StringBuilder();
    text.append(plugin.id()).append(' ').append(plugin.version());
    text.append(plugin.description().isEmpty() ? "" : ": " + plugin.description()).append('\n');
    line(text, "provider", plugin.provider());
    line(text, "state", plugin.status().name());
    line(text, "module", plugin.module());
    line(text, "api", plugin.requires());
    line(text, "needs", String.join(", ", plugin.dependencies()));
    line(text, "sha-256", plugin.digest());
    for (Capability capability : plugin.capabilities()) {
      text.append('\n').append(capability.kind().words()).append(' ').append(capability.name());
      if (!capability.slots().isEmpty()) {
        text.append(" in ").append(String.join(", ", capability.slots()));
      }
      text.append(capability.replayable() ? "\n" : ", not replayable\n");
      text.append(settings(capability));
    }
    return text.toString();
  }

  private static void line(StringBuilder text, String name, String value) {
    if (!value.isEmpty()) {
      text.append("  ").append(name).append(": ").append(value).append('\n');
    }
  }

  private static String settings(Capability capability) {
    if (capability.settings().isEmpty()) {
      return "  nothing to set\n";
    }
    TextTable table = new TextTable("  SETTING", "TYPE", "DEFAULT", "MIN", "MAX", "WHAT IT DOES");
    for (SettingInfo setting : capability.settings()) {
      String type =
          setting.choices().isEmpty()
              ? setting.type()
              : setting.type() + " of " + String.join("|", setting.choices());
      table.row(
          "  " + setting.key(),
          type,
          setting.required() ? "(required)" : setting.def(),
          setting.min(),
          setting.max(),
          setting.doc());
    }
    return table.toString();
  }

  /** One JSON object. */
  public String json() {
    Json json = new Json();
    ObjectNode node = json.plugin(plugin);
    return json.text(node);
  }
}
