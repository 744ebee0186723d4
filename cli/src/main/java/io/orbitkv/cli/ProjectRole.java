package io.orbitkv.cli;

import java.util.Arrays;
import java.util.Locale;
import java.util.stream.Collectors;

/** Kinds of policies that a project can be made for. */
enum ProjectRole {
  LOOKAHEAD("LookaheadPolicyContract", "Chooses requests to prepare", "policies:\n  lookahead: %s"),
  WARMING("WarmingPolicyContract", "Chooses chains to warm", "policies:\n  warming: %s"),
  CUTOFF(
      "CutoffPolicyContract",
      "Decides when reading stops and what is worth restoring",
      "policies:\n  cutoff: [%s]"),
  ADMISSION(
      "AdmissionPolicyContract", "Decides what enters a tier", "policies:\n  admission: {ssd: %s}"),
  RETENTION(
      "RetentionPolicyContract",
      "Decides what leaves a tier first",
      "policies:\n  retention: {dram: %s}");

  private final String kit;
  private final String words;
  private final String configuration;

  ProjectRole(String kit, String words, String configuration) {
    this.kit = kit;
    this.words = words;
    this.configuration = configuration;
  }

  /** On the command line, and of the method of {@code Policies}. */
  String key() {
    return name().toLowerCase(Locale.ROOT);
  }

  /** The contract kit of the testkit. */
  String kit() {
    return kit;
  }

  /** What such a policy does. */
  String words() {
    return words;
  }

  /** Configuration that names a policy. */
  String configuration(String policy) {
    return String.format(Locale.ROOT, configuration, policy);
  }

  /** All keys, for messages. */
  static String keys() {
    return Arrays.stream(values()).map(ProjectRole::key).collect(Collectors.joining(", "));
  }

  /**
   * The role of that name.
   *
   * @throws CommandException naming the roles
   */
  static ProjectRole of(String key) {
    for (ProjectRole role : values()) {
      if (role.key().equals(key)) {
        return role;
      }
    }
    throw CommandException.usage("--role [" + key + "] is not known: must be one of " + keys());
  }
}
