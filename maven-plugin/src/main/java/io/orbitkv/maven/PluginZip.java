package io.orbitkv.maven;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.lang.module.FindException;
import java.lang.module.ModuleFinder;
import java.lang.module.ModuleReference;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.LocalDateTime;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;

/**
 * Writes a plugin's zip: the descriptor at its top, all jars in {@code lib/}, in the order of their
 * names and with one fixed time, so that equal content gives an equal digest.
 */
final class PluginZip {
  private static final String ENTRY = "io.orbitkv.api.OrbitKvPlugin";
  private static final LocalDateTime TIME = LocalDateTime.of(2026, 1, 1, 0, 0);

  private PluginZip() {}

  /**
   * The module of a jar that provides a plugin.
   *
   * @throws IllegalArgumentException when the jar is no named module, or provides none
   */
  static String moduleOf(Path jar) {
    Optional<ModuleReference> module;
    try {
      module = ModuleFinder.of(jar).findAll().stream().findFirst();
    } catch (FindException unreadable) {
      throw new IllegalArgumentException(
          "the jar ["
              + jar.getFileName()
              + "] cannot be read by the Java that runs Maven ("
              + Runtime.version().feature()
              + "): set JAVA_HOME to the JDK that compiles it",
          unreadable);
    }
    if (module.isEmpty() || module.get().descriptor().isAutomatic()) {
      throw new IllegalArgumentException(
          "the jar ["
              + jar.getFileName()
              + "] is no module: write src/main/java/module-info.java with 'provides "
              + ENTRY
              + " with …'");
    }
    if (module.get().descriptor().provides().stream()
        .noneMatch(provides -> provides.service().equals(ENTRY))) {
      throw new IllegalArgumentException(
          "the module ["
              + module.get().descriptor().name()
              + "] provides no plugin: add 'provides "
              + ENTRY
              + " with …' to its module-info.java");
    }
    return module.get().descriptor().name();
  }

  /**
   * Writes the zip and, beside it, its digest as {@code sha256sum} prints it.
   *
   * @param jars of the plugin and of the libraries that it bundles
   * @return SHA-256 in hexadecimal digits
   */
  static String write(Path zip, PluginDescriptor descriptor, List<Path> jars) throws IOException {
    Files.createDirectories(zip.toAbsolutePath().getParent());
    Path unfinished = zip.resolveSibling(zip.getFileName() + ".part");
    MessageDigest digest = sha256();
    try (OutputStream file = Files.newOutputStream(unfinished);
        ZipOutputStream out = new ZipOutputStream(file)) {
      entry(out, "plugin.properties");
      out.write(descriptor.text().getBytes(StandardCharsets.UTF_8));
      out.closeEntry();
      Set<String> names = new HashSet<>();
      for (Path jar : jars.stream().sorted(Comparator.comparing(PluginZip::name)).toList()) {
        if (!names.add(name(jar))) {
          throw new IllegalArgumentException(
              "two libraries are called [" + name(jar) + "]: leave one out");
        }
        entry(out, "lib/" + name(jar));
        Files.copy(jar, out);
        out.closeEntry();
      }
    }
    String hex = hex(digest, unfinished);
    Files.move(unfinished, zip, StandardCopyOption.REPLACE_EXISTING);
    Files.writeString(
        zip.resolveSibling(zip.getFileName() + ".sha256"), hex + "  " + name(zip) + "\n");
    return hex;
  }

  private static void entry(ZipOutputStream out, String name) throws IOException {
    ZipEntry entry = new ZipEntry(name);
    entry.setTimeLocal(TIME);
    out.putNextEntry(entry);
  }

  private static String name(Path file) {
    return String.valueOf(file.getFileName());
  }

  private static String hex(MessageDigest digest, Path file) throws IOException {
    byte[] buffer = new byte[1 << 16];
    try (InputStream in = Files.newInputStream(file)) {
      for (int read = in.read(buffer); read >= 0; read = in.read(buffer)) {
        digest.update(buffer, 0, read);
      }
    }
    StringBuilder text = new StringBuilder();
    for (byte each : digest.digest()) {
      text.append(String.format(java.util.Locale.ROOT, "%02x", each));
    }
    return text.toString();
  }

  private static MessageDigest sha256() {
    try {
      return MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException impossible) {
      throw new AssertionError("every Java platform has SHA-256", impossible);
    }
  }
}
