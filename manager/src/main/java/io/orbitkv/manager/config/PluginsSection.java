package io.orbitkv.manager.config;

import io.orbitkv.api.settings.Setting;
import java.util.Map;

/**
 * Plugins.
 *
 * @param directory where they are
 * @param workDirectory where they are expanded
 * @param trust which of them are loaded
 * @param digests SHA-256 of those that may be loaded, by id
 */
public record PluginsSection(
    @Setting(
            def = "auto",
            doc = "folder with plugins as zips or folders; auto is plugins/ of the installation")
        String directory,
    @Setting(
            def = "auto",
            doc =
                "private folder where plugins are expanded; auto is orbitkv/plugins in the user's"
                    + " cache folder, or in /tmp where there is none")
        String workDirectory,
    @Setting(
            def = "any",
            doc = "which plugins are loaded: any in the folder, or only those pinned in digests")
        Trust trust,
    @Setting(doc = "SHA-256 of each plugin that may be loaded, by plugin id")
        Map<String, String> digests) {
  /** Which plugins are loaded. */
  public enum Trust {
    /** Every one in the folder. */
    ANY,
    /** Only those whose digest is listed. */
    PINNED
  }
}
