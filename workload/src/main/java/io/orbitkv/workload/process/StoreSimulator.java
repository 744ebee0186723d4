package io.orbitkv.workload.process;

import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Enumeration;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;
import org.jspecify.annotations.Nullable;

/**
 * The crash tests of the SSD store, in a child process: beside the modules of this program it has
 * those of the plugin, which this process never loads.
 */
public final class StoreSimulator implements AutoCloseable {
  private static final String PLUGIN = "ssd-iouring";
  private static final String STORE = "io.orbitkv.ssd";
  private static final String SIMULATOR = "io.orbitkv.ssd.sim";
  private static final String LIBRARY = "lib/";
  private static final String JAR = ".jar";

  private final Path folder;
  private final List<Path> modulePath;

  private StoreSimulator(Path folder, List<Path> modulePath) {
    this.folder = folder;
    this.modulePath = modulePath;
  }

  /**
   * Unpacks the plugin of an installation into a temporary folder.
   *
   * @throws IOException when the installation has none; the message is for the user
   */
  public static StoreSimulator ofInstallation(Path home) throws IOException {
    Path folder = Files.createTempDirectory("orbitkv-store-sim-");
    StoreSimulator simulator = new StoreSimulator(folder, modulePath(home, folder));
    simulator.takePlugin(home.resolve("plugins"));
    return simulator;
  }

  private static List<Path> modulePath(Path home, Path folder) {
    Set<Path> path = new LinkedHashSet<>();
    for (String entry : System.getProperty("jdk.module.path", "").split(File.pathSeparator, -1)) {
      if (!entry.isEmpty()) {
        path.add(Path.of(entry));
      }
    }
    path.add(home.resolve("lib"));
    path.add(folder);
    return List.copyOf(path);
  }

  private void takePlugin(Path plugins) throws IOException {
    boolean taken = false;
    try {
      if (Files.isDirectory(plugins)) {
        try (DirectoryStream<Path> found = Files.newDirectoryStream(plugins, "*" + PLUGIN + "*")) {
          for (Path plugin : found) {
            taken = true;
            take(plugin);
          }
        }
      }
    } catch (IOException | RuntimeException failure) {
      close();
      throw failure;
    }
    if (!taken) {
      close();
      throw new IOException(
          "no plugin [" + PLUGIN + "] in [" + plugins + "]: unpack the whole archive again");
    }
  }

  private void take(Path plugin) throws IOException {
    if (Files.isDirectory(plugin)) {
      try (DirectoryStream<Path> jars =
          Files.newDirectoryStream(plugin.resolve(LIBRARY), "*" + JAR)) {
        for (Path jar : jars) {
          Files.copy(jar, folder.resolve(jar.getFileName().toString()));
        }
      }
      return;
    }
    try (ZipFile zip = new ZipFile(plugin.toFile())) {
      Enumeration<? extends ZipEntry> entries = zip.entries();
      while (entries.hasMoreElements()) {
        ZipEntry entry = entries.nextElement();
        String name = entry.getName();
        if (name.startsWith(LIBRARY) && name.endsWith(JAR)) {
          try (InputStream jar = zip.getInputStream(entry)) {
            Files.copy(jar, folder.resolve(name.substring(name.lastIndexOf('/') + 1)));
          }
        }
      }
    }
  }

  /**
   * Runs the crash tests to their end.
   *
   * @param patch changed classes of the store, or null
   * @param arguments of the simulator
   * @throws IOException when it did not work; the message is for the user
   */
  SimulatorProcess run(String what, @Nullable Path patch, List<String> arguments)
      throws IOException, InterruptedException {
    List<String> command = new ArrayList<>();
    command.add(ManagerProcess.java());
    command.addAll(
        List.of(
            "-XX:+UseSerialGC",
            "-Xmx512m",
            "--enable-native-access=" + SIMULATOR + "," + STORE,
            "--illegal-native-access=deny",
            "--sun-misc-unsafe-memory-access=deny"));
    if (patch != null) {
      command.addAll(List.of("--patch-module", STORE + "=" + patch));
    }
    command.add("--module-path");
    command.add(String.join(File.pathSeparator, modulePath.stream().map(Path::toString).toList()));
    command.addAll(List.of("--module", SIMULATOR + "/" + SIMULATOR + ".Main"));
    command.addAll(arguments);
    return SimulatorProcess.run(what, command);
  }

  /**
   * Runs the crash tests to their end and hands on what they print.
   *
   * @param printed takes the report
   * @return whether every invariant held
   * @throws IOException when it did not work; the message is for the user
   */
  public boolean run(List<String> arguments, Appendable printed)
      throws IOException, InterruptedException {
    SimulatorProcess ended = run("the simulator of the SSD store", null, arguments);
    printed.append(ended.output());
    return ended.status() == SimulatorProcess.HELD;
  }

  @Override
  public void close() throws IOException {
    try (DirectoryStream<Path> files = Files.newDirectoryStream(folder)) {
      for (Path file : files) {
        Files.delete(file);
      }
    }
    Files.delete(folder);
  }
}
