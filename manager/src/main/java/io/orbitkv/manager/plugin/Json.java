package io.orbitkv.manager.plugin;

import io.orbitkv.manager.settings.SettingInfo;
import java.util.Collection;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * JSON for machines. Built by hand: names of fields are a contract, and nothing is opened for it.
 */
final class Json {
  private final JsonMapper mapper = JsonMapper.builder().build();

  ObjectNode object() {
    return mapper.createObjectNode();
  }

  String text(ObjectNode node) {
    return mapper.writerWithDefaultPrettyPrinter().writeValueAsString(node);
  }

  ObjectNode plugin(PluginInfo plugin) {
    ObjectNode node = object();
    node.put("id", plugin.id());
    node.put("version", plugin.version());
    node.put("provider", plugin.provider());
    node.put("description", plugin.description());
    node.put("requires", plugin.requires());
    node.put("module", plugin.module());
    node.put("file", plugin.file());
    node.put("digest", plugin.digest());
    node.put("state", plugin.status().name());
    strings(node.putArray("dependencies"), plugin.dependencies());
    ArrayNode capabilities = node.putArray("capabilities");
    for (Capability capability : plugin.capabilities()) {
      ObjectNode each = capabilities.addObject();
      each.put("kind", capability.kind().name());
      each.put("name", capability.name());
      strings(each.putArray("slots"), capability.slots());
      each.put("replayable", capability.replayable());
      ArrayNode settings = each.putArray("settings");
      capability.settings().forEach(setting -> setting(settings.addObject(), setting));
    }
    return node;
  }

  ObjectNode refusal(PluginRefusal refusal) {
    ObjectNode node = object();
    node.put("plugin", refusal.plugin());
    node.put("file", refusal.file());
    node.put("reason", refusal.reason());
    node.put("remedy", refusal.remedy());
    return node;
  }

  private static void setting(ObjectNode node, SettingInfo setting) {
    node.put("key", setting.key());
    node.put("type", setting.type());
    node.put("required", setting.required());
    node.put("default", setting.def());
    node.put("min", setting.min());
    node.put("max", setting.max());
    strings(node.putArray("choices"), setting.choices());
    node.put("doc", setting.doc());
  }

  private static void strings(ArrayNode array, Collection<String> values) {
    values.forEach(array::add);
  }
}
