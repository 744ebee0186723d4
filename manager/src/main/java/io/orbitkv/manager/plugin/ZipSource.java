package io.orbitkv.manager.plugin;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.Enumeration;
import java.util.HexFormat;
import java.util.zip.ZipEntry;
import java.util.zip.ZipException;
import java.util.zip.ZipFile;

/**
 * A plugin as a zip. Its digest is that of the file, as {@code sha256sum} prints it.
 *
 * @param file the zip
 * @param limits what a plugin may be
 */
record ZipSource(Path file, PluginLimits limits) implements PluginSource {
  @Override
  public String copyInto(Path target) throws IOException {
    // A private copy: what is hashed is what is expanded, whatever happens to the file meanwhile.
    Path copy = target.resolveSibling(target.getFileName() + ".zip");
    try {
      MessageDigest digest = CopyBudget.sha256();
      long archiveBytes;
      try (InputStream in = Files.newInputStream(file)) {
        archiveBytes = new CopyBudget(limits, 0).copy(in, copy, digest);
      }
      expand(copy, archiveBytes, target);
      return HexFormat.of().formatHex(digest.digest());
    } finally {
      Files.deleteIfExists(copy);
    }
  }

  private void expand(Path archive, long archiveBytes, Path target) throws IOException {
    CopyBudget budget = new CopyBudget(limits, Math.max(1, archiveBytes));
    try (ZipFile zip = new ZipFile(archive.toFile())) {
      Enumeration<? extends ZipEntry> entries = zip.entries();
      while (entries.hasMoreElements()) {
        ZipEntry entry = entries.nextElement();
        budget.entry();
        Path to = inside(target, entry.getName());
        if (entry.isDirectory()) {
          Files.createDirectories(to);
        } else {
          write(zip, entry, to, budget);
        }
      }
    } catch (ZipException | IllegalArgumentException corrupt) {
      throw new RefusedException(
          "it is no zip or is corrupt: " + RefusedException.describe(corrupt),
          "download or build it again",
          corrupt);
    }
  }

  private static void write(ZipFile zip, ZipEntry entry, Path to, CopyBudget budget)
      throws IOException {
    if (Files.exists(to)) {
      throw new RefusedException(
          "it holds [" + entry.getName() + "] twice", "build it again with each file once");
    }
    Files.createDirectories(to.getParent());
    try (InputStream in = zip.getInputStream(entry)) {
      MessageDigest unused = CopyBudget.sha256();
      long copied = budget.copy(in, to, unused);
      if (entry.getSize() >= 0 && copied != entry.getSize()) {
        throw new ZipException(
            "[" + entry.getName() + "] has [" + copied + "] bytes, not [" + entry.getSize() + "]");
      }
      checkSum(entry, to);
    } catch (java.io.EOFException torn) {
      throw new ZipException("[" + entry.getName() + "] ends early");
    }
  }

  /** A ZipFile, unlike a ZipInputStream, does not compare the checksum. */
  private static void checkSum(ZipEntry entry, Path written) throws IOException {
    java.util.zip.CRC32 checksum = new java.util.zip.CRC32();
    try (InputStream in = Files.newInputStream(written)) {
      byte[] buffer = new byte[1 << 16];
      for (int read = in.read(buffer); read >= 0; read = in.read(buffer)) {
        checksum.update(buffer, 0, read);
      }
    }
    if (entry.getCrc() >= 0 && checksum.getValue() != entry.getCrc()) {
      throw new ZipException("[" + entry.getName() + "] fails its checksum");
    }
  }

  private static Path inside(Path target, String name) {
    boolean odd = name.isEmpty() || name.startsWith("/") || name.indexOf('\\') >= 0;
    for (String part : name.split("/", -1)) {
      odd |= part.equals("..") || part.equals(".");
    }
    try {
      Path path = target.resolve(name).normalize();
      if (!odd && path.startsWith(target)) {
        return path;
      }
    } catch (InvalidPathException notPath) {
      throw outside(name);
    }
    throw outside(name);
  }

  private static RefusedException outside(String name) {
    return new RefusedException(
        "its entry [" + name + "] leads outside of the plugin", "do not use it: ask its author");
  }
}
