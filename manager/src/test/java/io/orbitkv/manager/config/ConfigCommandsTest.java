package io.orbitkv.manager.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.orbitkv.manager.settings.ConfigException;
import io.orbitkv.manager.settings.ConfigProblem;
import io.orbitkv.manager.settings.SettingInfo;
import io.orbitkv.manager.settings.SettingsSchema;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

class ConfigCommandsTest {
  private static final HostFacts FACTS =
      new HostFacts(Map.of(), 7, 16L << 30, 1L << 30, Path.of("/opt/orbitkv"));

  @TempDir Path directory;

  @Test
  void show_flagsAndDefaults_saysWhereEachComesFromAndWhatItMeans() {
    ManagerConfig config =
        ManagerConfig.load(null, new ConfigFlags().set("--pool-size", "2gb").byKey(), FACTS);
    String table = ConfigCommands.show(config.values());
    assertThat(table)
        .containsPattern("(?m)^KEY +VALUE +ORIGIN +MEANS HERE$")
        .containsPattern("(?m)^memory.pool-size +2gb +--pool-size$")
        .containsPattern("(?m)^query.budget +75% +default +1536mb \\(75% of the pool of 2gb\\)$")
        .containsPattern("(?m)^log.level +info +default$");
    JsonNode json = JsonMapper.builder().build().readTree(ConfigCommands.showJson(config.values()));
    assertThat(json.get("memory.pool-size").get("origin").asString()).isEqualTo("--pool-size");
    assertThat(json.get("query.budget").get("effective").asString()).isEqualTo("1536mb");
  }

  @Test
  void schema_everySetting_isInItWithItsDocumentation() {
    JsonNode schema = JsonMapper.builder().build().readTree(ConfigCommands.schema(List.of()));
    for (SettingInfo setting : SettingsSchema.of(ManagerSettings.class)) {
      JsonNode node = schema.at("/properties/" + setting.key().replace(".", "/properties/"));
      assertThat(node.path("description").asString("")).as(setting.key()).isEqualTo(setting.doc());
    }
    assertThat(schema.at("/properties/sessions/properties/max/maximum").asInt()).isEqualTo(4096);
    assertThat(schema.at("/properties/plugins/properties/trust/enum/1").asString())
        .isEqualTo("pinned");
    assertThat(schema.at("/additionalProperties").asBoolean()).isFalse();
  }

  @Test
  void check_goodAndBadFile_givesNoLineOrOneEach() throws IOException {
    Path good = Files.writeString(directory.resolve("good.yaml"), "log: {level: warn}\n");
    assertThat(ConfigCommands.check(good, Map.of(), FACTS)).isEmpty();
    Path bad = Files.writeString(directory.resolve("bad.yaml"), "log: {level: x}\nmemroy: {}\n");
    assertThat(ConfigCommands.check(bad, Map.of(), FACTS))
        .containsExactly(
            bad + ":2:1: memroy: [memroy] is not a key: did you mean [memory]?",
            bad + ":1:14: log.level: [x] is not one of [error, warn, info, debug, trace]");
  }

  @Test
  void check_experiment_isCheckedAndShownAndChangesNothing() throws IOException {
    Path good =
        Files.writeString(
            directory.resolve("ab.yaml"),
            """
            policies: {cutoff: restore-or-recompute}
            ab:
              name: comeback-1
              variants:
                A: {}
                B: {admission: {ssd: {comeback: {trial: 0.25}}}}
              primary: {measure: ttft.mean, margin: 2%}
            """);
    assertThat(ConfigCommands.check(good, Map.of(), FACTS)).isEmpty();
    ManagerConfig config = ManagerConfig.load(good, Map.of(), FACTS);
    assertThat(config.policies())
        .singleElement()
        .extracting("name")
        .isEqualTo("restore-or-recompute");
    assertThat(ConfigCommands.show(config.values()))
        .containsPattern("(?m)^ab .*experiment \\[comeback-1\\] \\('ab start' would refuse it");
    assertThat(ConfigCommands.show(ManagerConfig.load(null, Map.of(), FACTS).values()))
        .doesNotContain("experiment [");
  }

  @Test
  void check_wrongExperiment_tellsLineAndKey() throws IOException {
    Path bad =
        Files.writeString(
            directory.resolve("ab.yaml"),
            """
            ab:
              variants: {A: {}, B: {}}
              assign: {by: request}
              colour: red
            """);
    assertThat(ConfigCommands.check(bad, Map.of(), FACTS))
        .containsExactly(
            bad
                + ":4:3: ab.colour: is unknown: known: [name, variants, assign, primary, guards,"
                + " live]",
            bad + ":3:16: ab.assign.by: [request] is none of chain, instance");
    Path variants =
        Files.writeString(
            directory.resolve("variants.yaml"),
            """
            ab:
              variants:
                B: {admission: {sdd: lru}}
              assign: {isolation: shared}
            """);
    assertThat(ConfigCommands.check(variants, Map.of(), FACTS))
        .singleElement()
        .asString()
        .startsWith(variants + ":3:21: ab.variants.B.admission.sdd: [sdd] is not a slot: did you");
    Path shared =
        Files.writeString(
            directory.resolve("shared.yaml"),
            """
            ab:
              variants: {B: {admission: {ssd: write-all}}}
              assign: {isolation: shared}
            """);
    assertThat(ConfigCommands.check(shared, Map.of(), FACTS))
        .singleElement()
        .asString()
        .startsWith(shared + ":3:3: ab.assign.isolation: [shared] misleads");
  }

  @Test
  void check_mistakesOfEveryKind_tellsAllOfThem() throws IOException {
    Path bad =
        Files.writeString(
            directory.resolve("bad.yaml"),
            """
            memory: {pool-size: 900gb}
            query: {read-pipeline: many}
            metrics: {prometheus: 99999}
            socket: a
            socket: b
            policies: {weird: none, lookahead: foo}
            sessions: {allowed-users: [root, nosuchuser]}
            """);
    assertThatThrownBy(() ->
            ConfigCommands.checked(
                bad,
                Map.of(),
                FACTS,
                config -> {
                  assertThat(config.policies()).extracting(PolicyChoice::name).contains("foo");
                  throw new ConfigException(
                      List.of(new ConfigProblem("x", "policies.lookahead", "no such policy")));
                }))
        .isInstanceOf(ConfigException.class)
        .message()
        .satisfies(message ->
            assertThat(message.lines())
                .satisfiesExactlyInAnyOrder(
                    line -> assertThat(line).startsWith(bad + ":5:1: socket: is set twice"),
                    line -> assertThat(line).startsWith(bad + ":2:24: query.read-pipeline: [many]"),
                    line ->
                        assertThat(line)
                            .startsWith(bad + ":1:21: memory.pool-size: [900gb] does not fit"),
                    line ->
                        assertThat(line)
                            .startsWith(bad + ":1:21: memory.pool-size: [900gb] needs more"),
                    line -> assertThat(line).contains("metrics.prometheus: [99999] is no port"),
                    line -> assertThat(line).contains("policies.weird: [weird] is not a slot"),
                    line ->
                        assertThat(line)
                            .startsWith(bad + ":7:27: sessions.allowed-users: [nosuchuser] is no"),
                    line -> assertThat(line).isEqualTo("x: policies.lookahead: no such policy")));
  }

  @Test
  void check_wrongPool_saysNothingOfWhatFollowsFromIt() throws IOException {
    Path bad =
        Files.writeString(
            directory.resolve("bad.yaml"), "memory: {pool-size: big}\nquery: {budget: 60gb}\n");
    assertThat(ConfigCommands.check(bad, Map.of(), FACTS))
        .singleElement()
        .asString()
        .contains("memory.pool-size: [big]");
  }

  @Test
  void check_memoryThatIsNoSection_staysOneProblem() throws IOException {
    Path bad = Files.writeString(directory.resolve("bad.yaml"), "memory: 4gb\nssd: [a]\n");
    assertThat(ConfigCommands.check(bad, Map.of(), FACTS)).hasSize(2);
  }

  @Test
  void detect_thisMachine_isPlausible() {
    HostFacts facts = HostFacts.detect();
    assertThat(facts.memoryLimitBytes()).isGreaterThan(64L << 20);
    assertThat(facts.heapBytes()).isGreaterThan(1L << 20);
    assertThat(facts.nativeOverheadBytes()).isPositive();
    assertThat(facts.home()).isAbsolute();
    assertThat(HostFacts.detectForServe().memoryLimitBytes()).isEqualTo(facts.memoryLimitBytes());
  }

  @Test
  void heap_asTheLauncherTakesIt_read() {
    assertThat(HostFacts.heap("2g")).isEqualTo(2L << 30);
    assertThat(HostFacts.heap("700M")).isEqualTo(700L << 20);
    assertThat(HostFacts.heap("1048576")).isEqualTo(1L << 20);
    assertThat(HostFacts.heap("")).isEqualTo(512L << 20);
  }
}
