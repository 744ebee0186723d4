package io.orbitkv.maven;

import java.util.ArrayList;
import java.util.List;

/**
 * What the Manager reads of a plugin before it loads it. The Manager checks it strictly; what is
 * checked here already is what an author can mend at once.
 *
 * @param id lower case letters, digits and dashes
 * @param version such as 1.0.0
 * @param apiVersions range of API versions that it works with
 * @param provider who made it; may be empty
 * @param description what it is; may be empty
 * @param license under which it is given; may be empty
 * @param dependencies plugins that it needs; may be empty
 * @param module its root module
 * @param nativeAccess whether that calls native code
 */
record PluginDescriptor(
    String id,
    String version,
    String apiVersions,
    String provider,
    String description,
    String license,
    String dependencies,
    String module,
    boolean nativeAccess) {
  /** Before 1.0.0 a minor version may break the contract. */
  static final String COMPATIBLE = ">=0.1.0 & <0.2.0";

  private static final String NAME = "[a-z][a-z0-9]*(-[a-z0-9]+)*";
  private static final String VERSION =
      "\\d{1,9}\\.\\d{1,9}\\.\\d{1,9}(-[0-9A-Za-z.-]+)?(\\+[0-9A-Za-z.-]+)?";

  /**
   * Checks it.
   *
   * @throws IllegalArgumentException naming what does not fit and what to write
   */
  PluginDescriptor {
    if (!id.matches(NAME)) {
      throw new IllegalArgumentException(
          "plugin id ["
              + id
              + "] must be lower case letters, digits and dashes: set <id> in the configuration of"
              + " orbitkv-maven-plugin");
    }
    if (!version.matches(VERSION)) {
      throw new IllegalArgumentException(
          "plugin version ["
              + version
              + "] is not a version such as 1.0.0: set the project's, or <version> in the"
              + " configuration of orbitkv-maven-plugin");
    }
  }

  /** The file {@code plugin.properties}. */
  String text() {
    List<String> lines = new ArrayList<>();
    line(lines, "plugin.id", id);
    line(lines, "plugin.version", version);
    line(lines, "plugin.description", description);
    line(lines, "plugin.provider", provider);
    line(lines, "plugin.license", license);
    line(lines, "plugin.requires", apiVersions);
    line(lines, "plugin.dependencies", dependencies);
    line(lines, "orbitkv.module", module);
    line(lines, "orbitkv.native-access", nativeAccess ? "true" : "");
    return String.join("\n", lines) + "\n";
  }

  private static void line(List<String> lines, String key, String value) {
    String oneLine = value.replaceAll("\\s+", " ").replace("\\", "\\\\").strip();
    if (!oneLine.isEmpty()) {
      lines.add(key + "=" + oneLine);
    }
  }
}
