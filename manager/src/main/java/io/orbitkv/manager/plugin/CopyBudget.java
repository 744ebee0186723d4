package io.orbitkv.manager.plugin;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;

/**
 * Counts what is copied against the limits: by bytes seen, never by sizes that an archive claims.
 */
final class CopyBudget {
  private final PluginLimits limits;
  private final long bytesAllowed;
  private final String excess;
  private int entries;
  private long bytes;

  /**
   * @param limits what a plugin may be
   * @param archiveBytes size of the archive; 0 when nothing is expanded
   */
  CopyBudget(PluginLimits limits, long archiveBytes) {
    this.limits = limits;
    long byRatio = archiveBytes == 0 ? Long.MAX_VALUE : archiveBytes * limits.ratio();
    boolean ratioBinds = byRatio < limits.bytes();
    this.bytesAllowed = ratioBinds ? byRatio : limits.bytes();
    this.excess =
        ratioBinds
            ? "it expands to more than [" + limits.ratio() + "] times its size"
            : "it expands to more than [" + limits.bytes() + "] bytes";
  }

  void entry() {
    entries++;
    if (entries > limits.entries()) {
      throw new RefusedException(
          "it has more than [" + limits.entries() + "] files", "this is no plugin: remove it");
    }
  }

  /** Copies a stream into a new file; {@code digest} sees the bytes too. */
  long copy(InputStream from, Path to, MessageDigest digest) throws IOException {
    byte[] buffer = new byte[1 << 16];
    long copied = 0;
    try (OutputStream out = Files.newOutputStream(to)) {
      for (int read = from.read(buffer); read >= 0; read = from.read(buffer)) {
        bytes += read;
        if (bytes > bytesAllowed) {
          throw new RefusedException(excess, "this is no plugin: remove it");
        }
        digest.update(buffer, 0, read);
        write(out, buffer, read);
        copied += read;
      }
    }
    return copied;
  }

  private static void write(OutputStream out, byte[] bytes, int length) throws UnwritableException {
    try {
      out.write(bytes, 0, length);
    } catch (IOException failed) {
      throw new UnwritableException(failed);
    }
  }

  static MessageDigest sha256() {
    try {
      return MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException impossible) {
      throw new AssertionError("every Java platform has SHA-256", impossible);
    }
  }
}
