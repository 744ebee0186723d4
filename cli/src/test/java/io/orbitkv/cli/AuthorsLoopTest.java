package io.orbitkv.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.orbitkv.api.policy.PolicySlot;
import java.io.File;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.spi.ToolProvider;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What an author does, with javac in the place of Maven, which the build of the archive tries. */
class AuthorsLoopTest {
  private static final Pattern PROPERTY = Pattern.compile("<([a-z.-]+)\\.version>([^<]+)</");
  private static final Pattern BUILD_PLUGIN =
      Pattern.compile("<artifactId>(maven-[a-z]+-plugin)</artifactId>\\s*<version>([^<]+)</");

  @TempDir static Path folder;
  private static Path home;

  @BeforeAll
  static void install() throws IOException {
    home = Files.createDirectory(folder.resolve("home"));
    TestHome.install(
        home, List.of("dram-tier", "host-copy", "policies/write-all", "policies/stopping-cutoffs"));
    Files.createDirectories(home.resolve("sdk/repo/io/orbitkv/orbitkv-api/0.1.0"));
  }

  @AfterAll
  static void uninstall() {
    TestHome.uninstall();
  }

  private static Path project(String name, ProjectRole role) {
    Path project = folder.resolve("projects").resolve(name);
    Invocation made =
        Invocation.of("policy", "new", name, "--role", role.key(), "--out", project.toString());
    assertThat(made.err()).isEmpty();
    assertThat(made.status()).isZero();
    return project;
  }

  /** What the packaging plugin writes. */
  private static Path build(Path project, String name) throws IOException {
    Path classes = Files.createDirectories(project.resolve("target/classes"));
    List<String> arguments =
        new ArrayList<>(
            List.of("-Xlint:all", "-Werror", "-d", classes.toString(), "-p", modulePath()));
    try (Stream<Path> sources = Files.walk(project.resolve("src/main/java"))) {
      sources.filter(Files::isRegularFile).map(Path::toString).forEach(arguments::add);
    }
    StringWriter said = new StringWriter();
    PrintWriter to = new PrintWriter(said, true);
    int status =
        ToolProvider.findFirst("javac").orElseThrow().run(to, to, arguments.toArray(String[]::new));
    assertThat(status).as(said.toString()).isZero();
    Path jar = project.resolve("target/" + name + ".jar");
    try (ZipOutputStream out = new ZipOutputStream(Files.newOutputStream(jar));
        Stream<Path> all = Files.walk(classes)) {
      all.filter(Files::isRegularFile)
          .forEach(file -> entry(out, classes.relativize(file).toString(), file));
    }
    Path descriptor = project.resolve("target/plugin.properties");
    Files.writeString(
        descriptor,
        "plugin.id=" + name + "\nplugin.version=1.0.0\nplugin.requires=>=0.1.0 & <0.2.0\n");
    Path zip = project.resolve("target/" + name + "-1.0.0.zip");
    try (ZipOutputStream out = new ZipOutputStream(Files.newOutputStream(zip))) {
      entry(out, "plugin.properties", descriptor);
      entry(out, "lib/" + name + ".jar", jar);
    }
    return zip;
  }

  /** The API, and the annotations that its descriptor names. */
  private static String modulePath() {
    List<String> path = new ArrayList<>();
    try {
      path.add(
          Path.of(PolicySlot.class.getProtectionDomain().getCodeSource().getLocation().toURI())
              .toString());
    } catch (URISyntaxException impossible) {
      throw new IllegalStateException(impossible);
    }
    String paths =
        System.getProperty("java.class.path")
            + File.pathSeparator
            + System.getProperty("jdk.module.path", "");
    for (String entry : paths.split(File.pathSeparator, -1)) {
      if (Path.of(entry).getFileName().toString().startsWith("jspecify-")) {
        path.add(entry);
      }
    }
    return String.join(File.pathSeparator, path);
  }

  private static void entry(ZipOutputStream out, String name, Path file) {
    try {
      out.putNextEntry(new ZipEntry(name));
      Files.copy(file, out);
      out.closeEntry();
    } catch (IOException failed) {
      throw new UncheckedIOException(failed);
    }
  }

  @ParameterizedTest
  @EnumSource
  void newProject_ofEachRole_compilesWithoutAWarningAndCanBeTried(ProjectRole role)
      throws IOException {
    String name = "my-" + role.key();
    Path zip = build(project(name, role), name);

    Invocation tried =
        Invocation.of("policy", "try", zip.toString(), "--requests", "500", "--json");

    assertThat(tried.err()).isEmpty();
    assertThat(tried.out()).contains("\"policy\" : \"" + name + "\"", "\"sound\" : true");
    assertThat(tried.status()).isZero();
  }

  @Test
  void newProject_whereAFolderIs_isRefused() {
    project("twice", ProjectRole.CUTOFF);

    Invocation again =
        Invocation.of(
            "policy",
            "new",
            "twice",
            "--role",
            "cutoff",
            "--out",
            folder.resolve("projects/twice").toString());

    assertThat(again.status()).isEqualTo(2);
    assertThat(again.err()).contains("is there already", "--out");
  }

  @Test
  void newProject_usesTheSdkOfTheInstallation() throws IOException {
    Path project = project("placed", ProjectRole.WARMING);

    assertThat(project.resolve("pom.xml"))
        .content()
        .contains(home.resolve("sdk").toUri().toString().replaceAll("/$", ""))
        .contains("<orbitkv.version>0.1.0</orbitkv.version>")
        .doesNotContain("@");
    assertThat(Files.readString(project.resolve("README.md"))).doesNotContain("@NAME@");
  }

  @Test
  void policyTry_besideAnother_tellsBothAndTheFirstDecisions() throws IOException {
    Path zip = build(project("beside", ProjectRole.ADMISSION), "beside");

    Invocation tried = Invocation.of("policy", "try", zip.toString(), "--against", "write-all");

    assertThat(tried.err()).isEmpty();
    assertThat(tried.out())
        .contains("beside in admission.ssd, beside write-all", "2,000 requests")
        .contains("Regret: ", "First decisions:", "drop, offered-first", "clairvoyant");
  }

  @Test
  void policyTry_thatThrows_namesTheCallAndItsPlace() throws IOException {
    Path project = project("throwing", ProjectRole.RETENTION);
    Path source = project.resolve("src/main/java/org/example/throwing/Throwing.java");
    Files.writeString(
        source,
        Files.readString(source)
            .replace(
                "    // The lowest leaves first.\n",
                "if (candidates.size() > 0) { throw new IllegalStateException(\"no idea\"); }\n"));

    Invocation tried = Invocation.of("policy", "try", build(project, "throwing").toString());

    assertThat(tried.status()).isEqualTo(1);
    assertThat(tried.out())
        .contains("score threw java.lang.IllegalStateException: no idea, at ", "Throwing.java")
        .contains("built-in default stand in");
  }

  @Test
  void policyTry_inASlotThatItDoesNotServe_saysWhichThereAre() throws IOException {
    Path zip = build(project("elsewhere", ProjectRole.CUTOFF), "elsewhere");

    Invocation wrong = Invocation.of("policy", "try", zip.toString(), "--role", "retention");
    Invocation other = Invocation.of("policy", "try", zip.toString(), "--against", "write-all");

    assertThat(wrong.err()).contains("[elsewhere] does not serve in [retention]", "[cutoff]");
    assertThat(other.err()).contains("[write-all] does not serve in [cutoff]");
    assertThat(wrong.status()).isEqualTo(2);
  }

  @Test
  void benchPolicy_withAZip_measuresItWithoutInstallingIt() throws IOException {
    Path zip = build(project("benched", ProjectRole.RETENTION), "benched");
    Path trace = folder.resolve("trace.jsonl");
    assertThat(
            Invocation.of("trace", "generate", "--requests", "300", "--out", trace.toString())
                .status())
        .isZero();

    Invocation bench =
        Invocation.of(
            "bench",
            "policy",
            "--trace",
            trace.toString(),
            "--capacity",
            "8gb",
            "--plugin",
            zip.toString(),
            "--json");

    assertThat(bench.err()).isEmpty();
    assertThat(bench.out()).contains("\"benched\" : {");
    assertThat(Invocation.of("plugins", "list").out()).doesNotContain("benched");
  }

  @Test
  void pluginsInstall_thenList_showsIt_andVerifyGivesItsPin() throws IOException {
    Path own = Files.createDirectory(folder.resolve("own-plugins"));
    Path zip = build(project("installed", ProjectRole.LOOKAHEAD), "installed");

    Invocation done =
        Invocation.of("plugins", "install", zip.toString(), "--plugins", own.toString());
    Invocation again =
        Invocation.of("plugins", "install", zip.toString(), "--plugins", own.toString());
    Invocation verified = Invocation.of("plugins", "verify", own.toString());

    assertThat(done.err()).isEmpty();
    assertThat(done.out())
        .contains("installed 1.0.0 is installed in", "offers the policy installed in lookahead");
    assertThat(again.status()).isEqualTo(1);
    assertThat(again.err()).contains("--force");
    assertThat(verified.out())
        .contains("can be used", "trust: pinned", "    installed: ")
        .containsPattern("    installed: [0-9a-f]{64}");
  }

  @Test
  void policyReplay_ofAJournal_showsWhatWouldChange() throws IOException {
    Path zip = build(project("again", ProjectRole.ADMISSION), "again");
    Path journal = folder.resolve("policies.jsonl");
    String line =
        """
        {"kind":"decision","time":"2026-01-01T00:00:00Z","nano_time":5,"epoch":1,"variant":"none",\
        "slot":"admission.ssd","policy":"write-all","ticket":1,"choice":"admit","reason":"all",\
        "by_default":false,"call_nanos":7,"inputs":{"chain":{"id":"00000000000000aa","parent":null,\
        "depth":0,"pages":4,"children":0,"bytes":100,"tier":"dram","last_use_nanos":null,"uses":0,\
        "unit_hash":0.5},"target":{"kind":"ssd","capacity_bytes":1,"free_bytes":1,"queued_bytes":0,\
        "read_bytes_per_second":null,"write_bytes_per_second":null,"read_latency_nanos":null,\
        "write_budget_left_bytes":null}}}
        """;
    Files.writeString(journal, line + line.replace("\"ticket\":1", "\"ticket\":2") + "{torn\n");

    Invocation replay =
        Invocation.of("policy", "replay", journal.toString(), "--with", zip.toString());

    assertThat(replay.err()).isEmpty();
    assertThat(replay.out())
        .contains("2 decisions decided again, 1 the same, 1 others")
        .contains("again: drop, offered-first")
        .contains("1 unreadable", "line 3 is unreadable");
    assertThat(replay.status()).isZero();
  }

  /** Offline after the first build means: nothing that this build does not have anyway. */
  @Test
  void versionsOfTemplates_areThoseOfThisBuild() throws IOException {
    Path root = Path.of(System.getProperty("basedir", "."), "..");
    Map<String, String> versions = new TreeMap<>();
    Matcher property = PROPERTY.matcher(Files.readString(root.resolve("pom.xml")));
    while (property.find()) {
      versions.put(property.group(1), property.group(2));
    }
    for (Path pom :
        List.of(
            root.resolve("cli/src/main/resources/io/orbitkv/cli/project/pom.xml.txt"),
            root.resolve("examples/comeback-policy/pom.xml"))) {
      String text = Files.readString(pom);
      assertThat(text).contains("<junit.version>" + versions.get("junit") + "</junit.version>");
      Matcher plugin = BUILD_PLUGIN.matcher(text);
      int found = 0;
      while (plugin.find()) {
        found++;
        assertThat(plugin.group(2)).as(plugin.group(1)).isEqualTo(versions.get(plugin.group(1)));
      }
      assertThat(found).as("build plugins of [%s]", pom).isEqualTo(4);
    }
  }
}
