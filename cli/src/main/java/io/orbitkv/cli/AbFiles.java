package io.orbitkv.cli;

import io.orbitkv.manager.config.ManagerConfig;
import io.orbitkv.manager.experiment.ConfigurationEdit;
import io.orbitkv.manager.experiment.ConfigurationText;
import io.orbitkv.manager.plugin.PluginCommands;
import io.orbitkv.manager.settings.ConfigNode;
import io.orbitkv.workload.ab.assign.Arm;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Files that an experiment makes: a configuration for each variant, a store that is emptied before
 * each run, and a folder of plugins when some are brought along. Closing removes them.
 */
final class AbFiles implements AutoCloseable {
  private final Path folder;
  private final Map<Arm, Path> configurations = new EnumMap<>(Arm.class);
  private final List<Path> stores = new ArrayList<>();

  private AbFiles(Path folder) {
    this.folder = folder;
  }

  /**
   * Makes them.
   *
   * @param alsoPlugins zips that are loaded beside the installation's
   */
  static AbFiles make(AbSetup setup, List<Path> alsoPlugins) throws IOException {
    AbFiles files = new AbFiles(Files.createTempDirectory("orbitkv-ab-"));
    try {
      @Nullable Path plugins =
          alsoPlugins.isEmpty() ? null : files.plugins(setup.configA(), alsoPlugins);
      List<String> paths = setup.configA().settings().ssd().paths();
      List<String> own = new ArrayList<>();
      for (String path : paths) {
        Path store = store(path);
        files.stores.add(store);
        own.add(store.toString());
      }
      files.write(Arm.A, setup.variants().a(), own, plugins);
      files.write(Arm.B, setup.variants().b(), own, plugins);
      return files;
    } catch (IOException | RuntimeException failure) {
      files.close();
      throw failure;
    }
  }

  /** What {@code serve} is started with. */
  Map<Arm, List<String>> serveOptions() {
    Map<Arm, List<String>> options = new EnumMap<>(Arm.class);
    configurations.forEach((arm, file) -> options.put(arm, List.of("--config", file.toString())));
    return options;
  }

  /** Files of the store, which belong to the experiment. */
  List<Path> stores() {
    return List.copyOf(stores);
  }

  /** A message of a Manager, in which its configuration is called by the variant. */
  String named(String message) {
    String told = message;
    for (Map.Entry<Arm, Path> entry : configurations.entrySet()) {
      // Its lines are those of a file that is gone: the key says where.
      told =
          told.replaceAll(
              Pattern.quote(entry.getValue().toString()) + "(:\\d+:\\d+)?",
              "variant " + entry.getKey());
    }
    return told;
  }

  @Override
  public void close() {
    List<Path> all = new ArrayList<>(stores);
    all.addAll(configurations.values());
    Path plugins = folder.resolve("plugins");
    try {
      if (Files.isDirectory(plugins)) {
        try (Stream<Path> below = Files.walk(plugins)) {
          below.sorted(Comparator.reverseOrder()).forEach(all::add);
        }
      }
      all.add(folder);
      for (Path file : all) {
        Files.deleteIfExists(file);
      }
    } catch (IOException leftBehind) {
      // A temporary folder that cannot be removed harms nobody, and the result must not be lost.
    }
  }

  /** Beside the configured file, so that it is on the same device. */
  private static Path store(String configured) {
    Path path = Path.of(configured);
    if (Files.exists(path) && !Files.isRegularFile(path)) {
      throw CommandException.usage(
          "ssd.paths ["
              + configured
              + "] is no regular file: an experiment empties the store before each run and uses a"
              + " file of its own beside the one that is named; name a file on the same device");
    }
    return path.resolveSibling(path.getFileName() + ".ab-" + ProcessHandle.current().pid());
  }

  /** The installed plugins but those of which another was brought along, and these. */
  private Path plugins(ManagerConfig config, List<Path> also) throws IOException {
    Path plugins = Files.createDirectory(folder.resolve("plugins"));
    Set<String> brought = new HashSet<>();
    for (Path zip : also) {
      if (!Files.isRegularFile(zip)) {
        throw CommandException.usage("--plugin [" + zip + "] is no file: name a plugin's zip");
      }
      String id = Plugins.identify(zip, config).id();
      if (!brought.add(id)) {
        throw CommandException.usage(
            "--plugin [" + zip + "] has the id [" + id + "] of another one: leave one out");
      }
      Files.copy(zip, plugins.resolve("brought-" + brought.size() + "-" + zip.getFileName()));
    }
    Path installed = config.pluginsDirectory();
    if (Files.isDirectory(installed)) {
      try (DirectoryStream<Path> entries = Files.newDirectoryStream(installed)) {
        for (Path entry : entries) {
          if (!brought.contains(idOf(entry, config))) {
            copy(entry, plugins.resolve(entry.getFileName()));
          }
        }
      }
    }
    return plugins;
  }

  /** Empty for what is no plugin: the Manager says so. */
  private static String idOf(Path entry, ManagerConfig config) {
    try {
      return PluginCommands.identify(entry, config.pluginsWorkDirectory()).id();
    } catch (IllegalArgumentException unusable) {
      return "";
    }
  }

  private static void copy(Path from, Path to) throws IOException {
    try (Stream<Path> all = Files.walk(from)) {
      for (Path path : all.toList()) {
        Path target = to.resolve(from.relativize(path).toString());
        if (Files.isDirectory(path)) {
          Files.createDirectories(target);
        } else {
          Files.copy(path, target);
        }
      }
    }
  }

  private void write(
      Arm arm, ConfigNode.Mapping configuration, List<String> stores, @Nullable Path plugins)
      throws IOException {
    ConfigNode.Mapping own = configuration;
    if (!stores.isEmpty()) {
      own = ConfigurationEdit.with(own, "ssd", "paths", ConfigurationEdit.flags("ab", stores));
    }
    if (plugins != null) {
      own =
          ConfigurationEdit.with(
              own, "plugins", "directory", ConfigurationEdit.flag("--plugin", plugins.toString()));
    }
    Path file = folder.resolve(arm + ".yaml");
    Files.writeString(file, ConfigurationText.of(own) + "\n");
    configurations.put(arm, file);
  }
}
