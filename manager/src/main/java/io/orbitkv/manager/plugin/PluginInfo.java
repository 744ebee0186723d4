package io.orbitkv.manager.plugin;

import java.util.List;

/**
 * A loaded plugin at one moment. Holds nothing of the plugin's own classes.
 *
 * @param id its id
 * @param version its version
 * @param provider who made it, may be empty
 * @param description what it is, may be empty
 * @param requires the range of API versions that it works with
 * @param module its root module
 * @param file the zip or folder it came from, as found in the plugins directory
 * @param digest SHA-256 of that zip, or of that folder's files, in hexadecimal digits
 * @param status where it stands
 * @param dependencies ids of the plugins that it needs
 * @param capabilities what it offers; empty unless it was started once
 */
public record PluginInfo(
    String id,
    String version,
    String provider,
    String description,
    String requires,
    String module,
    String file,
    String digest,
    PluginStatus status,
    List<String> dependencies,
    List<Capability> capabilities) {
  /** Copies the lists. */
  public PluginInfo {
    dependencies = List.copyOf(dependencies);
    capabilities = List.copyOf(capabilities);
  }
}
