package io.orbitkv.cli;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * A new project of a policy's author: a Maven build that uses the SDK of an installation and
 * nothing else of ours.
 *
 * @param name of the policy, the plugin and the artifact
 * @param role what it decides
 * @param packageName of its classes, and name of its module
 * @param sdk with {@code repo} in it
 * @param version of the SDK's artifacts
 */
record PolicyProject(String name, ProjectRole role, String packageName, Path sdk, String version) {
  private static final int MOST_CHARACTERS = 64;
  private static final String NAME = "[a-z][a-z0-9]*(-[a-z0-9]+)*";
  private static final String PACKAGE = "[a-z_][a-z0-9_]*(\\.[a-z_][a-z0-9_]*)*";

  /** Names that the configuration has a meaning for. */
  private static final Set<String> BUILT_IN = Set.of("default", "none", "lru");

  private static final Set<String> KEYWORDS =
      Set.of(
          ("_ abstract assert boolean break byte case catch char class const continue default do"
                  + " double else enum extends false final finally float for goto if implements"
                  + " import instanceof int interface long native new null package private"
                  + " protected public return short static strictfp super switch synchronized this"
                  + " throw throws transient true try void volatile while")
              .split(" "));

  /** Classes that the templates use by their simple names. */
  private static final Set<String> TAKEN =
      Set.of(
          "Admission",
          "AdmissionPolicy",
          "ChainFacts",
          "CutoffPolicy",
          "Duration",
          "EngineFacts",
          "Facts",
          "History",
          "Integer",
          "List",
          "LookaheadPolicy",
          "Math",
          "OrbitKvPlugin",
          "Override",
          "PageBatch",
          "PageEvents",
          "Policies",
          "PolicyContext",
          "PolicyFactory",
          "Reason",
          "RequestFacts",
          "RetentionPolicy",
          "Setting",
          "Settings",
          "String",
          "TierFacts",
          "WarmingPolicy");

  /**
   * A project.
   *
   * @param packageName empty for {@code org.example} and the name
   * @throws CommandException when a name does not fit, or there is no SDK
   */
  static PolicyProject of(String name, ProjectRole role, String packageName, Path sdk) {
    if (!name.matches(NAME) || name.length() > MOST_CHARACTERS) {
      throw CommandException.usage(
          "policy name ["
              + name
              + "] must be lower case letters, digits and dashes, at most "
              + MOST_CHARACTERS
              + " and beginning with a letter, such as my-policy");
    }
    if (BUILT_IN.contains(name)) {
      throw CommandException.usage(
          "policy name [" + name + "] is built in: choose another, such as my-" + name);
    }
    String classes = packageName.isEmpty() ? "org.example." + segment(name) : packageName;
    checkPackage(classes);
    return new PolicyProject(name, role, classes, sdk, version(sdk));
  }

  private static String segment(String name) {
    String plain = name.replace("-", "");
    return KEYWORDS.contains(plain) ? plain + "policy" : plain;
  }

  private static void checkPackage(String name) {
    boolean keyword = Arrays.stream(name.split("\\.", -1)).anyMatch(KEYWORDS::contains);
    if (!name.matches(PACKAGE) || keyword || name.length() > 200) {
      throw CommandException.usage(
          "--package ["
              + name
              + "] must be a Java package of lower case names that are no keywords, such as"
              + " org.example.mypolicy");
    }
    for (String reserved : List.of("io.orbitkv", "java", "javax", "jdk")) {
      if (name.equals(reserved) || name.startsWith(reserved + ".")) {
        throw CommandException.usage(
            "--package [" + name + "] is reserved: choose one of your own, such as org.example");
      }
    }
  }

  private static String version(Path sdk) {
    Path api = sdk.resolve("repo/io/orbitkv/orbitkv-api");
    List<String> versions = List.of();
    if (Files.isDirectory(api)) {
      try (Stream<Path> folders = Files.list(api)) {
        versions =
            folders
                .filter(Files::isDirectory)
                .map(folder -> String.valueOf(folder.getFileName()))
                .sorted()
                .toList();
      } catch (IOException unreadable) {
        throw CommandException.failure(
            "the SDK [" + sdk + "] cannot be read: " + unreadable.getMessage(), unreadable);
      }
    }
    if (versions.isEmpty()) {
      throw CommandException.usage(
          "there is no SDK in ["
              + sdk
              + "]: unpack the whole archive, or name its folder sdk with --sdk");
    }
    return versions.getLast();
  }

  /** The policy's class. */
  String className() {
    String name =
        Arrays.stream(this.name.split("-", -1))
            .map(part -> part.substring(0, 1).toUpperCase(Locale.ROOT) + part.substring(1))
            .collect(Collectors.joining());
    return TAKEN.contains(name) ? "My" + name : name;
  }

  /**
   * Writes it.
   *
   * @param folder that must not be there
   * @return the files, below the folder
   */
  List<Path> write(Path folder) {
    if (Files.exists(folder)) {
      throw CommandException.usage(
          "[" + folder + "] is there already: name another folder with --out, or remove it");
    }
    Map<String, String> values = values();
    List<Path> written = new ArrayList<>();
    try {
      Path parent = folder.toAbsolutePath().getParent();
      if (parent != null) {
        Files.createDirectories(parent);
      }
      Files.createDirectory(folder);
      for (Map.Entry<String, String> file : files().entrySet()) {
        Path to = folder.resolve(file.getKey());
        Files.createDirectories(to.getParent());
        Files.writeString(to, filled(template(file.getValue()), values));
        written.add(folder.relativize(to));
      }
      return written;
    } catch (FileAlreadyExistsException raced) {
      throw CommandException.usage("[" + folder + "] is there already: name another folder");
    } catch (IOException failed) {
      throw CommandException.failure(
          "the project cannot be written to [" + folder + "]: " + failed.getMessage(), failed);
    }
  }

  /** Templates by the file that each becomes. */
  private Map<String, String> files() {
    String main = "src/main/java/";
    String path = packageName.replace('.', '/') + "/";
    String test = "src/test/java/" + path + className();
    Map<String, String> files = new LinkedHashMap<>();
    files.put("pom.xml", "pom.xml.txt");
    files.put("README.md", "README.md.txt");
    files.put(".gitignore", "gitignore.txt");
    files.put(main + "module-info.java", "module-info.java.txt");
    files.put(main + path + className() + ".java", role.key() + ".java.txt");
    files.put(main + path + className() + "Plugin.java", "Plugin.java.txt");
    files.put(test + "ContractTest.java", "ContractTest.java.txt");
    files.put(test + "Test.java", role.key() + ".test.txt");
    return files;
  }

  private Map<String, String> values() {
    String place = sdk.toAbsolutePath().normalize().toUri().toString();
    return Map.of(
        "@NAME@", name,
        "@CLASS@", className(),
        "@PACKAGE@", packageName,
        "@PATH@", packageName.replace('.', '/'),
        "@ROLE@", role.key(),
        "@ROLE_WORDS@", role.words(),
        "@KIT@", role.kit(),
        "@YAML@", role.configuration(name),
        "@VERSION@", version,
        "@SDK@", place.endsWith("/") ? place.substring(0, place.length() - 1) : place);
  }

  private static String filled(String template, Map<String, String> values) {
    String text = template;
    for (Map.Entry<String, String> value : values.entrySet()) {
      text = text.replace(value.getKey(), value.getValue());
    }
    return text;
  }

  private static String template(String name) {
    try (InputStream in = PolicyProject.class.getResourceAsStream("project/" + name)) {
      if (in == null) {
        throw new IllegalStateException("the template [" + name + "] is missing");
      }
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException broken) {
      throw new UncheckedIOException(broken);
    }
  }
}
