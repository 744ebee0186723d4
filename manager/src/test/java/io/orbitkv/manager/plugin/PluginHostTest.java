package io.orbitkv.manager.plugin;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.orbitkv.api.copy.DeviceCopierFactory;
import io.orbitkv.manager.settings.ConfigNode;
import io.orbitkv.manager.settings.Place;
import io.orbitkv.manager.settings.SettingsBinder;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PluginHostTest {
  private static PluginWorkshop workshop;

  private final MeterRegistry meters = new SimpleMeterRegistry();

  @TempDir Path work;
  @TempDir Path plugins;

  @BeforeAll
  static void open(@TempDir Path directory) {
    workshop = new PluginWorkshop(directory);
  }

  private PluginHost host() {
    PluginHost host =
        PluginHost.open(
            plugins, new PluginTrust.Any(), PluginHostOptions.of(work, meters, () -> 42));
    assertThat(host.refusals()).isEmpty();
    return host;
  }

  /** Makes the copier of a plugin, with settings bound from nothing. */
  private static void create(PluginHost host, String name) {
    Provided<DeviceCopierFactory<?>> provided = host.copier(name).orElseThrow();
    provided.call(factory -> create(factory, provided.scope()));
  }

  private static <S extends Record> String create(
      DeviceCopierFactory<S> factory, PluginScope scope) {
    S settings = SettingsBinder.bind(factory.settings(), null, "");
    factory.create(settings, scope);
    return settings.toString();
  }

  @Test
  void open_zipAndFolder_bothServeWithTheirCapabilities() {
    workshop.plugin("zipped").zipInto(plugins);
    workshop.plugin("unpacked").without("orbitkv.module").folderInto(plugins);
    try (PluginHost host = host()) {
      assertThat(host.plugins()).extracting(PluginInfo::id).containsExactly("unpacked", "zipped");
      PluginInfo zipped = host.plugins().getLast();
      assertThat(zipped.module()).isEqualTo("test.zipped");
      assertThat(zipped.version()).isEqualTo("1.0.0");
      assertThat(zipped.digest()).hasSize(64);
      assertThat(zipped.capabilities()).hasSize(1);
      Capability copier = zipped.capabilities().getFirst();
      assertThat(copier.kind()).isEqualTo(Capability.Kind.COPIER);
      assertThat(copier.settings())
          .extracting(setting -> setting.key() + "=" + setting.def())
          .containsExactly("threads=2", "mode=fast");
      assertThat(host.memoryTier("zipped")).isEmpty();
      assertThat(host.names(Capability.Kind.COPIER)).containsExactly("unpacked", "zipped");
    }
  }

  @Test
  void settings_recordInAPackageThatIsNotExported_bound() {
    workshop.plugin("copier").zipInto(plugins);
    try (PluginHost host = host()) {
      Provided<DeviceCopierFactory<?>> provided = host.copier("copier").orElseThrow();
      Place place = new Place("test.yaml", 1, 1);
      ConfigNode.Mapping section =
          new ConfigNode.Mapping(
              place,
              List.of(
                  new ConfigNode.Entry(
                      "mode", place, new ConfigNode.Scalar(place, "very-slow", false))));
      String bound =
          provided.call(
              factory -> SettingsBinder.bind(factory.settings(), section, "x.").toString());
      assertThat(bound).isEqualTo("Settings[threads=2, mode=VERY_SLOW]");
    }
  }

  @Test
  void open_dependentFilesOlderThanTheirDependency_loadedAfterIt() throws IOException {
    PluginWorkshop.Plugin base = workshop.plugin("zz-base").exportsApi();
    Path baseFile = base.zipInto(plugins);
    Path userFile =
        workshop
            .plugin("aa-user")
            .set("plugin.dependencies", "zz-base@>=1.0.0")
            .requires(base.module())
            .against(base.jar())
            .create("throw new IllegalStateException(test.zz.base.spi.Greeting.text());")
            .zipInto(plugins);
    Files.setLastModifiedTime(baseFile, FileTime.from(Instant.parse("2026-01-02T00:00:00Z")));
    Files.setLastModifiedTime(userFile, FileTime.from(Instant.parse("2026-01-01T00:00:00Z")));
    try (PluginHost host = host()) {
      assertThatThrownBy(() -> create(host, "aa-user")).hasMessage("hello from zz-base");
    }
  }

  @Test
  void close_threePlugins_allStoppedInReverseOrderOfStart() {
    workshop.plugin("first").zipInto(plugins);
    workshop.plugin("second").set("plugin.dependencies", "first").zipInto(plugins);
    workshop.plugin("third").set("plugin.dependencies", "second").zipInto(plugins);
    List<String> closed = new java.util.ArrayList<>();
    PluginHost host = host();
    for (String id : List.of("first", "second", "third")) {
      host.copier(id).orElseThrow().scope().closeWithScope(() -> closed.add(id));
    }
    host.close();
    assertThat(closed).containsExactly("third", "second", "first");
    assertThat(host.plugins()).isEmpty();
  }

  @Test
  void stop_pluginWithDependents_takesThemAlongAndStartBringsBackWhatItNeeds() {
    workshop.plugin("base").zipInto(plugins);
    workshop.plugin("user").set("plugin.dependencies", "base").zipInto(plugins);
    workshop.plugin("other").zipInto(plugins);
    try (PluginHost host = host()) {
      assertThat(host.stop("base")).containsExactly("user", "base");
      assertThat(host.copier("user")).isEmpty();
      assertThat(host.copier("other")).isPresent();
      assertThat(host.plugins())
          .extracting(info -> info.id() + " " + info.status())
          .containsExactly("base STOPPED", "other STARTED", "user STOPPED");
      assertThat(host.stop("base")).isEmpty();

      assertThat(host.start("user")).isEmpty();
      assertThat(host.copier("base")).isPresent();
      assertThat(host.copier("user")).isPresent();
    }
  }

  @Test
  void unload_diamond_dependentsGoFirst() {
    workshop.plugin("base").zipInto(plugins);
    workshop.plugin("left").set("plugin.dependencies", "base").zipInto(plugins);
    workshop.plugin("right").set("plugin.dependencies", "base").zipInto(plugins);
    workshop.plugin("apex").set("plugin.dependencies", "base,left,right").zipInto(plugins);
    try (PluginHost host = host()) {
      assertThat(host.unload("base")).containsExactly("apex", "right", "left", "base");
      assertThat(host.plugins()).isEmpty();
      assertThatThrownBy(() -> host.unload("base"))
          .hasMessage("no plugin [base] is loaded; loaded: []");
    }
  }

  @Test
  void unload_stoppedPlugins_dependentsGoFirstToo() {
    workshop.plugin("base").zipInto(plugins);
    workshop.plugin("user").set("plugin.dependencies", "base").zipInto(plugins);
    try (PluginHost host = host()) {
      host.stop("base");
      assertThat(host.unload("base")).containsExactly("user", "base");
    }
  }

  @Test
  void start_pluginThatFailsTheSecondTime_refusedAndMarked() {
    System.clearProperty("orbitkv.test.second");
    workshop
        .plugin("moody")
        .constructor(
            "if (System.setProperty(\"orbitkv.test.second\", \"yes\") != null)"
                + " throw new IllegalStateException(\"not again\");")
        .zipInto(plugins);
    try (PluginHost host = host()) {
      host.stop("moody");
      assertThat(host.start("moody").orElseThrow().reason()).contains("not again");
      assertThat(host.plugins().getFirst().status()).isEqualTo(PluginStatus.FAILED);
      assertThat(host.copier("moody")).isEmpty();
    } finally {
      System.clearProperty("orbitkv.test.second");
    }
  }

  @Test
  void open_twoVersionsOfOneLibrary_eachPluginUsesItsOwn() {
    Path one = library("one");
    Path two = library("two");
    workshop
        .plugin("old")
        .requires("test.lib")
        .library(one)
        .create("throw new IllegalStateException(test.lib.Lib.version());")
        .zipInto(plugins);
    workshop
        .plugin("fresh")
        .requires("test.lib")
        .library(two)
        .create("throw new IllegalStateException(test.lib.Lib.version());")
        .zipInto(plugins);
    try (PluginHost host = host()) {
      assertThatThrownBy(() -> create(host, "old")).hasMessage("lib one");
      assertThatThrownBy(() -> create(host, "fresh")).hasMessage("lib two");
    }
  }

  private static Path library(String version) {
    return workshop.jar(
        "lib-" + version + ".jar",
        Map.of(
            "module-info.java",
            "module test.lib { exports test.lib; }",
            "Lib.java",
            "package test.lib; public final class Lib { public static String version() { return"
                + " \"lib "
                + version
                + "\"; } }"));
  }

  @Test
  void open_automaticLibraryInside_works() throws IOException {
    Path jar = library("auto");
    Map<String, byte[]> content = new java.util.LinkedHashMap<>(contentOfJar(jar));
    content.remove("module-info.class");
    Path automatic = PluginWorkshop.pack(work.resolve("auto").resolve("test.lib-1.0.jar"), content);
    workshop
        .plugin("automated")
        .requires("test.lib")
        .library(automatic)
        .create("throw new IllegalStateException(test.lib.Lib.version());")
        .zipInto(plugins);
    try (PluginHost host = host()) {
      assertThatThrownBy(() -> create(host, "automated")).hasMessage("lib auto");
    }
  }

  private static Map<String, byte[]> contentOfJar(Path jar) throws IOException {
    Map<String, byte[]> content = new java.util.LinkedHashMap<>();
    try (java.util.zip.ZipFile zip = new java.util.zip.ZipFile(jar.toFile())) {
      for (var entry : java.util.Collections.list(zip.entries())) {
        try (var in = zip.getInputStream(entry)) {
          content.put(entry.getName(), in.readAllBytes());
        }
      }
    }
    return content;
  }

  @Test
  void nativeAccess_onlyForThePluginThatAsksForIt() {
    workshop.plugin("plain").zipInto(plugins);
    workshop.plugin("caller").set("orbitkv.native-access", "true").zipInto(plugins);
    try (PluginHost host = host()) {
      assertThat(moduleOf(host, "caller").isNativeAccessEnabled()).isTrue();
      assertThat(moduleOf(host, "plain").isNativeAccessEnabled()).isFalse();
    }
  }

  private static Module moduleOf(PluginHost host, String name) {
    return host.copier(name).orElseThrow().factory().getClass().getModule();
  }

  @Test
  void call_setsAndRestoresTheContextLoader() {
    workshop.plugin("copier").zipInto(plugins);
    ClassLoader before = Thread.currentThread().getContextClassLoader();
    try (PluginHost host = host()) {
      ClassLoader inside =
          host.copier("copier")
              .orElseThrow()
              .call(_ -> Thread.currentThread().getContextClassLoader());
      assertThat(inside).isSameAs(host.loaderOf("copier"));
    }
    assertThat(Thread.currentThread().getContextClassLoader()).isSameAs(before);
  }

  @Test
  void close_removesWhatWasExpanded() {
    workshop.plugin("copier").zipInto(plugins);
    try (PluginHost host = host()) {
      assertThat(host.copier("copier")).isPresent();
      assertThat(work).isDirectoryContaining("glob:**/run-*");
    }
    assertThat(work).isDirectoryNotContaining("glob:**/run-*");
  }

  @Test
  void open_folderOfAProcessThatEnded_isRemoved() throws IOException {
    workshop.plugin("copier").zipInto(plugins);
    Path dead = Files.createDirectories(work.resolve("run-1-dead/plugin-1/lib"));
    Files.write(dead.resolve("copier.jar"), new byte[] {1});
    Files.createFile(work.resolve("run-1-dead.lock"));
    try (PluginHost host = host()) {
      assertThat(host.copier("copier")).isPresent();
      assertThat(work.resolve("run-1-dead")).doesNotExist();
      assertThat(work.resolve("run-1-dead.lock")).doesNotExist();
      try (PluginHost second = host()) {
        assertThat(second.copier("copier")).isPresent();
        // That of the one that runs is left alone.
        assertThat(runs()).isEqualTo(2);
      }
      create(host, "copier");
      assertThat(runs()).isEqualTo(1);
    }
  }

  private long runs() throws IOException {
    try (Stream<Path> all = Files.list(work)) {
      return all.filter(path -> path.getFileName().toString().matches("run-\\d+-[0-9a-f]+"))
          .count();
    }
  }

  @Test
  void open_archiveReplacedWhileInUse_pluginServesOn() throws IOException {
    Path file = workshop.plugin("copier").zipInto(plugins);
    try (PluginHost host = host()) {
      Files.write(file, new byte[] {1, 2, 3});
      create(host, "copier");
      assertThat(host.copier("copier")).isPresent();
    }
  }

  @Test
  void open_workDirectoryThatOthersCanWrite_refusedWithRemedy() throws IOException {
    Path open = Files.createDirectory(work.resolve("open"));
    Files.setPosixFilePermissions(open, PosixFilePermissions.fromString("rwxrwxrwx"));
    PluginHostOptions options = PluginHostOptions.of(open, meters, System::nanoTime);
    assertThatThrownBy(() -> PluginHost.open(plugins, new PluginTrust.Any(), options))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("[" + open + "]")
        .hasMessageEndingWith("set plugins.work-directory to a private folder");
  }

  @Test
  void open_workDirectoryThatIsAFile_refusedWithRemedy() throws IOException {
    Path file = Files.createFile(work.resolve("file"));
    PluginHostOptions options = PluginHostOptions.of(file, meters, System::nanoTime);
    assertThatThrownBy(() -> PluginHost.open(plugins, new PluginTrust.Any(), options))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("set plugins.work-directory");
  }
}
