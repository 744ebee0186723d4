package io.orbitkv.manager.plugin;

import java.util.Collections;
import java.util.Map;
import java.util.TreeMap;

/** Which plugins may be loaded. A plugin runs with the Manager's rights: layers are no sandbox. */
public sealed interface PluginTrust {
  /** Every plugin in the directory. */
  record Any() implements PluginTrust {}

  /**
   * Only plugins whose content is known.
   *
   * @param digests SHA-256 in hexadecimal digits by plugin id
   */
  record Pinned(Map<String, String> digests) implements PluginTrust {
    /** Copies the digests. */
    public Pinned {
      digests = Collections.unmodifiableMap(new TreeMap<>(digests));
    }
  }
}
