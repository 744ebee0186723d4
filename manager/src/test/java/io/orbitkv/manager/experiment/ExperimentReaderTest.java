package io.orbitkv.manager.experiment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.orbitkv.api.policy.PolicySlot;
import io.orbitkv.manager.config.ConfigurationFile;
import io.orbitkv.manager.settings.ConfigException;
import io.orbitkv.manager.settings.ConfigNode;
import io.orbitkv.manager.settings.Problems;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

class ExperimentReaderTest {
  private static final String EXAMPLE =
      """
      memory: {pool-size: 1gb}
      policies:
        cutoff: [restore-or-recompute, {stopping-cutoffs: {read-timeout: 100ms}}]
        admission: {dram: write-all, ssd: write-all}
        retention: {dram: lru, ssd: lru}
      ab:
        name: comeback-1
        variants:
          A: {}
          B: {admission: {ssd: {comeback: {trial: 0.25}}}}
        assign: {by: chain, isolation: partition, split: [50, 50], salt: 7}
        primary: {measure: ttft.mean, margin: 2%}
        guards: {ttft.p95: +2%, throughput: -1%, ssd_written_bytes: +0%}
      """;

  @Test
  void read_theExampleOfTheReference_readsEverything() {
    ExperimentPlan plan = plan(EXAMPLE);

    assertThat(plan.name()).isEqualTo("comeback-1");
    assertThat(plan.assignment())
        .isEqualTo(
            new Assignment(
                Assignment.By.CHAIN, Isolation.PARTITION, 50, 7, Duration.ofMinutes(15)));
    assertThat(plan.primary().orElseThrow().measure()).isEqualTo("ttft.mean");
    assertThat(plan.primary().orElseThrow().percent()).isEqualTo("2%");
    assertThat(plan.guards()).extracting(Relative::percent).containsExactly("+2%", "-1%", "+0%");
    assertThat(plan.guards().getFirst().place().line()).isEqualTo(13);
  }

  @Test
  void of_patch_replacesTheSlotAndKeepsTheRest() {
    ConfigNode.Mapping root = parse(EXAMPLE);
    Variants variants = Variants.of(root, plan(EXAMPLE));

    assertThat(variants.differing()).containsExactly(PolicySlot.ADMISSION_SSD);
    assertThat(ConfigurationText.of(Variants.policies(variants.b())))
        .contains("\"comeback\": {", "\"trial\": \"0.25\"", "\"dram\": \"write-all\"")
        .contains("\"retention\": {")
        .doesNotContain("\"ssd\": \"write-all\"");
    assertThat(variants.a().entry("ab")).isEmpty();
    assertThat(ConfigurationText.of(Variants.policies(variants.a())))
        .isEqualTo(ConfigurationText.of(Variants.policies(root)));
  }

  @Test
  void of_patchWithNull_takesTheSlotAway() {
    ConfigNode.Mapping patched =
        PolicyPatch.apply(
            parse("{retention: {dram: a, ssd: b}}"), parse("{retention: {dram: null}}"));

    assertThat(ConfigurationText.of(patched)).doesNotContain("dram").contains("\"ssd\": \"b\"");
  }

  @Test
  void text_readAgain_isTheSameConfiguration() {
    String text = ConfigurationText.of(parse(EXAMPLE));

    assertThat(ConfigurationText.of(parse(text))).isEqualTo(text);
  }

  @Test
  void of_differenceOutsidePolicies_isRefusedWithFileLineAndKey() {
    ConfigNode.Mapping a = parse("memory: {pool-size: 1gb}\n");
    ConfigNode.Mapping b =
        ConfigurationFile.parse(
            "B.yaml",
            "memory:\n  pool-size: 2gb\nlog: {level: warn}\n".getBytes(StandardCharsets.UTF_8));

    assertThatExceptionOfType(ConfigException.class)
        .isThrownBy(() -> Variants.of(a, b, List.of("log")))
        .withMessageContaining("B.yaml:2:3: memory.pool-size: is [2gb], and [1gb]")
        .withMessageContaining("--allow memory.pool-size");
    assertThat(Variants.of(a, b, List.of("log", "memory")).allowed())
        .containsExactly("memory.pool-size", "log");
  }

  @Test
  void shared_admissionDiffers_isRefusedWithTheReason() {
    Variants variants = Variants.of(parse(EXAMPLE), plan(EXAMPLE));
    ExperimentPlan shared = plan(EXAMPLE.replace("isolation: partition", "isolation: shared"));

    assertThatExceptionOfType(ConfigException.class)
        .isThrownBy(() ->
            variants.requireSound(shared.assignment(), shared.assignmentPlace(), Duration.ZERO))
        .withMessageContaining("test.yaml:11:")
        .withMessageContaining("admission.ssd")
        .withMessageContaining("turned the sign");
  }

  @Test
  void shared_onlyTheCutoffDiffers_isAcceptedAndLabelled() {
    String text =
        EXAMPLE
            .replace("isolation: partition", "isolation: shared")
            .replace("{admission: {ssd: {comeback: {trial: 0.25}}}}", "{cutoff: none}");
    ExperimentPlan plan = plan(text);

    Variants.of(parse(text), plan)
        .requireSound(plan.assignment(), plan.assignmentPlace(), Duration.ZERO);

    assertThat(plan.assignment().isolation().label()).isEqualTo("interference possible");
  }

  @Test
  void time_slotsShorterThanTheTurnover_areRefused() {
    String text = EXAMPLE.replace("isolation: partition", "isolation: time, slot: 60s");
    ExperimentPlan plan = plan(text);
    Variants variants = Variants.of(parse(text), plan);

    assertThatExceptionOfType(ConfigException.class)
        .isThrownBy(() ->
            variants.requireSound(
                plan.assignment(), plan.assignmentPlace(), Duration.ofMinutes(10)))
        .withMessageContaining("[60s]")
        .withMessageContaining("600s");
    variants.requireSound(plan.assignment(), plan.assignmentPlace(), Duration.ofSeconds(30));
  }

  @Test
  void read_manyMistakes_namesEachWithItsPlaceAndKey() {
    String text =
        """
        ab:
          name: "two words"
          variants: {A: {}, C: {}}
          assign: {by: request, isolation: mixed, split: [60, 50], salt: x, slot: 5m}
          primary: {margin: 2%}
          gards: {}
        """;

    assertThatExceptionOfType(ConfigException.class)
        .isThrownBy(() -> plan(text))
        .withMessageContaining("test.yaml:2:9: ab.name: [two words]")
        .withMessageContaining("test.yaml:3:21: ab.variants.C: is unknown")
        .withMessageContaining("test.yaml:4:16: ab.assign.by: [request] is none of chain, instance")
        .withMessageContaining("ab.assign.isolation: [mixed] is none of partition, time, shared")
        .withMessageContaining("ab.assign.split: [60, 50] must be two shares of 100")
        .withMessageContaining("ab.assign.salt: [x]")
        .withMessageContaining("ab.assign.slot: is for isolation: time")
        .withMessageContaining("ab.primary: names no measure")
        .withMessageContaining("test.yaml:6:3: ab.gards: is unknown: did you mean [guards]?");
  }

  private static ExperimentPlan plan(String text) {
    Problems problems = new Problems();
    ConfigNode node = parse(text).entry("ab").orElseThrow().value();
    ExperimentPlan plan = ExperimentReader.read((ConfigNode.Mapping) node, problems);
    problems.throwIfAny();
    return plan;
  }

  private static ConfigNode.Mapping parse(String text) {
    return ConfigurationFile.parse("test.yaml", text.getBytes(StandardCharsets.UTF_8));
  }
}
