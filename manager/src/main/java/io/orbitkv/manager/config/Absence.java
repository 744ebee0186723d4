package io.orbitkv.manager.config;

import io.orbitkv.manager.plugin.PluginHost;

/** Why something that a configuration names is not there. */
final class Absence {
  private Absence() {}

  /** A plugin of a like name that was refused is most probably the reason; otherwise empty. */
  static String refusedInstead(PluginHost host, String name) {
    return host.refusals().stream()
        .filter(refusal ->
            refusal.plugin().equals(name)
                || refusal.plugin().startsWith(name + "-")
                || refusal.file().startsWith(name))
        .findFirst()
        .map(refusal -> ": plugin [" + refusal.plugin() + "] is refused: " + refusal.reason())
        .orElse("");
  }
}
