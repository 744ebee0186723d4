package io.orbitkv.manager.plugin;

import java.io.IOException;
import java.nio.file.Path;

/** What a plugin is installed as. */
sealed interface PluginSource permits FolderSource, ZipSource {
  /**
   * Copies the content into an empty folder.
   *
   * @return SHA-256 of exactly what was copied, in hexadecimal digits
   * @throws RefusedException when it is corrupt, breaks a limit or leads outside
   */
  String copyInto(Path folder) throws IOException;
}
