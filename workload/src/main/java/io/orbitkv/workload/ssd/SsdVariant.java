package io.orbitkv.workload.ssd;

import java.util.LinkedHashMap;
import java.util.Map;

/**
 * A way to set the tier up that is measured beside others, in turns.
 *
 * @param name in the report; empty for the tier as it is
 * @param settings of the tier, by key
 */
public record SsdVariant(String name, Map<String, String> settings) {
  /** The tier as it is. */
  public static final SsdVariant PLAIN = new SsdVariant("", Map.of());

  /** Copies the settings. */
  public SsdVariant {
    settings = Map.copyOf(settings);
  }

  /**
   * Reads {@code NAME} or {@code NAME:KEY=VALUE,KEY=VALUE}.
   *
   * @throws IllegalArgumentException when it is neither
   */
  public static SsdVariant parse(String text) {
    int colon = text.indexOf(':');
    String name = colon < 0 ? text : text.substring(0, colon);
    if (name.isBlank() || name.indexOf(',') >= 0 || name.indexOf('=') >= 0) {
      throw new IllegalArgumentException(
          "--variant [" + text + "] is not NAME or NAME:KEY=VALUE,KEY=VALUE");
    }
    Map<String, String> settings = new LinkedHashMap<>();
    if (colon >= 0) {
      for (String pair : text.substring(colon + 1).split(",", -1)) {
        int equals = pair.indexOf('=');
        if (equals <= 0) {
          throw new IllegalArgumentException(
              "--variant [" + text + "]: [" + pair + "] is not KEY=VALUE");
        }
        settings.put(pair.substring(0, equals), pair.substring(equals + 1));
      }
    }
    return new SsdVariant(name, settings);
  }
}
