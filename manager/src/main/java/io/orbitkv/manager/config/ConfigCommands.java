package io.orbitkv.manager.config;

import io.orbitkv.manager.plugin.PluginInfo;
import io.orbitkv.manager.settings.ConfigException;
import io.orbitkv.manager.settings.Problems;
import io.orbitkv.manager.settings.SettingInfo;
import io.orbitkv.manager.settings.SettingsSchema;
import io.orbitkv.manager.settings.TextTable;
import java.nio.file.Path;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** What stands behind {@code config show}, {@code schema} and {@code check}. */
public final class ConfigCommands {
  private static final String PLUGINS = "plugins";

  private ConfigCommands() {}

  /** A table of every value, where it comes from, and what it means here when that is derived. */
  public static String show(Collection<ShownValue> values) {
    TextTable table = new TextTable("KEY", "VALUE", "ORIGIN", "MEANS HERE");
    for (ShownValue value : values) {
      table.row(
          value.key(),
          value.value(),
          value.origin().text(),
          value.reason().isEmpty() ? "" : value.effective() + " (" + value.reason() + ")");
    }
    return table.toString();
  }

  /** The same as one JSON object with an entry for each key. */
  public static String showJson(Collection<ShownValue> values) {
    JsonMapper mapper = JsonMapper.builder().build();
    ObjectNode root = mapper.createObjectNode();
    for (ShownValue value : values) {
      ObjectNode node = root.putObject(value.key());
      node.put("value", value.value());
      node.put("origin", value.origin().text());
      node.put("effective", value.effective());
      node.put("reason", value.reason());
    }
    return mapper.writerWithDefaultPrettyPrinter().writeValueAsString(root);
  }

  /**
   * A JSON schema of the configuration file, from the same records that bind it.
   *
   * @param plugins whose policies it tells
   */
  public static String schema(List<PluginInfo> plugins) {
    JsonMapper mapper = JsonMapper.builder().build();
    ObjectNode root = mapper.createObjectNode();
    root.put("$schema", "https://json-schema.org/draft/2020-12/schema");
    root.put("title", "OrbitKV Manager");
    section(root);
    for (SettingInfo setting : SettingsSchema.of(ManagerSettings.class)) {
      ObjectNode properties = (ObjectNode) root.get("properties");
      String[] parts = setting.key().split("\\.", -1);
      for (int i = 0; i < parts.length - 1; i++) {
        ObjectNode below = (ObjectNode) properties.get(parts[i]);
        if (below == null) {
          below = properties.putObject(parts[i]);
          section(below);
        }
        properties = (ObjectNode) below.get("properties");
      }
      ObjectNode node = properties.putObject(parts[parts.length - 1]);
      property(node, setting);
      if (setting.key().equals(PolicyChoices.KEY)) {
        new PolicySchema(plugins).put(node);
      }
    }
    return mapper.writerWithDefaultPrettyPrinter().writeValueAsString(root);
  }

  static void section(ObjectNode node) {
    node.put("type", "object");
    node.put("additionalProperties", false);
    node.putObject("properties");
  }

  static void property(ObjectNode node, SettingInfo setting) {
    node.put("description", setting.doc());
    switch (setting.type()) {
      case "boolean" -> node.put("type", "boolean").put("default", setting.def().equals("true"));
      case "integer" -> {
        node.put("type", "integer");
        if (!setting.def().isEmpty()) {
          node.put("default", Long.parseLong(setting.def()));
        }
      }
      case "number" -> {
        node.put("type", "number");
        if (!setting.def().isEmpty()) {
          node.put("default", Double.parseDouble(setting.def()));
        }
      }
      case "section of texts", "section" -> node.put("type", "object");
      default -> {
        if (setting.type().startsWith("list of ")) {
          node.put("type", "array");
          node.putObject("items").put("type", "string");
        } else {
          node.put("type", "string");
        }
        node.put("x-type", setting.type());
        node.put("x-default", setting.def());
      }
    }
    limit(node, "minimum", setting.type(), setting.min());
    limit(node, "maximum", setting.type(), setting.max());
    if (!setting.choices().isEmpty()) {
      ArrayNode choices = node.putArray("enum");
      setting.choices().forEach(choices::add);
    }
  }

  private static void limit(ObjectNode node, String name, String type, String limit) {
    if (limit.isEmpty()) {
      return;
    }
    if (type.equals("integer")) {
      node.put(name, Long.parseLong(limit));
    } else if (type.equals("number")) {
      node.put(name, Double.parseDouble(limit));
    } else {
      node.put("x-" + name, limit);
    }
  }

  /**
   * Reads a file as {@code serve} would, goes on where something is wrong, and lets the plugins say
   * what they think of it.
   *
   * @param plugins what the named plugins' settings are and whether they are there; asked unless
   *     the settings of the plugins themselves are wrong
   * @return a configuration without mistakes
   * @throws ConfigException with everything that is wrong
   */
  public static ManagerConfig checked(
      @Nullable Path file,
      Map<String, FlagValue> flags,
      HostFacts facts,
      Consumer<ManagerConfig> plugins) {
    Problems problems = new Problems();
    ManagerConfig config = ManagerConfig.load(file, flags, facts, problems);
    if (!problems.concern(PLUGINS)) {
      try {
        plugins.accept(config);
      } catch (ConfigException more) {
        problems.addAll(more);
      }
    }
    problems.throwIfAny();
    return config;
  }

  /**
   * Checks a file as {@code serve} would read it, without plugins.
   *
   * @return empty when it is good, otherwise one line for each mistake
   */
  public static List<String> check(
      @Nullable Path file, Map<String, FlagValue> flags, HostFacts facts) {
    try {
      ManagerConfig.load(file, flags, facts);
      return List.of();
    } catch (ConfigException wrong) {
      return wrong.getMessage() == null ? List.of() : wrong.getMessage().lines().toList();
    }
  }
}
