package io.orbitkv.manager.plugin;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PluginInstallerTest {
  private static PluginWorkshop workshop;

  @TempDir Path plugins;
  @TempDir Path elsewhere;
  @TempDir Path work;

  @BeforeAll
  static void open(@TempDir Path directory) {
    workshop = new PluginWorkshop(directory);
  }

  private PluginHostOptions options() {
    return PluginHostOptions.of(work.resolve("cache"), new SimpleMeterRegistry(), System::nanoTime);
  }

  private PluginInstaller.Installed install(Path zip, boolean force) throws IOException {
    return new PluginInstaller(plugins, new PluginTrust.Any(), options()).install(zip, force);
  }

  private List<String> installed() throws IOException {
    try (Stream<Path> files = Files.list(plugins)) {
      return files.map(file -> file.getFileName().toString()).sorted().toList();
    }
  }

  @Test
  void goodPlugin_isCopiedWholeAndLoaded() throws IOException {
    Path zip = workshop.plugin("good").zipInto(elsewhere);

    PluginInstaller.Installed done = install(zip, false);

    assertThat(done.file()).hasSameBinaryContentAs(zip);
    assertThat(done.replaced()).isEmpty();
    assertThat(done.json()).contains("\"id\" : \"good\"");
    assertThat(installed()).containsExactly(zip.getFileName().toString());
  }

  @Test
  void secondInstallation_needsForce_andLeavesOneFile() throws IOException {
    Path old = workshop.plugin("good").zipInto(elsewhere);
    install(old, false);
    Path renamed = Files.copy(old, elsewhere.resolve("good-again.zip"));

    assertThatThrownBy(() -> install(renamed, false))
        .hasMessageContaining("[good] is installed already")
        .hasMessageContaining("--force");
    assertThat(install(renamed, true).replaced()).containsExactly(old.getFileName().toString());
    assertThat(installed()).containsExactly("good-again.zip");
  }

  @Test
  void pluginThatDoesNotStart_isNotInstalled() throws IOException {
    Path zip =
        workshop
            .plugin("bad")
            .constructor("throw new IllegalStateException(\"no\");")
            .zipInto(elsewhere);

    assertThatThrownBy(() -> install(zip, false))
        .hasMessageContaining("[bad]")
        .hasMessageContaining("nothing was installed");
    assertThat(installed()).isEmpty();
  }

  @Test
  void otherApiVersion_isNamed() throws IOException {
    Path zip = workshop.plugin("bad").set("plugin.requires", ">=9.0.0").zipInto(elsewhere);

    assertThatThrownBy(() -> install(zip, false)).hasMessageContaining("[>=9.0.0]");
    assertThat(installed()).isEmpty();
  }

  @Test
  void digestThatSaysSomethingElse_isRefused() throws IOException {
    Path zip = workshop.plugin("good").zipInto(elsewhere);
    Files.writeString(
        zip.resolveSibling(zip.getFileName() + ".sha256"), "0".repeat(64) + "  x.zip\n");

    assertThatThrownBy(() -> install(zip, false))
        .hasMessageContaining("says [0000")
        .hasMessageContaining("build or download both again");
    assertThat(installed()).isEmpty();
  }

  @Test
  void pinnedTrust_asksForThePinFirst() throws IOException {
    Path zip = workshop.plugin("good").zipInto(elsewhere);
    PluginTrust pinned = new PluginTrust.Pinned(Map.of());

    assertThatThrownBy(() -> new PluginInstaller(plugins, pinned, options()).install(zip, false))
        .hasMessageContaining("add [good: ");
  }

  @Test
  void anotherPlugin_isInstalledBesideTheFirst() throws IOException {
    install(workshop.plugin("good").zipInto(elsewhere), false);

    Path other = workshop.plugin("other").zipInto(elsewhere.resolve("other"));

    assertThat(install(other, false).plugin().id()).isEqualTo("other");
    assertThat(installed()).hasSize(2);
  }

  @Test
  void folder_isNoZip() {
    assertThatThrownBy(() -> install(elsewhere, false)).hasMessageContaining("is no file");
  }

  @Test
  void verifyAll_ofADirectory_givesPinsToPaste() {
    workshop.plugin("good").zipInto(plugins);
    workshop.plugin("bad").set("plugin.requires", ">=9.0.0").zipInto(plugins);

    List<PluginVerification> all =
        PluginCommands.verifyAll(plugins, new PluginTrust.Any(), work.resolve("cache"));

    assertThat(all).hasSize(2);
    assertThat(PluginVerification.pins(all))
        .startsWith("plugins:\n  trust: pinned\n  digests:\n    good: ")
        .doesNotContain("bad");
    assertThat(PluginVerification.json(all)).contains("\"passed\" : false", "\"digests\"");
  }

  @Test
  void hostWithABorrowedPlugin_prefersItToTheInstalledOne() throws IOException {
    workshop.plugin("good").zipInto(plugins);
    Path newer = workshop.plugin("good").set("plugin.version", "2.0.0").zipInto(elsewhere);

    try (PluginHost host =
        PluginHost.open(plugins, List.of(newer), new PluginTrust.Any(), options())) {
      assertThat(host.plugins()).singleElement().extracting(PluginInfo::version).isEqualTo("2.0.0");
      assertThat(host.refusals()).isEmpty();
    }
  }
}
