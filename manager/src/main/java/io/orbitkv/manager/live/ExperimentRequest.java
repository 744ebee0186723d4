package io.orbitkv.manager.live;

import tools.jackson.databind.JsonNode;

/**
 * What an experiment is to be, out of JSON: the section {@code ab} that the Manager was configured
 * with, or that of another file, or two whole configurations.
 *
 * @param source what messages call the file; empty for the Manager's own configuration
 * @param yaml its text
 * @param sourceB with two configurations the second one; empty otherwise
 * @param yamlB its text
 * @param horizon how long, as written; empty for what the section says
 * @param same how long both run A before; the same
 * @param block length of a block or a turn; the same
 * @param shortBlocks whether these may be shorter than five minutes
 * @param isolation another one than the section says; empty for that
 * @param by the same
 * @param salt the same
 * @param primary the same
 * @param margin the same
 * @param fallbacks the same
 */
public record ExperimentRequest(
    String source,
    String yaml,
    String sourceB,
    String yamlB,
    String horizon,
    String same,
    String block,
    boolean shortBlocks,
    String isolation,
    String by,
    String salt,
    String primary,
    String margin,
    String fallbacks) {
  /** Reads it; what is not there is empty. */
  public static ExperimentRequest of(JsonNode root) {
    return new ExperimentRequest(
        text(root, "source"),
        text(root, "yaml"),
        text(root, "source_b"),
        text(root, "yaml_b"),
        text(root, "for"),
        text(root, "aa"),
        text(root, "block"),
        root.path("short_blocks").asBoolean(false),
        text(root, "isolation"),
        text(root, "by"),
        text(root, "salt"),
        text(root, "primary"),
        text(root, "margin"),
        text(root, "fallbacks"));
  }

  private static String text(JsonNode root, String name) {
    return root.path(name).asString("");
  }
}
