package io.orbitkv.manager.plugin;

import io.orbitkv.manager.settings.SettingInfo;
import java.util.List;

/**
 * One thing that a plugin offers.
 *
 * @param kind what it is
 * @param name its name in the configuration
 * @param slots where a policy can serve, as configuration keys; empty for other kinds
 * @param replayable whether a policy decides equally on equal facts; true for other kinds
 * @param settings what can be set
 */
public record Capability(
    Kind kind, String name, List<String> slots, boolean replayable, List<SettingInfo> settings) {
  /** Copies the lists. */
  public Capability {
    slots = List.copyOf(slots);
    settings = List.copyOf(settings);
  }

  /** The kinds of capability. */
  public enum Kind {
    /** Host memory. */
    MEMORY_TIER("memory tier"),
    /** Storage behind host memory. */
    BACKING_TIER("backing tier"),
    /** Copies between host and device. */
    COPIER("copier"),
    /** Advice in a slot. */
    POLICY("policy");

    private final String words;

    Kind(String words) {
      this.words = words;
    }

    /** In words, for messages. */
    public String words() {
      return words;
    }
  }
}
