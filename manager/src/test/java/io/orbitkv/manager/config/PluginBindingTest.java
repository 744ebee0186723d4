package io.orbitkv.manager.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.orbitkv.api.memory.MemoryTierFactory;
import io.orbitkv.manager.plugin.PluginHost;
import io.orbitkv.manager.plugin.PluginHostOptions;
import io.orbitkv.manager.plugin.PluginTrust;
import io.orbitkv.manager.plugin.PluginWorkshop;
import io.orbitkv.manager.plugin.Provided;
import io.orbitkv.manager.settings.ConfigException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

class PluginBindingTest {
  private static final String MEMORY =
      """
      record Arenas(@Setting(def = "1gb", max = "8gb", doc = "largest chunk")
          io.orbitkv.api.settings.ByteSize chunk) {}
      static final class Memory implements io.orbitkv.api.memory.MemoryTierFactory<Arenas> {
        @Override public String name() { return "dram"; }
        @Override public Class<Arenas> settings() { return Arenas.class; }
        @Override public io.orbitkv.api.memory.MemoryTier create(
            Arenas settings, Request request, PluginContext context) { return null; }
      }
      @Override public List<io.orbitkv.api.memory.MemoryTierFactory<?>> memoryTiers() {
        return List.of(new Memory());
      }
      """;

  private static PluginWorkshop workshop;

  @TempDir Path work;
  @TempDir Path plugins;

  @BeforeAll
  static void open(@TempDir Path directory) {
    workshop = new PluginWorkshop(directory);
  }

  private PluginHost host() {
    return PluginHost.open(
        plugins,
        new PluginTrust.Any(),
        PluginHostOptions.of(work, new SimpleMeterRegistry(), System::nanoTime));
  }

  private static ManagerConfig config(String text, String... flags) {
    ConfigFlags all = new ConfigFlags();
    for (int i = 0; i < flags.length; i += 2) {
      all.set(flags[i], flags[i + 1]);
    }
    return ManagerConfig.of(
        YamlReader.parse("f.yaml", text.getBytes(StandardCharsets.UTF_8)),
        all.byKey(),
        new HostFacts(Map.of(), 7, 16L << 30, 1L << 30, Path.of("/opt")));
  }

  private String failure(String text, String... flags) {
    try (PluginHost host = host()) {
      PluginBinding.of(config(text, flags), host);
      return "";
    } catch (ConfigException wrong) {
      return String.valueOf(wrong.getMessage());
    }
  }

  @Test
  void of_everythingThere_bindsSettingsOfEachPlugin() {
    workshop.plugin("dram-tier").members(MEMORY).zipInto(plugins);
    workshop.plugin("host-copy").zipInto(plugins);
    String text =
        """
        plugin-settings:
          host-copy: {threads: 7}
          dram-tier:
            dram: {chunk: 2gb}
        """;
    try (PluginHost host = host()) {
      assertThat(host.refusals()).isEmpty();
      PluginBinding binding = PluginBinding.of(config(text), host);
      Provided<MemoryTierFactory<?>> tier = binding.memoryTier();
      assertThat(binding.settings(tier, tier.factory().settings()))
          .hasToString("Arenas[chunk=2gb]");
      var copier = binding.copiers().getFirst();
      assertThat(binding.settings(copier, copier.factory().settings()))
          .hasToString("Settings[threads=7, mode=FAST]");
      assertThat(binding.backingTier()).isEmpty();
      assertThat(binding.values())
          .extracting(v -> v.key() + " " + v.value() + " " + v.origin().text())
          .contains(
              "plugin-settings.dram-tier.dram.chunk 2gb f.yaml:4",
              "plugin-settings.host-copy.threads 7 f.yaml:2",
              "plugin-settings.host-copy.mode fast default");
    }
  }

  @Test
  void of_pluginSettingsThatDoNotFit_oneLineEach() {
    workshop.plugin("dram-tier").members(MEMORY).zipInto(plugins);
    workshop.plugin("host-copy").zipInto(plugins);
    assertThat(
            failure(
                """
                plugin-settings:
                  host-copy: {thread: 7, mode: slow}
                  dram-tier: {chunk: 2gb, dram: {chunk: 9gb}}
                  hostcopy: {}
                """))
        .isEqualTo(
            """
            f.yaml:4:3: plugin-settings.hostcopy: no plugin [hostcopy] is loaded: did you mean [host-copy]?
            f.yaml:3:41: plugin-settings.dram-tier.dram.chunk: [9gb] is above the maximum of 8gb
            f.yaml:2:15: plugin-settings.host-copy.thread: [thread] is not a key: did you mean [threads]?
            f.yaml:2:32: plugin-settings.host-copy.mode: [slow] is not one of [fast, very-slow]
            f.yaml:3:15: plugin-settings.dram-tier.chunk: [chunk] is nothing that the plugin lets you set here: known: [dram, dram-tier]\
            """
                .stripIndent());
  }

  @Test
  void of_nothingThere_namesEachCapabilityAndWhereItLooked() {
    assertThat(failure("copiers: [cuda-copy, host-copy]\n", "--ssd-cache-path", "/ssd"))
        .isEqualTo(
            ("memory.tier: no plugin offers the memory tier [dram]; plugins are looked for in"
                 + " [%1$s]\n"
                 + "f.yaml:1:10: copiers: no plugin offers the copier [cuda-copy]; plugins are"
                 + " looked for in [%1$s]\n"
                 + "f.yaml:1:10: copiers: no plugin offers the copier [host-copy]; plugins are"
                 + " looked for in [%1$s]\n"
                 + "--ssd-cache-path: ssd.paths: no plugin offers the backing tier [ssd-iouring];"
                 + " plugins are looked for in [%1$s]")
                .formatted(plugins));
  }

  private static final String STORE =
      """
      record Disk(@Setting(def = "[]", doc = "files") List<String> paths,
          @Setting(def = "1gb", doc = "size") io.orbitkv.api.settings.ByteSize capacity,
          @Setting(def = "3", doc = "depth") int depth) {}
      static final class Store implements io.orbitkv.api.backing.BackingTierFactory<Disk> {
        @Override public String name() { return "ssd-iouring"; }
        @Override public Class<Disk> settings() { return Disk.class; }
        @Override public io.orbitkv.api.backing.BackingTier create(
            Disk settings, List<io.orbitkv.api.memory.HostChunk> chunks, PluginContext context) {
          return null;
        }
      }
      @Override public List<io.orbitkv.api.backing.BackingTierFactory<?>> backingTiers() {
        return List.of(new Store());
      }
      """;

  @Test
  void of_ssdSection_reachesTheTierThatItConfigures() {
    workshop.plugin("dram-tier").members(MEMORY).zipInto(plugins);
    workshop.plugin("host-copy").zipInto(plugins);
    workshop.plugin("ssd").members(STORE).zipInto(plugins);
    String text = "plugin-settings: {ssd: {ssd-iouring: {depth: 7}}}\n";
    try (PluginHost host = host()) {
      PluginBinding binding =
          PluginBinding.of(
              config(text, "--ssd-cache-path", "/a/../b", "--ssd-cache-capacity", "3gb"), host);
      var tier = binding.backingTier().orElseThrow();
      assertThat(binding.settings(tier, tier.factory().settings()))
          .hasToString("Disk[paths=[/b], capacity=3gb, depth=7]");
      assertThat(binding.values())
          .extracting(v -> v.key() + " " + v.value() + " " + v.origin().text())
          .contains(
              "plugin-settings.ssd.ssd-iouring.paths [/b] --ssd-cache-path",
              "plugin-settings.ssd.ssd-iouring.depth 7 f.yaml:1");
    }
    assertThat(
            failure(
                "plugin-settings: {ssd: {ssd-iouring: {paths: [/c]}}}\n", "--ssd-cache-path", "/b"))
        .isEqualTo(
            "f.yaml:1:39: plugin-settings.ssd.ssd-iouring.paths: is set by [ssd.paths]:"
                + " write it there");
  }

  @Test
  void of_backingTierThatNobodyOffers_isRefusedByItsOwnKey() {
    workshop.plugin("dram-tier").members(MEMORY).zipInto(plugins);
    workshop.plugin("host-copy").zipInto(plugins);
    assertThat(failure("backing: {tier: other-store}\n"))
        .startsWith("f.yaml:1:17: backing.tier: no plugin offers the backing tier [other-store]");
  }

  @Test
  void of_refusedPlugin_isNamedAsTheReason() {
    workshop.plugin("dram-tier").members(MEMORY).set("plugin.requires", ">=9.0.0").zipInto(plugins);
    workshop.plugin("host-copy").zipInto(plugins);
    assertThat(failure("plugin-settings: {dram-tier: {}}\n"))
        .startsWith(
            "memory.tier: no plugin offers the memory tier [dram]: plugin [dram-tier] is"
                + " refused: it works with the API versions [>=9.0.0], and this is [0.1.0]")
        .contains("plugin-settings.dram-tier: plugin [dram-tier] is refused: it works");
  }

  private static final String POLICIES =
      """
      record Trial(@Setting(def = "0.25", min = "0", max = "1", doc = "share") double trial) {}
      @Override public List<io.orbitkv.api.policy.PolicyFactory<?>> policies() {
        return List.of(
            io.orbitkv.api.policy.Policies.cutoff(
                "stopping", Trial.class, (settings, context) -> null),
            io.orbitkv.api.policy.Policies.admission(
                "comeback", Trial.class, (settings, context) -> null),
            io.orbitkv.api.policy.Policies.retention(
                "oldest", Trial.class, (settings, context) -> null));
      }
      """;

  @Test
  void of_policiesThatAreBuiltIn_needNoPlugin() {
    workshop.plugin("dram-tier").members(MEMORY).zipInto(plugins);
    workshop.plugin("host-copy").zipInto(plugins);
    assertThat(
            failure(
                "policies: {retention: {dram: none}, warming: none, admission: {ssd: default}}\n"))
        .isEmpty();
    assertThat(failure("policies: {retention: {dram: {default: {depth: 3}}}}\n"))
        .endsWith("[default] has nothing to set: write the name alone");
  }

  @Test
  void of_policyThatNobodyOffers_namesTheOnesThatAreThereAndTheDirectory() {
    workshop.plugin("dram-tier").members(MEMORY).zipInto(plugins);
    workshop.plugin("host-copy").members(POLICIES).zipInto(plugins);
    assertThat(failure("policies: {admission: {dram: write-all, ssd: lru}}\n"))
        .isEqualTo(
            ("f.yaml:1:30: policies.admission.dram: no plugin offers the policy [write-all];"
                 + " offered for admission.dram: [comeback]; built in: default and none; plugins"
                 + " are looked for in [%1$s]\n"
                 + "f.yaml:1:46: policies.admission.ssd: no plugin offers the policy [lru]; offered"
                 + " for admission.ssd: [comeback]; built in: default and none; plugins are looked"
                 + " for in [%1$s]")
                .formatted(plugins));
  }

  @Test
  void of_policyInASlotThatItDoesNotServe_isRefusedByName() {
    workshop.plugin("dram-tier").members(MEMORY).zipInto(plugins);
    workshop.plugin("host-copy").members(POLICIES).zipInto(plugins);
    assertThat(failure("policies: {retention: {ssd: stopping}}\n"))
        .isEqualTo(
            "f.yaml:1:29: policies.retention.ssd: the policy [stopping] serves in [cutoff], not"
                + " here; offered for retention.ssd: [oldest]; built in: default and none");
  }

  @Test
  void of_policySettings_areHeldAgainstTheirRecord() {
    workshop.plugin("dram-tier").members(MEMORY).zipInto(plugins);
    workshop.plugin("host-copy").members(POLICIES).zipInto(plugins);
    assertThat(
            failure(
                """
                policies:
                  cutoff: [stopping, {stopping: {trail: 1}}, stopping]
                  admission: {ssd: {comeback: {trial: 2}}}
                """))
        .isEqualTo(
            """
            f.yaml:2:34: policies.cutoff.stopping.trail: [trail] is not a key: did you mean [trial]?
            f.yaml:2:46: policies.cutoff: [stopping] is named twice with equal settings: leave one out
            f.yaml:3:39: policies.admission.ssd.comeback.trial: [2] is above the maximum of 1\
            """
                .stripIndent());
    assertThatThrownBy(() -> config("policies: {retention: {dram: [a], ssd: {oldest: 3}}}\n"))
        .hasMessage(
            """
            f.yaml:1:30: policies.retention.dram: takes one policy; only cutoff takes a list
            f.yaml:1:49: policies.retention.ssd.oldest: the value [3] stands where the policy's settings are expected\
            """
                .stripIndent());
    assertThat(failure("policies: {cutoff: [stopping, none]}\n"))
        .isEqualTo(
            "f.yaml:1:31: policies.cutoff: [none] stands alone: leave it out, or the others");
  }

  @Test
  void of_policies_bindsThemInTheOrderOfTheSlotsAndShowsTheirSettings() {
    workshop.plugin("dram-tier").members(MEMORY).zipInto(plugins);
    workshop.plugin("host-copy").members(POLICIES).zipInto(plugins);
    ManagerConfig config =
        config(
            """
            policies:
              retention: {dram: oldest}
              cutoff: [stopping, {stopping: {trial: 0.5}}]
              journal: {sample: 4}
            """);
    try (PluginHost host = host()) {
      PluginBinding binding = PluginBinding.of(config, host);
      assertThat(binding.policies())
          .extracting(policy -> policy.choice().slot().key() + " " + policy.settingsText())
          .containsExactly("cutoff trial: 0.25", "cutoff trial: 0.5", "retention.dram trial: 0.25");
      assertThat(binding.values())
          .extracting(value -> value.key() + " " + value.value() + " " + value.origin().text())
          .contains("policies.cutoff.stopping.trial 0.5 f.yaml:3");
    }
    assertThat(config.journal().sample()).isEqualTo(4);
    assertThat(config.values())
        .extracting(value -> value.key() + " " + value.value() + " " + value.origin().text())
        .contains(
            "policies.cutoff [stopping, stopping] f.yaml:3",
            "policies.retention.dram oldest f.yaml:2",
            "policies.warming default default",
            "policies.journal.sample 4 f.yaml:4",
            "policies.journal.file none default");
  }

  @Test
  void schema_tellsThePoliciesOfThePluginsThatAreThere() {
    workshop.plugin("host-copy").members(POLICIES).zipInto(plugins);
    try (PluginHost host = host()) {
      JsonNode schema =
          JsonMapper.builder().build().readTree(ConfigCommands.schema(host.plugins()));
      JsonNode slot =
          schema
              .path("properties")
              .path("policies")
              .path("properties")
              .path("admission")
              .path("properties")
              .path("ssd")
              .path("anyOf");
      assertThat(slot.path(0).path("examples").toString()).contains("comeback", "default");
      JsonNode trial =
          slot.path(1).path("properties").path("comeback").path("properties").path("trial");
      assertThat(trial.path("maximum").asDouble(0)).isEqualTo(1);
    }
  }

  @Test
  void of_copierNamedTwice_refused() {
    workshop.plugin("dram-tier").members(MEMORY).zipInto(plugins);
    workshop.plugin("host-copy").zipInto(plugins);
    assertThat(failure("copiers: [host-copy, host-copy]\n"))
        .isEqualTo("f.yaml:1:10: copiers: [host-copy] is named twice: keep one of them");
  }
}
