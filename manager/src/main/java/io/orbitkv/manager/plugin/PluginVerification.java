package io.orbitkv.manager.plugin;

import java.util.List;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * What a check of one plugin found, without any of its code having run.
 *
 * @param file the zip or folder
 * @param checks in order; the first one that failed is the last
 */
public record PluginVerification(String file, List<Check> checks) {
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

  /** One JSON object. */
  public String json() {
    Json json = new Json();
    ObjectNode node = json.object();
    node.put("file", file);
    node.put("passed", passed());
    ArrayNode all = node.putArray("checks");
    for (Check check : checks) {
      ObjectNode each = all.addObject();
      each.put("name", check.name());
      each.put("passed", check.passed());
      each.put("detail", check.detail());
    }
    return json.text(node);
  }
}
