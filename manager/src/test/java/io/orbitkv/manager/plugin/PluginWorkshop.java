package io.orbitkv.manager.plugin;

import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDateTime;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.spi.ToolProvider;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;

/** Compiles modules and packs plugins, as an author would, against what this JVM runs with. */
public final class PluginWorkshop {
  private static final LocalDateTime PACKED_AT = LocalDateTime.of(2026, 1, 1, 0, 0);

  private final Path directory;
  private final Map<Object, Path> jars = new HashMap<>();
  private int made;

  public PluginWorkshop(Path directory) {
    this.directory = directory;
  }

  /** The module path of this JVM, which holds the api and everything that plugins must not see. */
  static String modulePath() {
    return System.getProperty("jdk.module.path");
  }

  /** What the compiler said; empty when it compiled. */
  String compile(Path target, Map<String, String> sources, List<Path> libraries) {
    try {
      Path sourceFolder = Files.createDirectories(directory.resolve("source-" + made++));
      List<String> arguments = new ArrayList<>();
      StringBuilder path = new StringBuilder(modulePath());
      libraries.forEach(library -> path.append(java.io.File.pathSeparator).append(library));
      arguments.addAll(List.of("-proc:none", "-d", target.toString(), "-p", path.toString()));
      for (Map.Entry<String, String> source : sources.entrySet()) {
        Path file = sourceFolder.resolve(source.getKey());
        Files.createDirectories(file.getParent());
        Files.writeString(file, source.getValue());
        arguments.add(file.toString());
      }
      StringWriter said = new StringWriter();
      PrintWriter out = new PrintWriter(said);
      int status =
          ToolProvider.findFirst("javac")
              .orElseThrow()
              .run(out, out, arguments.toArray(String[]::new));
      return status == 0 ? "" : said.toString();
    } catch (IOException failed) {
      throw new java.io.UncheckedIOException(failed);
    }
  }

  /** A jar of compiled sources; the same sources are compiled once. */
  Path jar(String name, Map<String, String> sources, Path... libraries) {
    return jars.computeIfAbsent(
        List.of(name, sources, List.of(libraries)),
        _ -> {
          Path classes = directory.resolve("classes-" + made++);
          String said = compile(classes, sources, List.of(libraries));
          if (!said.isEmpty()) {
            throw new AssertionError(said);
          }
          return pack(directory.resolve("jar-" + made++).resolve(name), content(classes));
        });
  }

  /** The content of a folder by path. */
  static Map<String, byte[]> content(Path folder) {
    try {
      Map<String, byte[]> content = new LinkedHashMap<>();
      for (String file : PluginStore.files(folder)) {
        content.put(file, Files.readAllBytes(folder.resolve(file)));
      }
      return content;
    } catch (IOException failed) {
      throw new java.io.UncheckedIOException(failed);
    }
  }

  /** Writes an archive. */
  static Path pack(Path archive, Map<String, byte[]> content) {
    try {
      Files.createDirectories(archive.getParent());
      try (OutputStream file = Files.newOutputStream(archive);
          ZipOutputStream zip = new ZipOutputStream(file)) {
        for (Map.Entry<String, byte[]> entry : content.entrySet()) {
          ZipEntry header = new ZipEntry(entry.getKey());
          // Packing twice gives the same digest, whenever it happens.
          header.setTimeLocal(PACKED_AT);
          zip.putNextEntry(header);
          zip.write(entry.getValue());
          zip.closeEntry();
        }
      }
      return archive;
    } catch (IOException failed) {
      throw new java.io.UncheckedIOException(failed);
    }
  }

  /** A plugin that offers one copier named like itself. */
  public Plugin plugin(String id) {
    return new Plugin(id);
  }

  /** One plugin in the making. */
  public final class Plugin {
    private final String id;
    private final String module;
    private final Map<String, String> descriptor = new LinkedHashMap<>();
    private final Map<String, String> sources = new LinkedHashMap<>();
    private final Map<String, byte[]> extra = new LinkedHashMap<>();
    private final List<Path> libraries = new ArrayList<>();
    private final List<Path> compileOnly = new ArrayList<>();
    private String requires = "";
    private String exports = "";
    private String create = "return null;";
    private String constructor = "";
    private String members = "";

    private Plugin(String id) {
      this.id = id;
      this.module = "test." + id.replace('-', '.');
      descriptor.put("plugin.id", id);
      descriptor.put("plugin.version", "1.0.0");
      descriptor.put("plugin.requires", ">=0.1.0 & <0.2.0");
      descriptor.put("plugin.provider", "Test");
      descriptor.put("orbitkv.module", module);
    }

    String module() {
      return module;
    }

    public Plugin set(String key, String value) {
      descriptor.put(key, value);
      return this;
    }

    Plugin without(String key) {
      descriptor.remove(key);
      return this;
    }

    Plugin requires(String name) {
      requires += "  requires " + name + ";\n";
      return this;
    }

    Plugin exportsApi() {
      exports = "  exports " + module + ".spi;\n";
      sources.put(
          "spi/Greeting.java",
          "package "
              + module
              + ".spi; public final class Greeting { private Greeting() {}\n"
              + "  public static String text() { return \"hello from "
              + id
              + "\"; } }");
      return this;
    }

    /** Further members of the entry class, such as other capabilities. */
    public Plugin members(String code) {
      members = code;
      return this;
    }

    /** What the entry class's constructor does. */
    public Plugin constructor(String code) {
      constructor = code;
      return this;
    }

    /** What {@code create(Settings settings, PluginContext context)} of its copier does. */
    Plugin create(String code) {
      create = code;
      return this;
    }

    Plugin library(Path jar) {
      libraries.add(jar);
      return this;
    }

    /** A module to compile against that is not packed. */
    Plugin against(Path jar) {
      compileOnly.add(jar);
      return this;
    }

    Plugin file(String path, byte[] content) {
      extra.put(path, content);
      return this;
    }

    Path jar() {
      Map<String, String> all = new LinkedHashMap<>(sources);
      all.put(
          "module-info.java",
          "module "
              + module
              + " {\n  requires io.orbitkv.api;\n"
              + requires
              + exports
              + "  provides io.orbitkv.api.OrbitKvPlugin with "
              + module
              + ".Entry;\n}\n");
      all.put(
          "Entry.java",
          """
          package %s;
          import io.orbitkv.api.copy.DeviceCopier;
          import io.orbitkv.api.copy.DeviceCopierFactory;
          import io.orbitkv.api.OrbitKvPlugin;
          import io.orbitkv.api.plugin.PluginContext;
          import io.orbitkv.api.settings.Setting;
          import java.util.List;
          public final class Entry implements OrbitKvPlugin {
            public Entry() { %s }
            record Settings(
                @Setting(def = "2", min = "1", max = "8", doc = "threads that copy") int threads,
                @Setting(def = "fast", doc = "how") Mode mode) {}
            enum Mode { FAST, VERY_SLOW }
            static final class Factory implements DeviceCopierFactory<Settings> {
              @Override public String name() { return "%s"; }
              @Override public Class<Settings> settings() { return Settings.class; }
              @Override public DeviceCopier create(Settings settings, PluginContext context) {
                %s
              }
            }
            @Override public List<DeviceCopierFactory<?>> deviceCopiers() {
              return List.of(new Factory());
            }
            %s
          }
          """
              .formatted(module, constructor, id, create, members));
      List<Path> path = new ArrayList<>(libraries);
      path.addAll(compileOnly);
      return PluginWorkshop.this.jar(id + ".jar", all, path.toArray(Path[]::new));
    }

    /** The plugin's files by path. */
    Map<String, byte[]> files() {
      try {
        Map<String, byte[]> files = new LinkedHashMap<>();
        StringBuilder text = new StringBuilder();
        descriptor.forEach((key, value) -> text.append(key + "=" + value + "\n"));
        files.put("plugin.properties", text.toString().getBytes(StandardCharsets.UTF_8));
        files.put("lib/" + id + ".jar", Files.readAllBytes(jar()));
        for (Path library : libraries) {
          files.put("lib/" + library.getFileName(), Files.readAllBytes(library));
        }
        files.putAll(extra);
        return files;
      } catch (IOException failed) {
        throw new java.io.UncheckedIOException(failed);
      }
    }

    public Path zipInto(Path plugins) {
      return zipInto(plugins, id + "-1.0.0.zip");
    }

    Path zipInto(Path plugins, String name) {
      return pack(plugins.resolve(name), files());
    }

    Path folderInto(Path plugins) {
      try {
        Path folder = plugins.resolve(id);
        for (Map.Entry<String, byte[]> file : files().entrySet()) {
          Path path = folder.resolve(file.getKey());
          Files.createDirectories(path.getParent());
          Files.write(path, file.getValue());
        }
        return folder;
      } catch (IOException failed) {
        throw new java.io.UncheckedIOException(failed);
      }
    }
  }
}
