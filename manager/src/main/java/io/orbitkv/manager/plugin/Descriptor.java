package io.orbitkv.manager.plugin;

import io.orbitkv.manager.settings.Nearest;
import java.io.IOException;
import java.io.Reader;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Properties;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import org.pf4j.DefaultVersionManager;
import org.pf4j.PluginDependency;
import org.pf4j.PluginDescriptor;
import org.pf4j.VersionManager;

/**
 * A plugin's descriptor, read strictly: an unknown or repeated key is an error.
 *
 * @param id lower case letters, digits and dashes
 * @param version a semantic version
 * @param requires range of API versions
 * @param provider who made it, may be empty
 * @param description what it is, may be empty
 * @param license under which it is given, may be empty
 * @param dependencies plugins that it needs
 * @param module its root module; empty when the one module that provides a plugin is meant
 * @param nativeAccess whether its root module may call native code
 */
record Descriptor(
    String id,
    String version,
    String requires,
    String provider,
    String description,
    String license,
    List<Dependency> dependencies,
    String module,
    boolean nativeAccess) {
  static final String FILE = "plugin.properties";

  private static final List<String> KEYS =
      List.of(
          "plugin.id",
          "plugin.version",
          "plugin.requires",
          "plugin.provider",
          "plugin.description",
          "plugin.license",
          "plugin.dependencies",
          "orbitkv.module",
          "orbitkv.native-access");
  private static final String NAME = "[a-z][a-z0-9]*(-[a-z0-9]+)*";
  private static final String VERSION =
      "\\d{1,9}\\.\\d{1,9}\\.\\d{1,9}(-[0-9A-Za-z.-]+)?(\\+[0-9A-Za-z.-]+)?";

  /**
   * A plugin that another one needs.
   *
   * @param id which
   * @param range of its versions, {@code *} for any
   */
  record Dependency(String id, String range) {}

  /**
   * Reads {@code plugin.properties} in a plugin's folder.
   *
   * @throws RefusedException when it is missing or not a descriptor
   */
  static Descriptor read(Path folder) {
    SortedMap<String, String> values = load(folder.resolve(FILE));
    for (String key : values.keySet()) {
      if (!KEYS.contains(key)) {
        throw invalid("[" + key + "] is not a key: " + Nearest.suggestion(key, KEYS));
      }
    }
    String id = required(values, "plugin.id");
    if (!id.matches(NAME)) {
      throw invalid("plugin.id [" + id + "] must be lower case letters, digits and dashes");
    }
    String version = required(values, "plugin.version");
    if (!version.matches(VERSION)) {
      throw invalid("plugin.version [" + version + "] is not a version such as 1.0.0");
    }
    String requires = required(values, "plugin.requires");
    checkRange("plugin.requires", requires);
    return new Descriptor(
        id,
        version,
        requires,
        values.getOrDefault("plugin.provider", ""),
        values.getOrDefault("plugin.description", ""),
        values.getOrDefault("plugin.license", ""),
        dependencies(id, values.getOrDefault("plugin.dependencies", "")),
        values.getOrDefault("orbitkv.module", ""),
        flag(values, "orbitkv.native-access"));
  }

  /** Whether a version lies in a range. */
  static boolean inRange(String version, String range) {
    VersionManager versions = new DefaultVersionManager();
    return versions.checkVersionConstraint(version, range);
  }

  /** The descriptor as PF4J wants it. */
  PluginDescriptor pf4j() {
    return new Pf4jDescriptor(this);
  }

  private static SortedMap<String, String> load(Path file) {
    StrictProperties properties = new StrictProperties();
    try (Reader reader = Files.newBufferedReader(file, StandardCharsets.UTF_8)) {
      properties.load(reader);
    } catch (NoSuchFileException missing) {
      throw new RefusedException(
          "it has no [" + FILE + "] at its top",
          "pack the descriptor beside lib/, as the packaging plugin does",
          missing);
    } catch (CharacterCodingException encoding) {
      throw invalid("it is not written in UTF-8");
    } catch (IOException | IllegalArgumentException unreadable) {
      throw invalid("it cannot be read: " + RefusedException.describe(unreadable));
    }
    if (!properties.repeated.isEmpty()) {
      throw invalid("[" + String.join(", ", properties.repeated) + "] is set twice");
    }
    SortedMap<String, String> values = new TreeMap<>();
    for (String key : properties.stringPropertyNames()) {
      values.put(key, properties.getProperty(key).strip());
    }
    return values;
  }

  private static String required(SortedMap<String, String> values, String key) {
    String value = values.getOrDefault(key, "");
    if (value.isEmpty()) {
      throw invalid("[" + key + "] is missing");
    }
    return value;
  }

  private static boolean flag(SortedMap<String, String> values, String key) {
    return switch (values.getOrDefault(key, "false")) {
      case "true" -> true;
      case "false" -> false;
      default -> throw invalid(key + " [" + values.get(key) + "] must be true or false");
    };
  }

  private static List<Dependency> dependencies(String id, String text) {
    List<Dependency> dependencies = new ArrayList<>();
    Set<String> seen = new HashSet<>();
    for (String part : text.split(",", -1)) {
      if (part.isBlank()) {
        continue;
      }
      PluginDependency parsed = new PluginDependency(part.strip());
      String name = parsed.getPluginId().strip();
      if (parsed.isOptional()) {
        throw invalid(
            "plugin.dependencies [" + part.strip() + "] is optional, which has no order of start");
      }
      if (!name.matches(NAME) || name.equals(id) || !seen.add(name)) {
        throw invalid(
            "plugin.dependencies [" + part.strip() + "] does not name another plugin once");
      }
      String range = parsed.getPluginVersionSupport().strip();
      checkRange("plugin.dependencies", range);
      dependencies.add(new Dependency(name, range));
    }
    return List.copyOf(dependencies);
  }

  private static void checkRange(String key, String range) {
    try {
      inRange("1.0.0", range);
    } catch (RuntimeException notRange) {
      throw new RefusedException(
          "its [" + FILE + "] is not valid: " + key + " [" + range + "] is not a version range",
          "write a range such as >=0.1.0 & <0.2.0",
          notRange);
    }
  }

  private static RefusedException invalid(String what) {
    return new RefusedException(
        "its [" + FILE + "] is not valid: " + what, "correct the descriptor and pack it again");
  }

  /** Properties that notice a key that is set twice; the last one would win silently. */
  private static final class StrictProperties extends Properties {
    @java.io.Serial private static final long serialVersionUID = 1;

    private final transient Set<String> repeated = new HashSet<>();

    @Override
    public synchronized Object put(Object key, Object value) {
      if (containsKey(key)) {
        repeated.add(key.toString());
      }
      return super.put(key, value);
    }
  }

  /** Hides PF4J's interface from the rest of the package. */
  private record Pf4jDescriptor(Descriptor descriptor) implements PluginDescriptor {
    @Override
    public String getPluginId() {
      return descriptor.id;
    }

    @Override
    public String getPluginDescription() {
      return descriptor.description;
    }

    @Override
    public String getPluginClass() {
      return "";
    }

    @Override
    public String getVersion() {
      return descriptor.version;
    }

    @Override
    public String getRequires() {
      return descriptor.requires;
    }

    @Override
    public String getProvider() {
      return descriptor.provider;
    }

    @Override
    public String getLicense() {
      return descriptor.license;
    }

    @Override
    public List<PluginDependency> getDependencies() {
      return descriptor.dependencies.stream()
          .map(dependency -> new PluginDependency(dependency.id + "@" + dependency.range))
          .toList();
    }
  }
}
