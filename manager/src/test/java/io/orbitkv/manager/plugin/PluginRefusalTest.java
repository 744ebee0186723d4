package io.orbitkv.manager.plugin;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Each bad plugin is refused by name with its own reason, and the good one beside it serves on. */
class PluginRefusalTest {
  private static PluginWorkshop workshop;

  @TempDir Path work;
  @TempDir Path plugins;

  @BeforeAll
  static void open(@TempDir Path directory) {
    workshop = new PluginWorkshop(directory);
  }

  private PluginHost host() {
    return host(new PluginTrust.Any(), PluginLimits.standard());
  }

  private PluginHost host(PluginTrust trust, PluginLimits limits) {
    workshop.plugin("good").zipInto(plugins);
    PluginHostOptions options =
        PluginHostOptions.of(work, new SimpleMeterRegistry(), System::nanoTime).withLimits(limits);
    return PluginHost.open(plugins, trust, options);
  }

  /** The one refusal, after making sure that the good plugin serves. */
  private PluginRefusal onlyRefusal() {
    try (PluginHost host = host()) {
      return onlyRefusal(host);
    }
  }

  private static PluginRefusal onlyRefusal(PluginHost host) {
    assertThat(host.plugins()).extracting(PluginInfo::id).containsExactly("good");
    assertThat(host.plugins().getFirst().status()).isEqualTo(PluginStatus.STARTED);
    assertThat(host.copier("good")).isPresent();
    assertThat(host.refusals()).hasSize(1);
    PluginRefusal refusal = host.refusals().getFirst();
    assertThat(refusal.remedy()).isNotBlank();
    assertThat(refusal.line()).doesNotContain("\n").contains("[" + refusal.plugin() + "]");
    return refusal;
  }

  @Test
  void open_missingDependency_refusedByName() {
    workshop.plugin("bad").set("plugin.dependencies", "absent@>=1.0.0").zipInto(plugins);
    PluginRefusal refusal = onlyRefusal();
    assertThat(refusal.plugin()).isEqualTo("bad");
    assertThat(refusal.file()).isEqualTo("bad-1.0.0.zip");
    assertThat(refusal.reason()).isEqualTo("it needs the plugin [absent], which is not installed");
  }

  @Test
  void open_dependencyInWrongVersion_refusedByName() {
    workshop.plugin("bad").set("plugin.dependencies", "good@>=2.0.0").zipInto(plugins);
    assertThat(onlyRefusal().reason())
        .isEqualTo("it needs the plugin [good] in a version [>=2.0.0], and [1.0.0] is installed");
  }

  @Test
  void open_wrongApiRange_refusedByName() {
    workshop.plugin("bad").set("plugin.requires", ">=9.0.0").zipInto(plugins);
    PluginRefusal refusal = onlyRefusal();
    assertThat(refusal.plugin()).isEqualTo("bad");
    assertThat(refusal.reason())
        .isEqualTo("it works with the API versions [>=9.0.0], and this is [0.1.0]");
  }

  @Test
  void open_duplicateId_laterFileRefused() {
    workshop.plugin("good").set("plugin.version", "2.0.0").zipInto(plugins, "zz-good-2.0.0.zip");
    PluginRefusal refusal = onlyRefusal();
    assertThat(refusal.plugin()).isEqualTo("good");
    assertThat(refusal.file()).isEqualTo("zz-good-2.0.0.zip");
    assertThat(refusal.reason()).isEqualTo("its id is taken by [good-1.0.0.zip]");
  }

  @Test
  void open_fileThatIsNoZip_refusedByFileName() throws IOException {
    Files.writeString(plugins.resolve("bad.zip"), "this is no zip");
    PluginRefusal refusal = onlyRefusal();
    assertThat(refusal.plugin()).isEqualTo("bad.zip");
    assertThat(refusal.reason()).startsWith("it is no zip or is corrupt: ");
  }

  @Test
  void open_truncatedZip_refusedByFileName() throws IOException {
    byte[] whole = Files.readAllBytes(workshop.plugin("bad").zipInto(work.resolve("other")));
    Files.write(plugins.resolve("bad.zip"), Arrays.copyOf(whole, whole.length / 2));
    assertThat(onlyRefusal().reason()).startsWith("it is no zip or is corrupt: ");
  }

  @Test
  void open_everyByteFlippedInTurn_neverThrows() throws IOException {
    byte[] whole = Files.readAllBytes(workshop.plugin("bad").zipInto(work.resolve("other")));
    Path file = work.resolve("flipped.zip");
    int refused = 0;
    try (PluginStore store = new PluginStore(work, PluginLimits.standard())) {
      for (int at = 0; at < whole.length; at += 13) {
        byte[] flipped = whole.clone();
        flipped[at] ^= (byte) 0x55;
        Files.write(file, flipped);
        try {
          store.expand(file);
        } catch (RefusedException expected) {
          refused++;
        }
      }
    }
    assertThat(refused).isPositive();
  }

  @Test
  void open_descriptorMissing_refusedByFileName() {
    Map<String, byte[]> files = workshop.plugin("bad").files();
    files.remove("plugin.properties");
    PluginWorkshop.pack(plugins.resolve("bad.zip"), files);
    PluginRefusal refusal = onlyRefusal();
    assertThat(refusal.plugin()).isEqualTo("bad.zip");
    assertThat(refusal.reason()).isEqualTo("it has no [plugin.properties] at its top");
  }

  @Test
  void open_descriptorWithUnknownKey_refusedWithSuggestion() {
    workshop.plugin("bad").set("plugin.dependancies", "good").zipInto(plugins);
    assertThat(onlyRefusal().reason())
        .isEqualTo(
            "its [plugin.properties] is not valid: [plugin.dependancies] is not a key: did you mean"
                + " [plugin.dependencies]?");
  }

  @Test
  void open_descriptorWithKeyTwice_refused() {
    Map<String, byte[]> files = workshop.plugin("bad").files();
    String text = new String(files.get("plugin.properties"), StandardCharsets.UTF_8);
    files.put("plugin.properties", (text + "plugin.id=other\n").getBytes(StandardCharsets.UTF_8));
    PluginWorkshop.pack(plugins.resolve("bad.zip"), files);
    assertThat(onlyRefusal().reason())
        .isEqualTo("its [plugin.properties] is not valid: [plugin.id] is set twice");
  }

  @Test
  void open_descriptorsWithOneWrongValue_eachRefusedByItsKey() {
    Map<String, String> wrong = new LinkedHashMap<>();
    wrong.put("plugin.id=Bad Name", "plugin.id [Bad Name]");
    wrong.put("plugin.version=first", "plugin.version [first]");
    wrong.put("plugin.requires=newest", "plugin.requires [newest]");
    wrong.put("plugin.dependencies=good?@1.0.0", "plugin.dependencies [good?@1.0.0] is optional");
    wrong.put("plugin.dependencies=bad", "plugin.dependencies [bad]");
    wrong.put("orbitkv.native-access=maybe", "orbitkv.native-access [maybe]");
    wrong.forEach((line, reason) -> {
      String[] parts = line.split("=", 2);
      workshop.plugin("bad").set(parts[0], parts[1]).zipInto(plugins, "bad.zip");
      assertThat(onlyRefusal().reason()).as(line).contains(reason);
    });
    for (String key : List.of("plugin.id", "plugin.version", "plugin.requires")) {
      workshop.plugin("bad").without(key).zipInto(plugins, "bad.zip");
      assertThat(onlyRefusal().reason()).endsWith("[" + key + "] is missing");
    }
  }

  @Test
  void open_constructorThatThrows_refusedByName() {
    workshop
        .plugin("bad")
        .constructor("throw new IllegalStateException(\"no luck today\");")
        .zipInto(plugins);
    PluginRefusal refusal = onlyRefusal();
    assertThat(refusal.plugin()).isEqualTo("bad");
    assertThat(refusal.reason())
        .isEqualTo(
            "its entry class cannot be made: java.lang.IllegalStateException: no luck today");
  }

  @Test
  void open_constructorThatThrowsAnError_refusedByName() {
    workshop.plugin("bad").constructor("recurse(); } void recurse() { recurse();").zipInto(plugins);
    assertThat(onlyRefusal().reason()).contains("StackOverflowError");
  }

  @Test
  void open_dependentOfAFailedPlugin_refusedToo() {
    workshop.plugin("bad").constructor("throw new AssertionError();").zipInto(plugins);
    workshop.plugin("needy").set("plugin.dependencies", "bad").zipInto(plugins);
    try (PluginHost host = host()) {
      assertThat(host.plugins()).extracting(PluginInfo::id).containsExactly("good");
      assertThat(host.refusals()).extracting(PluginRefusal::plugin).containsExactly("bad", "needy");
      assertThat(host.refusals().getLast().reason())
          .isEqualTo("it needs the plugin [bad], which is refused itself");
    }
  }

  @Test
  void open_bundledApi_refusedByName() throws IOException {
    Path api = workshop.jar("api.jar", Map.of("module-info.java", "module io.orbitkv.api {}"));
    workshop.plugin("bad").file("lib/api.jar", Files.readAllBytes(api)).zipInto(plugins);
    assertThat(onlyRefusal().reason())
        .isEqualTo("it bundles the module [io.orbitkv.api], which is reserved");
  }

  @Test
  void open_apiPackageUnderAnotherName_refusedByName() throws IOException {
    Path copy =
        workshop.jar(
            "copy.jar",
            Map.of(
                "module-info.java",
                "module innocent { exports io.orbitkv.api.copy; }",
                "X.java",
                "package io.orbitkv.api.copy; public class X {}"));
    workshop.plugin("bad").file("lib/copy.jar", Files.readAllBytes(copy)).zipInto(plugins);
    assertThat(onlyRefusal().reason())
        .isEqualTo(
            "its module [innocent] bundles the package [io.orbitkv.api.copy], which is reserved");
  }

  @Test
  void open_reservedModules_refusedByName() throws IOException {
    for (String name : List.of("org.pf4j", "com.sun.jna", "io.orbitkv.kernel", "java.sql")) {
      Path jar = workshop.jar("x.jar", Map.of("module-info.java", "module reserved.one {}"));
      Path renamed = automatic(name);
      assertThat(jar).isNotEqualTo(renamed);
      workshop.plugin("bad").file("lib/x.jar", Files.readAllBytes(renamed)).zipInto(plugins);
      assertThat(onlyRefusal().reason())
          .isEqualTo("it bundles the module [" + name + "], which is reserved");
    }
  }

  /** A jar without a module-info, named by its manifest. */
  private Path automatic(String name) {
    Map<String, byte[]> content = new LinkedHashMap<>();
    content.put(
        "META-INF/MANIFEST.MF",
        ("Manifest-Version: 1.0\nAutomatic-Module-Name: " + name + "\n")
            .getBytes(StandardCharsets.UTF_8));
    return PluginWorkshop.pack(work.resolve("automatic-" + name).resolve(name + ".jar"), content);
  }

  @Test
  void open_forbiddenRequires_refusedByName() {
    for (String name : List.of("io.orbitkv.manager", "io.orbitkv.kernel", "org.pf4j")) {
      workshop.plugin("bad").requires(name).zipInto(plugins);
      assertThat(onlyRefusal().reason())
          .isEqualTo("its module [test.bad] requires [" + name + "], which plugins may not use");
    }
  }

  @Test
  void open_staticRequiresOfAForbiddenModuleThatIsThere_refusedByName() {
    workshop.plugin("bad").requires("static io.orbitkv.manager").zipInto(plugins);
    assertThat(onlyRefusal().reason()).contains("requires [io.orbitkv.manager]");
  }

  @Test
  void open_moduleOfAnUndeclaredPlugin_refusedByName() {
    PluginWorkshop.Plugin base = workshop.plugin("base").exportsApi();
    workshop.plugin("bad").requires(base.module()).against(base.jar()).zipInto(plugins);
    assertThat(onlyRefusal().reason())
        .isEqualTo("its module [test.bad] requires [test.base], which plugins may not use");
  }

  @Test
  void open_automaticRootModule_refusedByName() throws IOException {
    Map<String, byte[]> files = workshop.plugin("bad").set("orbitkv.module", "auto").files();
    files.put("lib/bad.jar", Files.readAllBytes(automatic("auto")));
    PluginWorkshop.pack(plugins.resolve("bad.zip"), files);
    PluginRefusal refusal = onlyRefusal();
    assertThat(refusal.plugin()).isEqualTo("bad");
    assertThat(refusal.reason()).isEqualTo("its root module [auto] is an automatic module");
  }

  @Test
  void open_rootModuleAbsentOrWithoutProvider_refusedByName() throws IOException {
    workshop.plugin("bad").set("orbitkv.module", "elsewhere").zipInto(plugins, "bad.zip");
    assertThat(onlyRefusal().reason())
        .isEqualTo("its lib/ holds no module [elsewhere], which orbitkv.module names");

    Path empty = workshop.jar("empty.jar", Map.of("module-info.java", "module empty.one {}"));
    Map<String, byte[]> files = workshop.plugin("bad").without("orbitkv.module").files();
    files.put("lib/bad.jar", Files.readAllBytes(empty));
    PluginWorkshop.pack(plugins.resolve("bad.zip"), files);
    assertThat(onlyRefusal().reason())
        .isEqualTo("no module in its lib/ provides [io.orbitkv.api.OrbitKvPlugin]");
  }

  @Test
  void open_dependencyCycle_eachOfItRefusedByName() {
    workshop.plugin("one").set("plugin.dependencies", "two").zipInto(plugins);
    workshop.plugin("two").set("plugin.dependencies", "three").zipInto(plugins);
    workshop.plugin("three").set("plugin.dependencies", "two").zipInto(plugins);
    try (PluginHost host = host()) {
      assertThat(host.plugins()).extracting(PluginInfo::id).containsExactly("good");
      assertThat(host.refusals())
          .extracting(PluginRefusal::plugin, PluginRefusal::reason)
          .containsExactly(
              org.assertj.core.groups.Tuple.tuple(
                  "one", "it needs the plugin [two], which is refused itself"),
              org.assertj.core.groups.Tuple.tuple(
                  "three", "it depends on itself: [two -> three -> two]"),
              org.assertj.core.groups.Tuple.tuple(
                  "two", "it depends on itself: [two -> three -> two]"));
    }
  }

  @Test
  void open_pinnedDigestMismatch_refusedByName() {
    Path good = workshop.plugin("good").zipInto(plugins);
    String digest;
    try (PluginStore store = new PluginStore(work, PluginLimits.standard())) {
      digest = store.expand(good).digest();
    }
    workshop.plugin("bad").zipInto(plugins);
    workshop.plugin("stranger").zipInto(plugins);
    Map<String, String> pins =
        Map.of("good", digest.toUpperCase(java.util.Locale.ROOT), "bad", "00".repeat(32));
    try (PluginHost host = host(new PluginTrust.Pinned(pins), PluginLimits.standard())) {
      assertThat(host.plugins()).extracting(PluginInfo::id).containsExactly("good");
      assertThat(host.plugins().getFirst().digest()).isEqualTo(digest);
      assertThat(host.refusals())
          .extracting(PluginRefusal::plugin)
          .containsExactly("bad", "stranger");
      assertThat(host.refusals().getFirst().reason())
          .contains("plugins.digests pins [" + "00".repeat(32) + "]");
      assertThat(host.refusals().getLast().reason())
          .isEqualTo("plugins.trust is pinned and plugins.digests has no [stranger]");
    }
  }

  @Test
  void open_entryThatLeadsOutside_refusedAndNothingWritten() {
    for (String name : List.of("../escaped", "lib/../../escaped", "/escaped", "lib\\..\\escaped")) {
      Map<String, byte[]> files = workshop.plugin("bad").files();
      files.put(name, new byte[] {1});
      PluginWorkshop.pack(plugins.resolve("bad.zip"), files);
      assertThat(onlyRefusal().reason())
          .isEqualTo("its entry [" + name + "] leads outside of the plugin");
      assertThat(work.resolve("escaped")).doesNotExist();
      assertThat(Path.of("/escaped")).doesNotExist();
    }
  }

  @Test
  void open_archivesBeyondLimits_refusedAndNothingLeft() throws IOException {
    Map<String, byte[]> files = workshop.plugin("bad").files();
    files.put("zeros", new byte[20 << 20]);
    PluginWorkshop.pack(plugins.resolve("bad.zip"), files);
    assertThat(onlyRefusal().reason()).isEqualTo("it expands to more than [100] times its size");

    try (PluginHost host = host(new PluginTrust.Any(), new PluginLimits(2_000, 1 << 20, 10_000))) {
      assertThat(onlyRefusal(host).reason()).isEqualTo("it expands to more than [1048576] bytes");
    }
    files.remove("zeros");
    for (int i = 0; i < 50; i++) {
      files.put("docs/" + i, new byte[] {1});
    }
    PluginWorkshop.pack(plugins.resolve("bad.zip"), files);
    try (PluginHost host = host(new PluginTrust.Any(), new PluginLimits(40, 1 << 24, 100))) {
      assertThat(onlyRefusal(host).reason()).isEqualTo("it has more than [40] files");
    }
    try (var left = Files.list(work)) {
      assertThat(left.filter(path -> path.getFileName().toString().startsWith("run-"))).isEmpty();
    }
  }

  @Test
  void copy_targetHasNoRoom_isNotTheFaultOfTheSource() {
    CopyBudget budget = new CopyBudget(PluginLimits.standard(), 0);
    assertThatThrownBy(() ->
            budget.copy(
                new ByteArrayInputStream(new byte[] {1}),
                Path.of("/dev/full"),
                CopyBudget.sha256()))
        .isInstanceOf(UnwritableException.class)
        .hasMessage("No space left on device");
    assertThat(new WorkDirectoryException(work, new IOException("No space left on device")))
        .hasMessage(
            "plugins cannot be expanded into ["
                + work
                + "]: No space left on device; make room there, or set plugins.work-directory to a"
                + " folder with room");
  }

  @Test
  void open_libraryThatIsNoJar_refusedByName() {
    workshop.plugin("bad").file("lib/readme.txt", new byte[] {1}).zipInto(plugins);
    assertThat(onlyRefusal().reason()).isEqualTo("its lib/ holds [readme.txt], which is no jar");
  }

  @Test
  void open_corruptJarInside_refusedByName() {
    workshop.plugin("bad").file("lib/broken.jar", new byte[] {1, 2, 3}).zipInto(plugins);
    assertThat(onlyRefusal().reason()).startsWith("a jar in its lib/ cannot be read as a module");
  }

  @Test
  void open_copierOfATakenName_refusedByName() throws IOException {
    // The same module under another id offers the same copier.
    Map<String, byte[]> files = workshop.plugin("good").set("plugin.id", "twin").files();
    PluginWorkshop.pack(plugins.resolve("twin.zip"), files);
    PluginRefusal refusal = onlyRefusal();
    assertThat(refusal.plugin()).isEqualTo("twin");
    assertThat(refusal.reason())
        .isEqualTo("the copier [good] is offered by the plugin [good] already");
  }

  @Test
  void open_otherFilesAndHiddenOnes_areNoPlugins() throws IOException {
    Files.writeString(plugins.resolve("README.txt"), "plugins live here");
    Files.createDirectory(plugins.resolve(".cache"));
    try (PluginHost host = host()) {
      assertThat(host.refusals()).isEmpty();
    }
  }

  @Test
  void open_absentDirectory_holdsNoPlugin() {
    PluginHostOptions options =
        PluginHostOptions.of(work, new SimpleMeterRegistry(), System::nanoTime);
    try (PluginHost host =
        PluginHost.open(plugins.resolve("absent"), new PluginTrust.Any(), options)) {
      assertThat(host.plugins()).isEmpty();
      assertThat(host.refusals()).isEmpty();
    }
  }
}
