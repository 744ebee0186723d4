package io.orbitkv.manager.plugin;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** Puts a plugin's zip into the plugins directory, once nothing speaks against it. */
public final class PluginInstaller {
  private final Path directory;
  private final PluginTrust trust;
  private final PluginHostOptions options;

  /**
   * An installer.
   *
   * @param directory where plugins are; made when absent
   * @param trust as configured
   * @param options of the host that tries it
   */
  public PluginInstaller(Path directory, PluginTrust trust, PluginHostOptions options) {
    this.directory = directory;
    this.trust = trust;
    this.options = options;
  }

  /**
   * What became of it.
   *
   * @param plugin that was installed
   * @param file where it is now
   * @param replaced names of files and folders that it took the place of
   */
  public record Installed(PluginInfo plugin, Path file, List<String> replaced) {
    /** Copies the list. */
    public Installed {
      replaced = List.copyOf(replaced);
    }

    /** One JSON object. */
    public String json() {
      Json json = new Json();
      tools.jackson.databind.node.ObjectNode node = json.plugin(plugin);
      node.put("installed", file.toString());
      tools.jackson.databind.node.ArrayNode gone = node.putArray("replaced");
      replaced.forEach(gone::add);
      return json.text(node);
    }
  }

  /**
   * Checks a zip, starts it once beside the installed plugins, and copies it. The copy is complete
   * or not there at all.
   *
   * @param force whether it may take the place of an installed plugin of its id, or of its file
   * @throws IllegalArgumentException saying what is wrong and what to do; nothing was changed
   * @throws IOException when the directory cannot be written
   */
  public Installed install(Path zip, boolean force) throws IOException {
    if (!Files.isRegularFile(zip)) {
      throw new IllegalArgumentException(
          "plugin ["
              + zip
              + "] is no file: name the zip that the packaging plugin wrote, such as"
              + " target/x-1.0.0.zip");
    }
    PluginVerification verification =
        PluginCommands.verify(zip, directory, trust, options.workDirectory());
    if (!verification.passed()) {
      PluginVerification.Check failed = verification.checks().getLast();
      throw new IllegalArgumentException(
          "plugin ["
              + zip
              + "] cannot be used: "
              + failed.name()
              + ": "
              + failed.detail()
              + "; nothing was installed");
    }
    Path target = directory.resolve(fileName(zip));
    List<Path> inPlace = inPlace(verification.id(), target);
    if (!force && !inPlace.isEmpty()) {
      throw new IllegalArgumentException(
          "plugin ["
              + verification.id()
              + "] is installed already, in "
              + inPlace.stream().map(path -> "[" + path.getFileName() + "]").toList()
              + ": give --force to replace it");
    }
    PluginInfo started = start(zip, verification);
    copy(zip, target);
    List<String> replaced = new ArrayList<>();
    for (Path old : inPlace) {
      replaced.add(String.valueOf(old.getFileName()));
      if (!old.equals(target)) {
        WorkFolder.delete(old);
      }
    }
    return new Installed(started, target, replaced);
  }

  private static String fileName(Path zip) {
    String name = String.valueOf(zip.getFileName());
    if (!name.endsWith(".zip") || name.startsWith(".")) {
      throw new IllegalArgumentException(
          "plugin [" + zip + "] must be called something.zip, or no Manager would find it");
    }
    return name;
  }

  /** What is there under the id, and what has the name of the file. */
  private List<Path> inPlace(String id, Path target) {
    List<Path> found = new ArrayList<>();
    for (Path candidate : PluginInstallation.candidates(directory)) {
      boolean same = candidate.equals(target);
      try {
        same |= PluginCommands.identify(candidate, options.workDirectory()).id().equals(id);
      } catch (IllegalArgumentException unusable) {
        System.getLogger(PluginInstaller.class.getName())
            .log(System.Logger.Level.DEBUG, "[" + candidate + "] is no plugin", unusable);
      }
      if (same) {
        found.add(candidate);
      }
    }
    return found;
  }

  /** Starts it as a Manager would, beside the others, none of which may suffer from it. */
  private PluginInfo start(Path zip, PluginVerification verification) {
    try (PluginHost host = PluginHost.open(directory, List.of(zip), trust, options)) {
      PluginInfo started =
          host.plugins().stream()
              .filter(plugin -> plugin.id().equals(verification.id()))
              .filter(plugin -> plugin.status() == PluginStatus.STARTED)
              .findFirst()
              .orElseThrow(() -> refused(host, verification.id()));
      if (!started.digest().equals(verification.digest())) {
        throw new IllegalArgumentException(
            "plugin [" + zip + "] changed while it was checked: install it again");
      }
      Set<String> suffering = refusedIds(host);
      if (!suffering.isEmpty()) {
        try (PluginHost before = PluginHost.open(directory, trust, options)) {
          suffering.removeAll(refusedIds(before));
        }
      }
      if (!suffering.isEmpty()) {
        throw new IllegalArgumentException(
            "with plugin ["
                + verification.id()
                + "] others could not be used any more: "
                + host.refusals().stream()
                    .filter(refusal -> suffering.contains(refusal.plugin()))
                    .map(PluginRefusal::line)
                    .toList()
                + "; nothing was installed");
      }
      return started;
    }
  }

  private static Set<String> refusedIds(PluginHost host) {
    Set<String> ids = new HashSet<>();
    host.refusals().forEach(refusal -> ids.add(refusal.plugin()));
    return ids;
  }

  private static IllegalArgumentException refused(PluginHost host, String id) {
    return new IllegalArgumentException(
        host.refusals().stream()
                .filter(refusal -> refusal.plugin().equals(id))
                .map(PluginRefusal::line)
                .findFirst()
                .orElse("plugin [" + id + "] does not start")
            + "; nothing was installed");
  }

  private void copy(Path zip, Path target) throws IOException {
    Files.createDirectories(directory);
    // Hidden, so that no Manager that starts meanwhile takes it for a plugin.
    Path unfinished = directory.resolve("." + target.getFileName() + ".part");
    try {
      Files.copy(zip, unfinished, StandardCopyOption.REPLACE_EXISTING);
      try (FileChannel written = FileChannel.open(unfinished, StandardOpenOption.WRITE)) {
        written.force(true);
      }
      if (Files.isDirectory(target)) {
        throw new IllegalArgumentException(
            "[" + target + "] is a folder: remove it, or give the zip another name");
      }
      Files.move(
          unfinished, target, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    } finally {
      Files.deleteIfExists(unfinished);
    }
  }
}
