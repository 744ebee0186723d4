import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.LocalDateTime;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.spi.ToolProvider;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;

/**
 * Makes what authors of plugins get: a Maven repository as files, with poms that need no parent,
 * and the documentation of the modules in it. Run by the build of the distribution:
 *
 * <pre>java build/Sdk.java OUT VERSION CLASS_PATH LIBRARY=VERSION…</pre>
 *
 * in the root of the checkout.
 */
final class Sdk {
  private static final String GROUP = "io.orbitkv";
  private static final LocalDateTime TIME = LocalDateTime.of(2026, 1, 1, 0, 0);

  /** A library: group, artifact, and the name of its version among the arguments. */
  private record Library(String group, String artifact, String key) {}

  /** An artifact of ours; libraries of the scope compile. */
  private record Artifact(
      String folder, String artifact, String about, List<String> own, List<Library> libraries) {}

  private static final List<Artifact> ARTIFACTS =
      List.of(
          new Artifact(
              "api",
              "orbitkv-api",
              "Contracts between the OrbitKV Manager and its plugins",
              List.of(),
              // Annotations that the compiler of a plugin reads; nothing of it is needed at run
              // time.
              List.of(new Library("org.jspecify", "jspecify", "jspecify"))),
          new Artifact(
              "model",
              "orbitkv-model",
              "A keys-only model of the cache that hosts real policies",
              List.of("orbitkv-api"),
              List.of()),
          new Artifact(
              "testkit",
              "orbitkv-testkit",
              "Contract tests and a tester of policies for authors of plugins",
              List.of("orbitkv-api", "orbitkv-model"),
              List.of(
                  new Library("org.junit.jupiter", "junit-jupiter-api", "junit"),
                  new Library("org.assertj", "assertj-core", "assertj"),
                  new Library("net.java.dev.jna", "jna", "jna"))),
          new Artifact(
              "maven-plugin",
              "orbitkv-maven-plugin",
              "Packs a plugin: descriptor, module, libraries and digest",
              List.of(),
              List.of()));

  /** Jars that the documented modules read, and no more of the distribution's. */
  private static final List<String> READ =
      List.of(
          "apiguardian-api-",
          "assertj-core-",
          "byte-buddy-",
          "jna-",
          "jspecify-",
          "junit-jupiter-api-",
          "junit-platform-commons-",
          "opentest4j-");

  private final Path out;
  private final String version;
  private final Map<String, String> versions;

  private Sdk(Path out, String version, Map<String, String> versions) {
    this.out = out;
    this.version = version;
    this.versions = versions;
  }

  public static void main(String[] arguments) throws IOException {
    Map<String, String> versions = new java.util.TreeMap<>();
    for (String argument : List.of(arguments).subList(3, arguments.length)) {
      int sign = argument.indexOf('=');
      versions.put(argument.substring(0, sign), argument.substring(sign + 1));
    }
    Sdk sdk = new Sdk(Path.of(arguments[0]), arguments[1], versions);
    delete(sdk.out);
    for (Artifact artifact : ARTIFACTS) {
      sdk.put(artifact);
    }
    sdk.javadoc(arguments[2]);
  }

  private void put(Artifact artifact) throws IOException {
    Path folder =
        Files.createDirectories(
            out.resolve("repo")
                .resolve(GROUP.replace('.', '/'))
                .resolve(artifact.artifact())
                .resolve(version));
    String name = artifact.artifact() + "-" + version;
    Path jar = folder.resolve(name + ".jar");
    Files.copy(Path.of(artifact.folder(), "target", name + ".jar"), jar);
    checksum(jar);
    Path pom = folder.resolve(name + ".pom");
    Files.writeString(pom, pom(artifact));
    checksum(pom);
    Path sources = folder.resolve(name + "-sources.jar");
    sources(Path.of(artifact.folder(), "src/main/java"), sources);
    checksum(sources);
  }

  private String pom(Artifact artifact) {
    StringBuilder dependencies = new StringBuilder();
    for (String own : artifact.own()) {
      dependencies.append(dependency(GROUP, own, version));
    }
    for (Library library : artifact.libraries()) {
      String of = versions.get(library.key());
      if (of == null) {
        throw new IllegalArgumentException(
            "no version of [" + library.key() + "] among the arguments");
      }
      dependencies.append(dependency(library.group(), library.artifact(), of));
    }
    return """
    <?xml version="1.0" encoding="UTF-8"?>
    <project xmlns="http://maven.apache.org/POM/4.0.0">
      <modelVersion>4.0.0</modelVersion>
      <groupId>%s</groupId>
      <artifactId>%s</artifactId>
      <version>%s</version>
      <description>%s</description>
      <licenses>
        <license>
          <name>Apache-2.0</name>
        </license>
      </licenses>
      <dependencies>
    %s  </dependencies>
    </project>
    """
        .formatted(GROUP, artifact.artifact(), version, artifact.about(), dependencies);
  }

  private static String dependency(String group, String artifact, String of) {
    return """
        <dependency>
          <groupId>%s</groupId>
          <artifactId>%s</artifactId>
          <version>%s</version>
        </dependency>
    """
        .formatted(group, artifact, of);
  }

  private static void sources(Path folder, Path jar) throws IOException {
    try (OutputStream file = Files.newOutputStream(jar);
        ZipOutputStream zip = new ZipOutputStream(file);
        Stream<Path> all = Files.walk(folder)) {
      for (Path source : all.filter(Files::isRegularFile).sorted().toList()) {
        ZipEntry entry = new ZipEntry(folder.relativize(source).toString());
        entry.setTimeLocal(TIME);
        zip.putNextEntry(entry);
        Files.copy(source, zip);
        zip.closeEntry();
      }
    }
  }

  /** As Maven asks for it: the digits alone. */
  private static void checksum(Path file) throws IOException {
    try {
      byte[] digest = MessageDigest.getInstance("SHA-1").digest(Files.readAllBytes(file));
      Files.writeString(
          file.resolveSibling(file.getFileName() + ".sha1"), HexFormat.of().formatHex(digest));
    } catch (NoSuchAlgorithmException impossible) {
      throw new AssertionError("every Java platform has SHA-1", impossible);
    }
  }

  private void javadoc(String classPath) {
    List<String> jars = new ArrayList<>();
    for (String entry : classPath.split(java.io.File.pathSeparator, -1)) {
      String name = String.valueOf(Path.of(entry).getFileName());
      if (name.endsWith(".jar") && READ.stream().anyMatch(name::startsWith)) {
        jars.add(entry);
      }
    }
    List<String> arguments =
        new ArrayList<>(
            List.of(
                "-quiet",
                "-notimestamp",
                "--no-fonts",
                "-Xdoclint:none",
                "-encoding",
                "UTF-8",
                "-d",
                out.resolve("javadoc").toString(),
                "-windowtitle",
                "OrbitKV " + version,
                "-doctitle",
                "OrbitKV " + version + ", for authors of plugins",
                "--module-path",
                String.join(java.io.File.pathSeparator, jars),
                "--module",
                "io.orbitkv.api,io.orbitkv.model,io.orbitkv.testkit"));
    for (String folder : List.of("api", "model", "testkit")) {
      arguments.add("--module-source-path");
      arguments.add("io.orbitkv." + folder + "=" + Path.of(folder, "src/main/java"));
    }
    StringWriter said = new StringWriter();
    PrintWriter to = new PrintWriter(said, true);
    int status =
        ToolProvider.findFirst("javadoc")
            .orElseThrow()
            .run(to, to, arguments.toArray(String[]::new));
    if (status != 0) {
      throw new IllegalStateException("javadoc failed:\n" + said);
    }
  }

  private static void delete(Path folder) throws IOException {
    if (!Files.exists(folder)) {
      return;
    }
    try (Stream<Path> all = Files.walk(folder)) {
      for (Path path : all.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(path);
      }
    }
  }
}
