package io.orbitkv.manager.plugin;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** The digest that lies beside a zip, as {@code sha256sum} and the packaging plugin write it. */
final class DigestFile {
  static final String SUFFIX = ".sha256";

  private static final int MOST_BYTES = 4096;

  private DigestFile() {}

  /**
   * Compares a plugin with the digest beside it.
   *
   * @return whether there is one
   * @throws RefusedException when it says something else
   */
  static boolean check(Path file, String digest) {
    Path beside = file.resolveSibling(file.getFileName() + SUFFIX);
    if (!Files.isRegularFile(beside)) {
      return false;
    }
    String said;
    try {
      if (Files.size(beside) > MOST_BYTES) {
        throw new RefusedException(
            "the digest beside it [" + beside.getFileName() + "] is no digest",
            "write it with sha256sum, or remove it");
      }
      said = Files.readString(beside).strip().split("\\s+", 2)[0];
    } catch (IOException unreadable) {
      throw new RefusedException(
          "the digest beside it ["
              + beside.getFileName()
              + "] cannot be read: "
              + RefusedException.describe(unreadable),
          "write it with sha256sum, or remove it",
          unreadable);
    }
    if (!said.equalsIgnoreCase(digest)) {
      throw new RefusedException(
          "its digest is ["
              + digest
              + "], and ["
              + beside.getFileName()
              + "] says ["
              + (said.length() > 64 ? said.substring(0, 64) : said)
              + "]",
          "build or download both again");
    }
    return true;
  }
}
