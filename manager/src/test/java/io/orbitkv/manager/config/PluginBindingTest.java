package io.orbitkv.manager.config;

import static org.assertj.core.api.Assertions.assertThat;

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

  @Test
  void of_policies_builtInAcceptedOthersRefusedByName() {
    workshop.plugin("dram-tier").members(MEMORY).zipInto(plugins);
    workshop.plugin("host-copy").zipInto(plugins);
    assertThat(failure("policies: {retention: {dram: lru}, warming: none}\n")).isEmpty();
    assertThat(failure("policies: {admission: {dram: write-all, ssd: lru}}\n"))
        .isEqualTo(
            """
            f.yaml:1:30: policies.admission.dram: no plugin offers the policy [write-all]; built in: none, and lru for retention
            f.yaml:1:46: policies.admission.ssd: no plugin offers the policy [lru]; built in: none, and lru for retention\
            """
                .stripIndent());
    assertThat(failure("policies: {retention: {dram: {lru: {depth: 3}}}}\n"))
        .endsWith("[lru] has nothing to set: write the name alone");
  }

  @Test
  void of_policyOfAPlugin_isListedButRefusedForNow() {
    workshop.plugin("dram-tier").members(MEMORY).zipInto(plugins);
    workshop
        .plugin("host-copy")
        .members(
            """
            @Override public List<io.orbitkv.api.policy.PolicyFactory<?>> policies() {
              return List.of(io.orbitkv.api.policy.Policies.cutoff(
                  "stopping", Settings.class, (settings, context) -> null));
            }
            """)
        .zipInto(plugins);
    try (PluginHost host = host()) {
      assertThat(host.policy("stopping").orElseThrow().plugin().id()).isEqualTo("host-copy");
      assertThat(host.plugins().getLast().capabilities().getLast().slots())
          .containsExactly("cutoff");
    }
    assertThat(failure("policies: {cutoff: [stopping]}\n"))
        .isEqualTo(
            "f.yaml:1:21: policies.cutoff: the policy [stopping] comes from a plugin, and this"
                + " version runs built-in policies alone: write none, or lru for retention");
  }

  @Test
  void of_copierNamedTwice_refused() {
    workshop.plugin("dram-tier").members(MEMORY).zipInto(plugins);
    workshop.plugin("host-copy").zipInto(plugins);
    assertThat(failure("copiers: [host-copy, host-copy]\n"))
        .isEqualTo("f.yaml:1:10: copiers: [host-copy] is named twice: keep one of them");
  }
}
