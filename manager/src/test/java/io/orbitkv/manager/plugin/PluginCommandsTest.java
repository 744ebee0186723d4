package io.orbitkv.manager.plugin;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

class PluginCommandsTest {
  private static PluginWorkshop workshop;

  @TempDir Path work;
  @TempDir Path plugins;

  @BeforeAll
  static void open(@TempDir Path directory) {
    workshop = new PluginWorkshop(directory);
  }

  private PluginHost host() {
    PluginHostOptions options =
        PluginHostOptions.of(work, new SimpleMeterRegistry(), System::nanoTime);
    return PluginHost.open(plugins, new PluginTrust.Any(), options);
  }

  @Test
  void list_goodAndRefused_showsBothAsTextAndJson() {
    workshop.plugin("good").zipInto(plugins);
    workshop.plugin("bad").set("plugin.requires", ">=9.0.0").zipInto(plugins);
    try (PluginHost host = host()) {
      PluginList list = PluginCommands.list(host);
      assertThat(list.text())
          .contains("good    1.0.0    STARTED  copier good\n")
          .contains("bad              REFUSED  it works with the API versions [>=9.0.0]");
      JsonNode json = JsonMapper.builder().build().readTree(list.json());
      assertThat(json.at("/plugins/0/id").asString()).isEqualTo("good");
      assertThat(json.at("/plugins/0/capabilities/0/kind").asString()).isEqualTo("COPIER");
      assertThat(json.at("/refused/0/plugin").asString()).isEqualTo("bad");
    }
  }

  @Test
  void list_nothing_saysWhereItLooked() {
    try (PluginHost host = host()) {
      assertThat(PluginCommands.list(host).text()).isEqualTo("no plugins in [" + plugins + "]\n");
    }
  }

  @Test
  void describe_plugin_printsEachSettingWithItsLimits() {
    workshop.plugin("good").zipInto(plugins);
    try (PluginHost host = host()) {
      PluginDescription description = PluginCommands.describe(host, "good");
      assertThat(description.text())
          .contains("copier good\n")
          .containsPattern("threads +integer +2 +1 +8 +threads that copy")
          .containsPattern("mode +choice of fast\\|very-slow +fast +how");
      JsonNode json = JsonMapper.builder().build().readTree(description.json());
      assertThat(json.at("/capabilities/0/settings/0/key").asString()).isEqualTo("threads");
      assertThat(json.at("/capabilities/0/settings/1/choices/1").asString()).isEqualTo("very-slow");
    }
  }

  @Test
  void describe_unknownOrRefused_saysWhatIsThere() {
    workshop.plugin("good").zipInto(plugins);
    workshop.plugin("bad").set("plugin.requires", ">=9.0.0").zipInto(plugins);
    try (PluginHost host = host()) {
      assertThatThrownBy(() -> PluginCommands.describe(host, "ugly"))
          .hasMessageContaining("no plugin [ugly]")
          .hasMessageContaining("[good]");
      assertThatThrownBy(() -> PluginCommands.describe(host, "bad"))
          .hasMessageContaining("is refused: it works with the API versions");
    }
  }

  @Test
  void verify_goodPluginWithDependency_passesWithoutRunningIt() {
    PluginWorkshop.Plugin base = workshop.plugin("base").exportsApi();
    base.zipInto(plugins);
    Path user =
        workshop
            .plugin("user")
            .set("plugin.dependencies", "base")
            .requires(base.module())
            .against(base.jar())
            .constructor("throw new AssertionError(\"ran\");")
            .zipInto(work.resolve("elsewhere"));
    PluginVerification verification =
        PluginCommands.verify(user, plugins, new PluginTrust.Any(), work.resolve("cache"));
    assertThat(verification.checks()).allMatch(PluginVerification.Check::passed);
    assertThat(verification.checks())
        .extracting(PluginVerification.Check::name)
        .containsExactly("archive", "descriptor", "trust and API", "dependencies", "modules");
    assertThat(verification.text()).endsWith(user + " can be used\n");
    assertThat(verification.json()).contains("\"passed\" : true");
  }

  @Test
  void verify_badPlugins_failAtTheirStep() {
    Path api = workshop.plugin("bad").set("plugin.requires", "9.0.0").zipInto(work.resolve("a"));
    assertThat(failedStep(api)).isEqualTo("trust and API");
    Path needs = workshop.plugin("bad").set("plugin.dependencies", "x").zipInto(work.resolve("b"));
    assertThat(failedStep(needs)).isEqualTo("dependencies");
    Path forbidden = workshop.plugin("bad").requires("org.pf4j").zipInto(work.resolve("c"));
    assertThat(failedStep(forbidden)).isEqualTo("modules");
    assertThat(failedStep(work.resolve("absent.zip"))).isEqualTo("file");
  }

  private String failedStep(Path file) {
    PluginVerification verification =
        PluginCommands.verify(file, plugins, new PluginTrust.Any(), work.resolve("cache"));
    assertThat(verification.passed()).isFalse();
    assertThat(verification.text()).contains("FAILED").endsWith("cannot be used\n");
    return verification.checks().getLast().name();
  }
}
