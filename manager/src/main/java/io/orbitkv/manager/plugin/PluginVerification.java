package io.orbitkv.manager.plugin;

import java.util.List;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * What a check of one plugin found, without any of its code having run.
 *
 * @param file the zip or folder
 * @param id of the plugin; empty while it is unknown
 * @param digest SHA-256 in hexadecimal digits; empty when it could not be read
 * @param checks in order; the first one that failed is the last
 */
public record PluginVerification(String file, String id, String digest, List<Check> checks) {
  /** Copies the checks. */
  public PluginVerification {
    checks = List.copyOf(checks);
  }

  /**
   * One check.
   *
   * @param name what was checked
   * @param passed whether it is good
   * @param detail what was found, or what is wrong and what to do
   */
  public record Check(String name, boolean passed, String detail) {}

  /** Whether nothing is wrong. */
  public boolean passed() {
    return checks.stream().allMatch(Check::passed);
  }

  /** One line a check. */
  public String text() {
    StringBuilder text = new StringBuilder();
    for (Check check : checks) {
      text.append(check.passed() ? "ok      " : "FAILED  ");
      text.append(check.name()).append(": ").append(check.detail()).append('\n');
    }
    text.append(file).append(passed() ? " can be used\n" : " cannot be used\n");
    return text.toString();
  }

  /** Configuration that pins plugins as they are, ready to paste; empty when none is known. */
  public static String pins(List<PluginVerification> verified) {
    StringBuilder text = new StringBuilder();
    for (PluginVerification one : verified) {
      if (one.passed() && !one.id().isEmpty()) {
        text.append("    ").append(one.id()).append(": ").append(one.digest()).append('\n');
      }
    }
    return text.isEmpty() ? "" : "plugins:\n  trust: pinned\n  digests:\n" + text;
  }

  /** One JSON object of several, with what pins those that passed. */
  public static String json(List<PluginVerification> verified) {
    Json json = new Json();
    ObjectNode node = json.object();
    node.put("passed", verified.stream().allMatch(PluginVerification::passed));
    ArrayNode all = node.putArray("plugins");
    verified.forEach(one -> one.put(all.addObject()));
    ObjectNode digests = node.putObject("digests");
    for (PluginVerification one : verified) {
      if (one.passed()) {
        digests.put(one.id(), one.digest());
      }
    }
    return json.text(node);
  }

  /** One JSON object. */
  public String json() {
    Json json = new Json();
    ObjectNode node = json.object();
    put(node);
    return json.text(node);
  }

  private void put(ObjectNode node) {
    node.put("file", file);
    node.put("id", id);
    node.put("digest", digest);
    node.put("passed", passed());
    ArrayNode all = node.putArray("checks");
    for (Check check : checks) {
      ObjectNode each = all.addObject();
      each.put("name", check.name());
      each.put("passed", check.passed());
      each.put("detail", check.detail());
    }
  }
}
