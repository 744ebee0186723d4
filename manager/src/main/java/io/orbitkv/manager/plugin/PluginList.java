package io.orbitkv.manager.plugin;

import io.orbitkv.manager.settings.TextTable;
import java.util.List;
import java.util.stream.Collectors;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * Which plugins there are.
 *
 * @param directory where they were looked for
 * @param plugins those that are loaded, by id
 * @param refusals those that are not used, and why
 */
public record PluginList(String directory, List<PluginInfo> plugins, List<PluginRefusal> refusals) {
  /** Copies the lists. */
  public PluginList {
    plugins = List.copyOf(plugins);
    refusals = List.copyOf(refusals);
  }

  /** A table for people. */
  public String text() {
    if (plugins.isEmpty() && refusals.isEmpty()) {
      return "no plugins in [" + directory + "]\n";
    }
    TextTable table = new TextTable("PLUGIN", "VERSION", "STATE", "OFFERS");
    for (PluginInfo plugin : plugins) {
      table.row(plugin.id(), plugin.version(), plugin.status().name(), offers(plugin));
    }
    for (PluginRefusal refusal : refusals) {
      table.row(refusal.plugin(), "", "REFUSED", refusal.reason() + "; " + refusal.remedy());
    }
    return table.toString();
  }

  private static String offers(PluginInfo plugin) {
    return plugin.capabilities().stream()
        .map(capability ->
            capability.kind().words()
                + " "
                + capability.name()
                + (capability.slots().isEmpty()
                    ? ""
                    : " (" + String.join(", ", capability.slots()) + ")"))
        .collect(Collectors.joining(", "));
  }

  /** One JSON object. */
  public String json() {
    Json json = new Json();
    ObjectNode node = json.object();
    node.put("directory", directory);
    ArrayNode listed = node.putArray("plugins");
    plugins.forEach(plugin -> listed.add(json.plugin(plugin)));
    ArrayNode refused = node.putArray("refused");
    refusals.forEach(refusal -> refused.add(json.refusal(refusal)));
    return json.text(node);
  }
}
