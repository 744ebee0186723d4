package io.orbitkv.cli;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.jar.JarOutputStream;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;

/**
 * An installation as far as a Manager needs one: the plugins of this reactor, from their compiled
 * classes.
 */
final class TestHome {
  private static final String PROPERTY = "orbitkv.home";

  private TestHome() {}

  /**
   * Makes an installation in {@code home} and names it to this process, whose children inherit it.
   */
  static void install(Path home) throws IOException {
    install(home, List.of("dram-tier", "host-copy"));
  }

  /** The same, of these plugins, each by its folder in {@code plugins/}. */
  static void install(Path home, List<String> folders) throws IOException {
    for (String folder : folders) {
      Path module = Path.of(System.getProperty("basedir", "."), "..", "plugins", folder);
      String plugin = module.getFileName().toString();
      Path target = Files.createDirectories(home.resolve("plugins").resolve(plugin).resolve("lib"));
      jar(module.resolve("target/classes"), target.resolve(plugin + ".jar"));
      String descriptor =
          Files.readString(module.resolve("src/main/plugin/plugin.properties"))
              .replace("${project.version}", "0.1.0")
              .replace("${project.description}", plugin);
      Files.writeString(target.resolveSibling("plugin.properties"), descriptor);
    }
    System.setProperty(PROPERTY, home.toString());
  }

  /** Adds the SSD store and its crash tests, which run in a child process. */
  static void installStoreSimulator(Path home) throws IOException {
    Path root = Path.of(System.getProperty("basedir", "."), "..");
    Path plugin = Files.createDirectories(home.resolve("plugins/ssd-iouring/lib"));
    jar(root.resolve("plugins/ssd-iouring/target/classes"), plugin.resolve("ssd-iouring.jar"));
    Path library = Files.createDirectories(home.resolve("lib"));
    jar(root.resolve("store-sim/target/classes"), library.resolve("store-sim.jar"));
  }

  /** The folders of all policies. */
  static List<String> policies() throws IOException {
    Path all = Path.of(System.getProperty("basedir", "."), "..", "plugins", "policies");
    try (Stream<Path> folders = Files.list(all)) {
      return folders
          .filter(folder -> Files.exists(folder.resolve("src/main/plugin/plugin.properties")))
          .map(folder -> "policies/" + folder.getFileName())
          .sorted()
          .toList();
    }
  }

  /** Adds a library that a plugin bundles, from the path of this process. */
  static void bundle(Path home, String plugin, String library) throws IOException {
    String paths =
        System.getProperty("java.class.path")
            + File.pathSeparator
            + System.getProperty("jdk.module.path", "");
    for (String entry : paths.split(File.pathSeparator, -1)) {
      Path jar = Path.of(entry);
      if (jar.getFileName().toString().startsWith(library + "-")) {
        Files.copy(jar, home.resolve("plugins").resolve(plugin).resolve("lib/" + library + ".jar"));
        return;
      }
    }
    throw new IllegalStateException("no [" + library + "] on the path of this process");
  }

  static void uninstall() {
    System.clearProperty(PROPERTY);
  }

  /** What runs the program in a process of its own. */
  static List<String> command(Path home, String... arguments) {
    List<String> command =
        new ArrayList<>(
            List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:+UseSerialGC",
                "--enable-native-access=io.orbitkv.wire,io.orbitkv.client,io.orbitkv.cuda,com.sun.jna",
                "-Dorbitkv.home=" + home,
                "--class-path",
                System.getProperty("java.class.path"),
                "--module-path",
                System.getProperty("jdk.module.path"),
                "--module",
                "io.orbitkv.cli/io.orbitkv.cli.Main"));
    command.addAll(List.of(arguments));
    return command;
  }

  private static void jar(Path classes, Path file) throws IOException {
    try (JarOutputStream jar = new JarOutputStream(Files.newOutputStream(file));
        Stream<Path> paths = Files.walk(classes)) {
      paths
          .filter(Files::isRegularFile)
          .sorted()
          .forEach(path -> {
            try {
              jar.putNextEntry(new ZipEntry(classes.relativize(path).toString()));
              Files.copy(path, jar);
              jar.closeEntry();
            } catch (IOException failure) {
              throw new UncheckedIOException(failure);
            }
          });
    }
  }
}
