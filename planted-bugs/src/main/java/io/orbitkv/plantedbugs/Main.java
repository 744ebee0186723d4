package io.orbitkv.plantedbugs;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.List;
import java.util.stream.Stream;

/**
 * Called by the build: {@code Main ROOT PATCHES WORK}. The class path holds the compiled modules
 * and what they require. The folder of planted bugs is {@code WORK/planted}; it is left alone when
 * neither the patches nor the modules have changed since it was made.
 *
 * <p>Exit status 1: a patch does not apply or compile.
 */
final class Main {
  private static final String FINGERPRINT = "fingerprint";

  private Main() {}

  /** Entry point. */
  public static void main(String[] arguments) throws IOException {
    Path root = Path.of(arguments[0]);
    Path patches = Path.of(arguments[1]);
    Path work = Path.of(arguments[2]);
    List<Path> classPath =
        Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator))
            .map(Path::of)
            .filter(Files::exists)
            .toList();
    try {
      run(root, patches, work, classPath);
    } catch (PlantException problem) {
      System.err.println(problem.getMessage());
      System.exit(1);
    }
  }

  private static void run(Path root, Path patches, Path work, List<Path> classPath)
      throws IOException {
    Path result = work.resolve("planted");
    String fingerprint = fingerprint(root, patches, classPath);
    Path last = work.resolve(FINGERPRINT);
    if (Files.exists(last) && Files.readString(last).equals(fingerprint)) {
      return;
    }
    long started = System.nanoTime();
    remove(work);
    Files.createDirectories(result);
    List<PlantedPatch> read = Planter.read(patches);
    Planter.plant(read, new BugCompiler(root, work, classPath), result);
    Files.writeString(last, fingerprint);
    System.out.printf(
        "planted [%d] bugs in %.1f s%n", read.size(), (System.nanoTime() - started) / 1e9);
  }

  /** Of everything that the result depends on. */
  private static String fingerprint(Path root, Path patches, List<Path> classPath)
      throws IOException {
    MessageDigest digest = digest();
    digest.update(Runtime.version().toString().getBytes(StandardCharsets.UTF_8));
    for (PlantTarget target : PlantTarget.ALL) {
      add(digest, root.resolve(target.sources()));
    }
    add(digest, patches);
    for (Path entry : classPath) {
      add(digest, entry);
    }
    return HexFormat.of().formatHex(digest.digest());
  }

  private static void add(MessageDigest digest, Path fileOrFolder) throws IOException {
    try (Stream<Path> files = Files.walk(fileOrFolder)) {
      files
          .filter(Files::isRegularFile)
          .sorted()
          .forEach(file -> {
            digest.update(file.toString().getBytes(StandardCharsets.UTF_8));
            try {
              digest.update(Files.readAllBytes(file));
            } catch (IOException failure) {
              throw new UncheckedIOException(failure);
            }
          });
    }
  }

  private static MessageDigest digest() {
    try {
      return MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException impossible) {
      throw new IllegalStateException("every Java runtime has SHA-256", impossible);
    }
  }

  private static void remove(Path folder) throws IOException {
    if (!Files.exists(folder)) {
      return;
    }
    try (Stream<Path> files = Files.walk(folder)) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(file);
      }
    }
  }
}
