package io.orbitkv.manager.settings;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.orbitkv.api.settings.ByteSize;
import io.orbitkv.api.settings.Setting;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class SettingsBinderTest {
  enum Mode {
    PLAIN,
    WITH_CARE
  }

  record Every(
      @Setting(def = "true", doc = "a switch") boolean enabled,
      @Setting(def = "4", min = "1", max = "16", doc = "a number") int threadCount,
      @Setting(def = "10000000000", doc = "a long one") long limit,
      @Setting(def = "0.25", min = "0", max = "1", doc = "a part") double share,
      @Setting(def = "name", doc = "a text") String text,
      @Setting(def = "with-care", doc = "a choice") Mode mode,
      @Setting(def = "4gb", min = "1mb", max = "1tb", doc = "a size") ByteSize size,
      @Setting(def = "100ms", min = "1ms", max = "1h", doc = "a time") Duration readTimeout,
      @Setting(def = "[1, 2]", min = "0", doc = "numbers") List<Integer> wrong) {}

  record Good(
      @Setting(def = "true", doc = "a switch") boolean enabled,
      @Setting(def = "4", min = "1", max = "16", doc = "a number") int threadCount,
      @Setting(def = "10000000000", doc = "a long one") long limit,
      @Setting(def = "0.25", min = "0", max = "1", doc = "a part") double share,
      @Setting(def = "name", doc = "a text") String text,
      @Setting(def = "with-care", doc = "a choice") Mode mode,
      @Setting(def = "4gb", min = "1mb", max = "1tb", doc = "a size") ByteSize size,
      @Setting(def = "100ms", min = "1ms", max = "1h", doc = "a time") Duration readTimeout,
      @Setting(def = "[1kb, 2kb]", min = "1b", doc = "sizes") List<ByteSize> steps,
      @Setting(def = "[]", doc = "texts") List<String> names) {}

  record Needed(@Setting(doc = "where it lies") String path) {}

  record Picky(@Setting(def = "1", doc = "odd") int odd) {
    Picky {
      if (odd % 2 == 0) {
        throw new IllegalArgumentException("odd [" + odd + "] is even: write an odd number");
      }
    }
  }

  record Bare(int value) {}

  record BadDefault(@Setting(def = "many", doc = "a number") int value) {}

  record OutsideDefault(@Setting(def = "9", max = "8", doc = "a number") int value) {}

  record Unordered(@Setting(def = "x", min = "a", doc = "a text") String value) {}

  record Silent(@Setting(def = "1", doc = " ") int value) {}

  private static final Place START = new Place("f.yaml", 1, 1);

  /** A section with each key on a line of its own, its value at column 10. */
  private static ConfigNode.Mapping section(String... keysAndValues) {
    Map<String, ConfigNode> entries = new LinkedHashMap<>();
    for (int i = 0; i < keysAndValues.length; i += 2) {
      Place place = new Place("f.yaml", i / 2 + 1, 10);
      String text = keysAndValues[i + 1];
      List<ConfigNode> items = new ArrayList<>();
      for (String item : SettingType.items(text)) {
        items.add(new ConfigNode.Scalar(place, item, false));
      }
      entries.put(
          keysAndValues[i],
          text.startsWith("[")
              ? new ConfigNode.Sequence(place, items)
              : new ConfigNode.Scalar(place, text, false));
    }
    List<ConfigNode.Entry> all = new ArrayList<>();
    entries.forEach((key, value) ->
        all.add(new ConfigNode.Entry(key, new Place("f.yaml", value.place().line(), 1), value)));
    return new ConfigNode.Mapping(START, all);
  }

  private static String failure(Class<? extends Record> type, String... keysAndValues) {
    try {
      SettingsBinder.bind(type, section(keysAndValues), "x.");
      return "";
    } catch (ConfigException wrong) {
      return String.valueOf(wrong.getMessage());
    }
  }

  @Test
  void bind_nothingSet_givesEveryDefault() {
    assertThat(SettingsBinder.bind(Good.class, null, ""))
        .isEqualTo(
            new Good(
                true,
                4,
                10_000_000_000L,
                0.25,
                "name",
                Mode.WITH_CARE,
                new ByteSize(4L << 30),
                Duration.ofMillis(100),
                List.of(new ByteSize(1024), new ByteSize(2048)),
                List.of()));
  }

  @Test
  void bind_everythingSet_givesEveryValue() {
    ConfigNode.Mapping section =
        section(
            "enabled", "false",
            "thread-count", "16",
            "limit", "-7",
            "share", "1e-1",
            "text", "12",
            "mode", "plain",
            "size", "1.5 GiB",
            "read-timeout", "5s",
            "steps", "[4kb]",
            "names", "[a, b]");
    assertThat(SettingsBinder.bind(Good.class, section, ""))
        .isEqualTo(
            new Good(
                false,
                16,
                -7,
                0.1,
                "12",
                Mode.PLAIN,
                new ByteSize(3L << 29),
                Duration.ofSeconds(5),
                List.of(new ByteSize(4096)),
                List.of("a", "b")));
  }

  @Test
  void bind_wrongValues_oneLineEachWithPlaceKeyAndRemedy() {
    assertThat(
            failure(
                Good.class,
                "enabled",
                "yes",
                "thread-count",
                "17",
                "limit",
                "1.5",
                "share",
                "much",
                "mode",
                "careful",
                "size",
                "4xb",
                "read-timeout",
                "5",
                "steps",
                "1kb",
                "names",
                "~"))
        .isEqualTo(
            """
            f.yaml:1:10: x.enabled: [yes] is not a boolean: write true or false
            f.yaml:2:10: x.thread-count: [17] is above the maximum of 16
            f.yaml:3:10: x.limit: [1.5] is not a whole number: write digits only, such as 64
            f.yaml:4:10: x.share: [much] is not a number: write one such as 0.25
            f.yaml:5:10: x.mode: [careful] is not one of [plain, with-care]
            f.yaml:6:10: x.size: [4xb] is not a size: write a number and a unit, such as 512mb or 4gb
            f.yaml:7:10: x.read-timeout: [5] is not a duration: write a whole number and a unit, such as 100ms, 5s or 10m
            f.yaml:8:10: x.steps: the value [1kb] stands where a list of size is expected: write [a, b]
            f.yaml:9:10: x.names: has no value: write one, or leave the key out for the default\
            """
                .stripIndent());
  }

  @Test
  void bind_limitsOfEachType_held() {
    assertThat(failure(Good.class, "size", "1kb"))
        .isEqualTo("f.yaml:1:10: x.size: [1kb] is below the minimum of 1mb");
    assertThat(failure(Good.class, "read-timeout", "2h"))
        .isEqualTo("f.yaml:1:10: x.read-timeout: [2h] is above the maximum of 1h");
    assertThat(failure(Good.class, "share", "1.01"))
        .isEqualTo("f.yaml:1:10: x.share: [1.01] is above the maximum of 1");
    assertThat(failure(Good.class, "steps", "[1kb, 0]"))
        .isEqualTo("f.yaml:1:10: x.steps: [0] is below the minimum of 1b");
    assertThat(failure(Good.class, "thread-count", "99999999999"))
        .startsWith("f.yaml:1:10: x.thread-count: [99999999999] is not between");
  }

  @Test
  void bind_unknownKey_suggestsTheNearest() {
    assertThat(failure(Good.class, "read-timout", "5s"))
        .isEqualTo(
            "f.yaml:1:1: x.read-timout: [read-timout] is not a key: did you mean [read-timeout]?");
    assertThat(failure(Good.class, "readTimeout", "5s")).endsWith("did you mean [read-timeout]?");
    assertThat(failure(Needed.class, "elephant", "1"))
        .contains("[elephant] is not a key: known: [path]");
  }

  @Test
  void bind_requiredAbsent_saysWhatItIs() {
    assertThat(failure(Needed.class)).isEqualTo("f.yaml:1:1: x.path: is required: where it lies");
    assertThatThrownBy(() -> SettingsBinder.bind(Needed.class, null, "plugin-settings.p."))
        .hasMessage("settings: plugin-settings.p.path: is required: where it lies");
  }

  @Test
  void bind_recordThatRefuses_tellsItsReasonAtTheSection() {
    assertThat(failure(Picky.class, "odd", "4"))
        .isEqualTo("f.yaml:1:1: x: odd [4] is even: write an odd number");
  }

  @Test
  void bind_moreProblemsThanTheLimit_countsTheRest() {
    String[] wrong = new String[2 * (Problems.LIMIT + 5)];
    for (int i = 0; i < wrong.length; i += 2) {
      wrong[i] = "unknown-key-number-" + i;
      wrong[i + 1] = "1";
    }
    String message = failure(Needed.class, wrong);
    assertThat(message.lines()).hasSize(Problems.LIMIT + 1);
    assertThat(message).endsWith("[6] more problems: mend those above first");
  }

  @Test
  void schema_declarationsThatAreWrong_namedByComponent() {
    assertThatThrownBy(() -> SettingsSchema.of(Bare.class))
        .hasMessageContaining("Bare] component [value] carries no @Setting");
    assertThatThrownBy(() -> SettingsSchema.of(BadDefault.class))
        .hasMessageContaining("[many] is not a whole number");
    assertThatThrownBy(() -> SettingsSchema.of(OutsideDefault.class))
        .hasMessageContaining("[9] is above the maximum of 8");
    assertThatThrownBy(() -> SettingsSchema.of(Unordered.class))
        .hasMessageContaining("declares min [a] but text has no order");
    assertThatThrownBy(() -> SettingsSchema.of(Silent.class))
        .hasMessageContaining("says nothing in doc");
    assertThatThrownBy(() -> SettingsSchema.of(Every.class))
        .hasMessageContaining("has type [java.util.List<java.lang.Integer>]");
  }

  @Test
  void schema_goodRecord_tellsKeysTypesAndLimits() {
    assertThat(SettingsSchema.of(Good.class, "p."))
        .extracting(info -> info.key() + " " + info.type() + " " + info.def() + " " + info.max())
        .contains(
            "p.thread-count integer 4 16",
            "p.read-timeout duration 100ms 1h",
            "p.steps list of size [1kb, 2kb] ");
    assertThat(SettingsSchema.of(Needed.class).getFirst().required()).isTrue();
  }

  @Test
  void durations_formAndBack_areEqual() {
    for (String text : List.of("0ms", "1ns", "7us", "100ms", "5s", "10m", "3h", "48h", "1500ms")) {
      assertThat(Durations.format(Durations.parse(text))).isEqualTo(text);
    }
    assertThat(Durations.format(Durations.parse("2d"))).isEqualTo("48h");
    assertThatThrownBy(() -> Durations.parse("-5s")).isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void problems_withLineBreaksInValues_stayOnOneLine() {
    ConfigProblem problem = new ConfigProblem("f\n", "k", "[a\nb\u0007]" + "x".repeat(1_000));
    assertThat(problem.line()).doesNotContain("\n").startsWith("f\\n: k: [a\\nb\\u0007]");
    assertThat(problem.line().length()).isLessThan(450);
  }
}
