package io.orbitkv.manager.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.orbitkv.api.policy.PolicySlot;
import io.orbitkv.api.settings.ByteSize;
import io.orbitkv.kernel.ReadSettings;
import io.orbitkv.kernel.WriteSettings;
import io.orbitkv.manager.plugin.PluginTrust;
import io.orbitkv.manager.settings.ConfigException;
import io.orbitkv.manager.settings.Origin;
import io.orbitkv.manager.settings.Problems;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ManagerConfigTest {
  private static final long GB = 1L << 30;
  private static final HostFacts FACTS =
      new HostFacts(
          Map.of("XDG_RUNTIME_DIR", "/run/user/7", "XDG_CACHE_HOME", "/var/cache/u"),
          7,
          16 * GB,
          GB,
          Path.of("/opt/orbitkv"));

  @TempDir Path directory;

  private static ManagerConfig load(String text, String... flags) {
    return load(FACTS, text, flags);
  }

  private static ManagerConfig load(HostFacts facts, String text, String... flags) {
    ConfigFlags all = new ConfigFlags();
    for (int i = 0; i < flags.length; i += 2) {
      all.set(flags[i], flags[i + 1]);
    }
    return ManagerConfig.of(
        YamlReader.parse("f.yaml", text.getBytes(java.nio.charset.StandardCharsets.UTF_8)),
        all.byKey(),
        facts);
  }

  private static String failure(String text, String... flags) {
    try {
      load(text, flags);
      return "";
    } catch (ConfigException wrong) {
      return String.valueOf(wrong.getMessage());
    }
  }

  private static ShownValue value(ManagerConfig config, String key) {
    return config.values().stream().filter(v -> v.key().equals(key)).findFirst().orElseThrow();
  }

  @Test
  void load_nothing_givesDefaultsWithDerivedValues() {
    ManagerConfig config = ManagerConfig.load(null, Map.of(), FACTS);
    assertThat(config.socket()).isEqualTo(Path.of("/run/user/7/orbitkv/manager.sock"));
    assertThat(config.poolBytes()).isEqualTo(4 * GB);
    assertThat(config.budgetBytes()).isEqualTo(3 * GB);
    assertThat(config.instanceBudgetBytes()).isEqualTo(3 * GB);
    assertThat(config.pluginsDirectory()).isEqualTo(Path.of("/opt/orbitkv/plugins"));
    assertThat(config.pluginsWorkDirectory()).isEqualTo(Path.of("/var/cache/u/orbitkv/plugins"));
    assertThat(config.pluginTrust()).isEqualTo(new PluginTrust.Any());
    assertThat(config.policies()).isEmpty();
    ManagerSettings settings = config.settings();
    assertThat(settings.memory().tier()).isEqualTo("dram");
    assertThat(settings.copiers()).containsExactly("host-copy");
    assertThat(settings.query().readPipeline()).isEqualTo(2);
    assertThat(settings.ssd().paths()).isEmpty();
    assertThat(settings.ssd().capacity()).isEqualTo(new ByteSize(512 * GB));
    assertThat(settings.sessions())
        .isEqualTo(new SessionsSection(64, 1024, 1024, new ByteSize(8 << 20), List.of()));
    assertThat(settings.log().level()).isEqualTo(LogSection.Level.INFO);
    assertThat(config.values()).allMatch(v -> v.origin() instanceof Origin.Default);
  }

  @Test
  void load_shippedFile_isExactlyTheDefaults() {
    Path file =
        Path.of(System.getProperty("orbitkv.root"), "distribution/src/main/conf/orbitkv.yaml");
    ManagerConfig shipped = ManagerConfig.load(file, Map.of(), FACTS);
    ManagerConfig defaults = ManagerConfig.load(null, Map.of(), FACTS);
    assertThat(shipped.values())
        .extracting(v -> v.key() + " = " + v.value() + " -> " + v.effective())
        .isEqualTo(
            defaults.values().stream()
                .map(v -> v.key() + " = " + v.value() + " -> " + v.effective())
                .toList());
    assertThat(shipped.settings().query()).isEqualTo(defaults.settings().query());
    assertThat(shipped.settings().sessions()).isEqualTo(defaults.settings().sessions());
    assertThat(shipped.policies()).allMatch(PolicyChoice::builtIn);
    // It names every key, so that nothing has to be looked up elsewhere.
    assertThat(shipped.values()).allMatch(v -> v.origin() instanceof Origin.File);
  }

  @Test
  void load_seedsCommandLine_starts() {
    ManagerConfig config =
        load(
            "",
            "--pool-size",
            "4gb",
            "--query-budget",
            "3gb",
            "--query-read-batch",
            "32mb",
            "--query-read-timeout-ms",
            "100");
    assertThat(config.poolBytes()).isEqualTo(4 * GB);
    assertThat(config.budgetBytes()).isEqualTo(3 * GB);
    assertThat(config.settings().query().readBatch()).isEqualTo(new ByteSize(32 << 20));
    assertThat(config.settings().query().readTimeout()).isEqualTo(Duration.ofMillis(100));
    assertThat(value(config, "query.read-timeout").origin().text())
        .isEqualTo("--query-read-timeout-ms");
  }

  @Test
  void load_defaultFileFlag_eachValueKnowsItsOrigin() {
    ManagerConfig config =
        load("memory:\n  pool-size: 2gb\nlog:\n  level: debug\n", "--pool-size", "1gb");
    assertThat(config.poolBytes()).isEqualTo(GB);
    assertThat(value(config, "memory.pool-size").origin())
        .isEqualTo(new Origin.Flag("--pool-size"));
    assertThat(value(config, "log.level").origin().text()).isEqualTo("f.yaml:4");
    assertThat(value(config, "socket").origin().text()).isEqualTo("default");
  }

  @Test
  void load_repeatedFlagForAList_addsUp() {
    ManagerConfig config =
        load("ssd:\n  paths: [/c]\n", "--ssd-cache-path", "/a", "--ssd-cache-path", "/b");
    assertThat(config.settings().ssd().paths()).containsExactly("/a", "/b");
  }

  @Test
  void load_fileWithManyMistakes_oneLineEachInOrder() {
    assertThat(
            failure(
                """
                memory:
                  pool-sise: 4gb
                  tier: [a]
                query:
                  budget: most
                  read-pipeline: 0
                sessions: 12
                log:
                  level: loud
                colour: red
                """))
        .isEqualTo(
            """
            f.yaml:10:1: colour: [colour] is not a key: known: [socket, memory, copiers, query, backing, ssd, sessions, plugins, plugin-settings, policies, ab, engine, metrics, log]
            f.yaml:2:3: memory.pool-sise: [pool-sise] is not a key: did you mean [pool-size]?
            f.yaml:3:9: memory.tier: a list stands where one text is expected
            f.yaml:5:11: query.budget: [most] is not a size: write a number and a unit, such as 512mb or 4gb
            f.yaml:6:18: query.read-pipeline: [0] is below the minimum of 1
            f.yaml:7:11: sessions: the value [12] stands where a section with keys is expected
            f.yaml:9:10: log.level: [loud] is not one of [error, warn, info, debug, trace]\
            """
                .stripIndent());
  }

  @Test
  void load_withoutBackingTier_hasReadLimitsAndNoWrites() {
    ManagerConfig config = load("", "--query-read-batch", "32mb");
    assertThat(config.backingTier()).isEmpty();
    assertThat(config.reads()).isEqualTo(new ReadSettings(32 << 20, 0, Duration.ZERO, 2, false));
    assertThat(config.writes()).isEqualTo(WriteSettings.NONE);
    assertThat(value(config, "backing.tier").effective()).isEqualTo("none");
    assertThat(value(config, "backing.tier").reason()).isEqualTo("ssd.paths names no path");
  }

  @Test
  void load_backingTier_isNamedWithItsLimits() {
    ManagerConfig config =
        load(
            """
            backing: {tier: other-store, write-queue: 2gb, write-in-flight: 32mb}
            query: {read-max-batches: 3, read-timeout: 100ms, read-pipeline: 4, on-deadline: hand-over}
            """);
    assertThat(config.backingTier()).contains("other-store");
    assertThat(config.reads()).isEqualTo(new ReadSettings(0, 3, Duration.ofMillis(100), 4, true));
    assertThat(config.writes())
        .isEqualTo(new WriteSettings(2 * GB, 32 << 20, config.maxStoredPages()));
    assertThat(config.maxStoredPages()).isGreaterThan(3_000_000);
  }

  @Test
  void load_store_getsAnIndexOfItsSizeAsFarAsTheHeapHasRoom() {
    ManagerConfig small = load("", "--ssd-cache-path", "/ssd", "--ssd-cache-capacity", "1gb");
    assertThat(small.writes().maxStoredPages()).isEqualTo((1 << 30) / 4096);
    ManagerConfig large = load("", "--ssd-cache-path", "/ssd", "--ssd-cache-capacity", "100tb");
    assertThat(large.writes().maxStoredPages()).isBetween(5_000_000, 6_000_000);
    assertThat(value(large, "(heap for the pool)").reason()).contains("stored pages");
    long heap = ManagerConfig.heapBytesForStore(1L << 40, 128 << 10);
    assertThat(heap).isBetween(2 * GB, 3 * GB);
  }

  @Test
  void load_ssdPath_impliesItsTierUnlessTurnedOff() {
    assertThat(load("", "--ssd-cache-path", "/ssd").backingTier()).contains("ssd-iouring");
    assertThat(load("backing: {tier: ssd-iouring}\n", "--ssd-cache-path", "/ssd").backingTier())
        .contains("ssd-iouring");
    assertThat(failure("backing: {tier: none}\n", "--ssd-cache-path", "/ssd"))
        .isEqualTo(
            "f.yaml:1:17: backing.tier: [none] leaves ssd.paths without effect: write auto, or"
                + " leave the paths out");
    assertThat(failure("backing: {tier: ' '}\n")).contains("is no name");
    assertThat(failure("backing: {tier: ssd-iouring}\n"))
        .isEqualTo(
            "f.yaml:1:17: backing.tier: [ssd-iouring] needs a path: name one in ssd.paths, or with"
                + " --ssd-cache-path");
    assertThat(failure("ssd: {paths: [/a/b, /a/c/../b]}\n"))
        .contains("ssd.paths: [/a/c/../b] is named twice: leave one out");
  }

  @Test
  void load_flagMistakes_nameTheFlag() {
    assertThat(failure("", "--pool-size", "4xb"))
        .isEqualTo(
            "--pool-size: memory.pool-size: [4xb] is not a size: write a number and a unit, such as"
                + " 512mb or 4gb");
    assertThatThrownBy(() -> new ConfigFlags().set("--query-read-timeout-ms", "1s"))
        .hasMessage("--query-read-timeout-ms: [1s] is not a whole number: its unit is ms already");
    assertThatThrownBy(() -> new ConfigFlags().set("--pool-sise", "1gb"))
        .hasMessage("--pool-sise: is not a flag: did you mean [--pool-size]?");
    assertThatThrownBy(() -> new ConfigFlags().set("--pool-size", "1gb").set("--pool-size", "2gb"))
        .hasMessage("--pool-size: is given twice: leave one out");
    assertThat(failure("", "--ssd-cache-capacity", "1gb"))
        .isEqualTo(
            "--ssd-cache-capacity: ssd.capacity: does nothing without a path: add --ssd-cache-path"
                + " or leave it out");
  }

  @Test
  void load_poolBeyondTheLimit_refusedWithTheSum() {
    assertThat(failure("memory:\n  pool-size: 15gb\n"))
        .isEqualTo(
            "f.yaml:2:14: memory.pool-size: [15gb] does not fit: pool 15gb + heap 1gb + native"
                + " overhead 512mb = 16.5gb, and the memory limit is 16gb; set it to at most"
                + " 14848mb");
    assertThat(load("memory:\n  pool-size: 14848mb\n").poolBytes()).isEqualTo(14848L << 20);
    assertThat(failure("memory:\n  pool-size: 8000000tb\n")).contains("does not fit");
  }

  @Test
  void load_smallHeap_holdsFewerPages() {
    assertThat(load("").maxPages()).isEqualTo(1 << 20);
    HostFacts small = new HostFacts(Map.of(), 7, 16 * GB, 30 << 20, Path.of("/o"));
    ManagerConfig config = load(small, "");
    assertThat(config.maxPages()).isEqualTo((10 << 20) / 80);
    assertThat(value(config, "(heap for the pool)").reason())
        .contains("at most 131072 pages", "tags of the pool 4mb", "a heap of 30mb");
    HostFacts large = new HostFacts(Map.of(), 7, 1024 * GB, 64 * GB, Path.of("/o"));
    assertThat(load(large, "memory:\n  pool-size: 512gb\n").maxPages()).isEqualTo(1 << 24);
    assertThat(load("memory:\n  pool-size: 1mb\n").maxPages()).isEqualTo(1024);
  }

  @Test
  void load_poolWhoseTagsNeedTheHeap_refusedWithTheSum() {
    HostFacts facts = new HostFacts(Map.of(), 7, 1024 * GB, 512 << 20, Path.of("/o"));
    assertThat(load(facts, "memory:\n  pool-size: 160gb\n").poolBytes()).isEqualTo(160 * GB);
    assertThatThrownBy(() -> load(facts, "memory:\n  pool-size: 256gb\n"))
        .isInstanceOf(ConfigException.class)
        .hasMessage(
            "f.yaml:2:14: memory.pool-size: [256gb] needs more Java heap: tags of the pool 256mb +"
                + " table of pages 170.7mb = 426.7mb, the heap is 512mb and the tags may take a"
                + " third of it; start with ORBITKV_HEAP=1024m or lower the pool");
  }

  @Test
  void load_autoPool_isNoLargerThanTheHeapHasRoomFor() {
    HostFacts facts = new HostFacts(Map.of(), 7, 1024 * GB, 96 << 20, Path.of("/o"));
    ManagerConfig config = load(facts, "");
    assertThat(config.poolBytes()).isEqualTo(32 * GB);
    assertThat(value(config, "memory.pool-size").reason()).contains("heap of 96mb");
  }

  @Test
  void load_autoPool_isAQuarterAndAtMost64Gb() {
    ManagerConfig quarter = load("");
    assertThat(value(quarter, "memory.pool-size").reason())
        .isEqualTo("a quarter of the memory limit of 16gb");
    HostFacts large = new HostFacts(Map.of(), 7, 1024 * GB, GB, Path.of("/opt/orbitkv"));
    assertThat(load(large, "").poolBytes()).isEqualTo(64 * GB);
    HostFacts odd = new HostFacts(Map.of(), 7, 3 * GB + 4097, 128 << 20, Path.of("/"));
    assertThat(load(odd, "").poolBytes() % (2 << 20)).isZero();
    HostFacts tiny = new HostFacts(Map.of(), 7, 256 << 20, 256 << 20, Path.of("/"));
    assertThatThrownBy(() -> load(tiny, ""))
        .hasMessageStartingWith("memory.pool-size: [64mb] does not fit")
        .hasMessageEndingWith("; raise the limit or lower the heap");
  }

  @Test
  void load_budgets_mustNestInsideThePool() {
    assertThat(failure("", "--pool-size", "1gb", "--query-budget", "2gb"))
        .isEqualTo(
            "--query-budget: query.budget: [2gb] is larger than the pool of 1gb (memory.pool-size):"
                + " lower it or enlarge the pool");
    assertThat(failure("query:\n  budget: 1gb\n  instance-budget: 2gb\n"))
        .isEqualTo(
            "f.yaml:3:20: query.instance-budget: [2gb] is larger than query.budget of 1gb: lower it"
                + " or raise that");
    assertThat(failure("query:\n  budget: 0\n")).endsWith("[0b] must be above 0");
    assertThat(failure("query:\n  budget: auto\n")).contains("[auto] is neither");
    assertThat(failure("query:\n  budget: 101%\n"))
        .endsWith("[101%] must be above 0% and at most 100%");
    assertThat(failure("memory:\n  pool-size: 50%\n"))
        .endsWith("[50%] is not a size: write auto or a size such as 4gb");
    assertThat(load("query:\n  budget: 50%\n  instance-budget: 25%\n").instanceBudgetBytes())
        .isEqualTo(GB / 2);
  }

  @Test
  void load_autoPaths_fallBackToPrivateFoldersInTmp() {
    HostFacts bare = new HostFacts(Map.of("HOME", "/nonexistent"), 7, 16 * GB, GB, Path.of("/o"));
    ManagerConfig config = load(bare, "");
    assertThat(config.socket()).isEqualTo(Path.of("/tmp/orbitkv-7/manager.sock"));
    assertThat(config.pluginsWorkDirectory()).isEqualTo(Path.of("/tmp/orbitkv-7/plugins"));
    HostFacts home =
        new HostFacts(Map.of("HOME", directory.toString()), 7, 16 * GB, GB, Path.of("/o"));
    assertThat(load(home, "").pluginsWorkDirectory())
        .isEqualTo(directory.resolve(".cache/orbitkv/plugins"));
  }

  @Test
  void load_socketPathTooLong_refused() {
    String path = "/tmp/" + "x".repeat(120);
    assertThat(failure("socket: " + path + "\n"))
        .isEqualTo(
            "f.yaml:1:9: socket: ["
                + path
                + "] has [125] bytes, and a Unix socket's path has at most [107]: choose a shorter"
                + " one");
    assertThat(failure("socket: ''\n")).endsWith("[] is not a path: write one or auto");
  }

  @Test
  void load_metrics_areOffUnlessAPortIsNamed() {
    assertThat(load("").metricsAddress()).isNull();
    assertThat(load("metrics: {prometheus: 9464}\n").metricsAddress())
        .isEqualTo(new InetSocketAddress(InetAddress.ofLiteral("127.0.0.1"), 9464));
    assertThat(load("metrics: {prometheus: 0, address: '::1'}\n").metricsAddress())
        .isEqualTo(new InetSocketAddress(InetAddress.ofLiteral("::1"), 0));
    assertThat(failure("metrics:\n  prometheus: 65536\n"))
        .isEqualTo(
            "f.yaml:2:15: metrics.prometheus: [65536] is no port: write a number up to 65535, or"
                + " off");
    assertThat(failure("metrics:\n  prometheus: 'on'\n")).contains("[on] is no port");
    assertThat(failure("metrics:\n  address: localhost\n"))
        .contains("metrics.address: [localhost] is no IP address");
  }

  @Test
  void load_pins_areChecked() {
    String digest = "ab".repeat(32);
    ManagerConfig config =
        load("plugins:\n  trust: pinned\n  digests:\n    dram-tier: " + digest + "\n");
    assertThat(config.pluginTrust()).isEqualTo(new PluginTrust.Pinned(Map.of("dram-tier", digest)));
    assertThat(failure("plugins:\n  digests: {dram-tier: 12}\n"))
        .isEqualTo(
            "f.yaml:2:12: plugins.digests: [dram-tier: 12] is not a SHA-256: write its 64"
                + " hexadecimal digits");
    assertThat(failure("plugins:\n  digests: {dram-tier: [12]}\n"))
        .contains("plugins.digests.dram-tier: a list stands where a text is expected");
  }

  @Test
  void load_policies_readBySlot() {
    ManagerConfig config =
        load(
            """
            policies:
              cutoff: [none, {stopping-cutoffs: {read-timeout: 100ms}}]
              admission: {dram: none}
              retention:
                dram: lru
            """);
    assertThat(config.policies())
        .extracting(choice -> choice.slot() + " " + choice.name() + " " + choice.builtIn())
        .containsExactly(
            "CUTOFF none true",
            "CUTOFF stopping-cutoffs false",
            "ADMISSION_DRAM none true",
            "RETENTION_DRAM lru false");
    assertThat(config.policies().getFirst().slot()).isEqualTo(PolicySlot.CUTOFF);
    assertThat(config.policies().get(1).settings().entries()).hasSize(1);
  }

  @Test
  void load_shadows_readBySlot() {
    ManagerConfig config =
        load(
            """
            policies:
              retention: {dram: lru}
              shadow:
                sample: 12.5%
                memory: 128mb
                retention: {dram: [none, {w-tinylfu: {window: 1%}}]}
                admission.ssd: default
            """);

    assertThat(config.policies()).extracting(PolicyChoice::name).containsExactly("lru");
    assertThat(config.shadows().section().share()).isEqualTo(0.125);
    assertThat(config.shadows().section().memory().bytes()).isEqualTo(128L << 20);
    assertThat(config.shadows().shadows())
        .extracting(choice -> choice.slot() + " " + choice.name())
        .containsExactly(
            "ADMISSION_SSD default", "RETENTION_DRAM none", "RETENTION_DRAM w-tinylfu");
    assertThat(config.values())
        .extracting(value -> value.key() + "=" + value.value())
        .contains(
            "policies.shadow.sample=12.5%", "policies.shadow.retention.dram=[none, w-tinylfu]");
  }

  @Test
  void load_shadowSampleWithoutAUnit_isShownAsWrittenAtItsPlace() {
    assertThat(failure("policies: {shadow: {sample: 0, retention: {dram: [lru]}}}\n"))
        .isEqualTo(
            "f.yaml:1:29: policies.shadow.sample: [0] is no share: write a percentage such as 25%");
  }

  @Test
  void load_shadowMistakes_namedBySlot() {
    assertThat(
            failure(
                """
                policies:
                  shadow:
                    sample: 64mb
                    cutoff: [restore-or-recompute]
                    retension: {dram: lru}
                    admission: {disk: none}
                    retention: {dram: [a, b, c, d, e]}
                """))
        .isEqualTo(
            """
            f.yaml:3:13: policies.shadow.sample: [64mb] is no share: write a percentage such as 25%
            f.yaml:4:5: policies.shadow.cutoff: [cutoff] has no shadows: what a policy there is worth shows in times, not in keys; compare it with `orbitkv ab`
            f.yaml:5:5: policies.shadow.retension: [retension] is neither a slot nor a setting here: did you mean [retention]?
            f.yaml:6:17: policies.shadow.admission.disk: [disk] is neither a slot nor a setting here: known: [dram, ssd, promote]
            f.yaml:7:17: policies.shadow.retention.dram: names [5] shadows: at most [4] of a slot; leave some out\
            """
                .stripIndent());
    assertThat(failure("policies: {shadow: [lru]}\n"))
        .contains("policies.shadow: a list stands where a section is expected");
    assertThat(
            failure(
                "policies: {shadow: {retention: {dram: [a, b, c, d], ssd: [a, b, c, d]},"
                    + " admission: {ssd: a}}}\n"))
        .contains("names [9] shadows: at most [8] in all");
  }

  @Test
  void load_shadowsOfADividedManager_areRefused() {
    String shadows = "policies: {shadow: {retention: {dram: [lru]}}}\n";
    String ab =
        "ab: {variants: {A: {}, B: {cutoff: none}}, assign: {by: %s, isolation: partition}}\n";

    assertThat(failure(shadows + ab.formatted("instance")))
        .startsWith("f.yaml:1:")
        .contains("policies.shadow: shadows are of one cache");
    // Such an experiment runs on a model alone: nothing is divided here.
    assertThat(load(shadows + ab.formatted("chain")).shadows().shadows()).hasSize(1);
  }

  @Test
  void load_policyMistakes_namedBySlot() {
    assertThat(
            failure(
                """
                policies:
                  retension: {dram: lru}
                  warming: [a]
                  retention: lru
                  lookahead: {a: {}, b: {}}
                  admission: {disk: none}
                """))
        .isEqualTo(
            """
            f.yaml:2:3: policies.retension: [retension] is not a slot: did you mean [retention]?
            f.yaml:3:12: policies.warming: takes one policy; only cutoff takes a list
            f.yaml:4:14: policies.retention: the value [lru] stands where a section is expected, such as {dram: none}
            f.yaml:5:14: policies.lookahead: names [2] policies, not one
            f.yaml:6:15: policies.admission.disk: [disk] is not a slot: known: [dram, ssd, promote]\
            """
                .stripIndent());
  }

  @Test
  void load_filesThatAreNone_eachSaysWhy() throws IOException {
    assertThatThrownBy(() -> ManagerConfig.load(directory, Map.of(), FACTS))
        .isInstanceOf(ConfigException.class)
        .hasMessage(directory + ": is a folder, not a file: name the file in it");
    Path absent = directory.resolve("absent.yaml");
    assertThatThrownBy(() -> ManagerConfig.load(absent, Map.of(), FACTS))
        .isInstanceOf(ConfigException.class)
        .hasMessage(absent + ": does not exist: correct the path");
    Path binary = Files.write(directory.resolve("binary"), new byte[] {(byte) 0xff, (byte) 0xfe});
    assertThatThrownBy(() -> ManagerConfig.load(binary, Map.of(), FACTS))
        .hasMessage(binary + ": is not text in UTF-8");
    Path large = Files.write(directory.resolve("large"), new byte[(1 << 20) + 1]);
    assertThatThrownBy(() -> ManagerConfig.load(large, Map.of(), FACTS))
        .hasMessageContaining("is larger than [1048576] bytes");
  }

  @Test
  void load_emptyFiles_giveDefaults() {
    for (String text : List.of("", "# nothing\n", "---\n", "---\n...\n", "~\n", "memory:\n")) {
      assertThat(load(text).poolBytes()).isEqualTo(4 * GB);
    }
  }

  @Test
  void load_manyProblems_stopsTellingAtTheLimit() {
    StringBuilder text = new StringBuilder();
    for (int i = 0; i < 100; i++) {
      text.append("unknown").append(i).append(": 1\n");
    }
    assertThat(failure(text.toString()).lines()).hasSize(Problems.LIMIT + 1);
  }
}
