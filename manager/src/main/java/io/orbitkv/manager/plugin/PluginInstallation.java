package io.orbitkv.manager.plugin;

import io.orbitkv.api.plugin.ApiVersion;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/**
 * A plugin that was found, expanded and checked as far as that goes without other plugins.
 *
 * @param file the zip or folder in the plugins directory
 * @param folder where it is expanded
 * @param digest SHA-256 in hexadecimal digits
 * @param descriptor its descriptor
 */
record PluginInstallation(Path file, Path folder, String digest, Descriptor descriptor) {
  /** Zips and folders in a directory by name; hidden files and other files are no plugins. */
  static List<Path> candidates(Path directory) {
    if (!Files.isDirectory(directory)) {
      return List.of();
    }
    try (Stream<Path> files = Files.list(directory)) {
      return files
          .filter(file -> !file.getFileName().toString().startsWith("."))
          .filter(file -> file.getFileName().toString().endsWith(".zip") || Files.isDirectory(file))
          .sorted(Comparator.comparing(file -> file.getFileName().toString()))
          .toList();
    } catch (IOException failed) {
      throw new IllegalStateException(
          "the plugins directory ["
              + directory
              + "] cannot be listed: "
              + RefusedException.describe(failed)
              + "; correct plugins.directory or its permissions",
          failed);
    }
  }

  /**
   * Refuses a plugin that is not pinned as it is or that was made for another API.
   *
   * @throws RefusedException saying which
   */
  void check(PluginTrust trust) {
    if (trust instanceof PluginTrust.Pinned pinned) {
      String expected = pinned.digests().get(descriptor.id());
      if (expected == null) {
        throw new RefusedException(
            "plugins.trust is pinned and plugins.digests has no [" + descriptor.id() + "]",
            "add [" + descriptor.id() + ": " + digest + "] if you trust it");
      }
      if (!expected.equalsIgnoreCase(digest)) {
        throw new RefusedException(
            "its digest is [" + digest + "], and plugins.digests pins [" + expected + "]",
            "install the plugin that was pinned, or pin this one if you trust it");
      }
    }
    if (!Descriptor.inRange(ApiVersion.CURRENT, descriptor.requires())) {
      throw new RefusedException(
          "it works with the API versions ["
              + descriptor.requires()
              + "], and this is ["
              + ApiVersion.CURRENT
              + "]",
          "install a release of it for this version of OrbitKV");
    }
  }
}
