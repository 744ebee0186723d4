package io.orbitkv.manager.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import io.orbitkv.manager.settings.ConfigException;
import io.orbitkv.manager.settings.ConfigNode;
import io.orbitkv.manager.settings.Place;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

class YamlReaderTest {
  private static ConfigNode.Mapping parse(String text) {
    return YamlReader.parse("f.yaml", text.getBytes(StandardCharsets.UTF_8));
  }

  private static String failure(String text) {
    try {
      parse(text);
      return "";
    } catch (ConfigException wrong) {
      return String.valueOf(wrong.getMessage());
    }
  }

  @Test
  void parse_nested_keepsThePlaceOfKeysAndValues() {
    ConfigNode.Mapping root = parse("# comment\na:\n  b: [1, 'two']\n");
    ConfigNode.Entry a = root.entry("a").orElseThrow();
    assertThat(a.keyPlace()).isEqualTo(new Place("f.yaml", 2, 1));
    ConfigNode.Entry b = ((ConfigNode.Mapping) a.value()).entry("b").orElseThrow();
    assertThat(b.keyPlace()).isEqualTo(new Place("f.yaml", 3, 3));
    ConfigNode.Sequence list = (ConfigNode.Sequence) b.value();
    assertThat(list.items())
        .containsExactly(
            new ConfigNode.Scalar(new Place("f.yaml", 3, 7), "1", false),
            new ConfigNode.Scalar(new Place("f.yaml", 3, 10), "two", true));
  }

  @Test
  void parse_mistakes_eachOnItsLine() {
    assertThat(failure("a: 1\nb: 2\na: 3\n"))
        .isEqualTo("f.yaml:3:1: a: is set twice: first on line [1]; keep one of them");
    assertThat(failure("m:\n  a: 1\n  a: 2\n")).startsWith("f.yaml:3:3: m.a: is set twice");
    assertThat(failure("a: &x 1\nb: *x\n"))
        .isEqualTo("f.yaml:1:4: a: anchors are not supported: write the value out");
    assertThat(failure("b: *x\n"))
        .isEqualTo("f.yaml:1:4: b: aliases are not supported: write the value out");
    assertThat(failure("a: !!str 1\n"))
        .isEqualTo("f.yaml:1:4: a: the tag [tag:yaml.org,2002:str] is not supported");
    assertThat(failure("a: 1\n---\nb: 2\n"))
        .isEqualTo("f.yaml:2:1: a second document begins: one file is one configuration");
    assertThat(failure("- a\n"))
        .isEqualTo("f.yaml:1:1: a list stands where keys are expected, such as memory:");
    assertThat(failure("{[a]: 1}\n")).startsWith("f.yaml:1:2: a list stands where a key is");
    assertThat(failure("a: [1\nb: 2\n")).startsWith("f.yaml:").contains("this is not YAML: ");
    assertThat(failure("\ta: 1\n")).startsWith("f.yaml:1:1: this is not YAML: ");
    assertThat(failure("a: \u0001\n")).startsWith("f.yaml:1:1: this is not YAML: ");
  }

  @Test
  void parse_deepNesting_refused() {
    assertThat(failure("[".repeat(100_000))).contains("nested deeper than [32]");
    assertThat(failure("a: {".repeat(100))).contains("nested deeper than [32]");
  }

  @Test
  void parse_anyText_givesATreeOrAConfigException() throws IOException {
    Path shipped =
        Path.of(System.getProperty("orbitkv.root"), "distribution/src/main/conf/orbitkv.yaml");
    byte[] seed = Files.readAllBytes(shipped);
    String alphabet = "abc:-[]{},&*!|>'\"%@`#~?=\n\t 0123456789\\\u00e9\u2028";
    for (int run = 0; run < 6_000; run++) {
      Random random = new Random(run);
      byte[] input = run % 2 == 0 ? mutated(seed, random) : composed(alphabet, random);
      try {
        ManagerConfig.of(
            YamlReader.parse("f.yaml", input),
            Map.of(),
            new HostFacts(Map.of(), 7, 16L << 30, 1L << 30, Path.of("/opt")));
      } catch (ConfigException expected) {
        assertThat(expected.problems()).isNotEmpty();
        assertThat(expected.problems()).noneMatch(problem -> problem.line().contains("\n"));
      } catch (RuntimeException | StackOverflowError | AssertionError other) {
        fail("seed [" + run + "] gives [" + other + "]", other);
      }
    }
  }

  private static byte[] mutated(byte[] seed, Random random) {
    byte[] input = seed.clone();
    for (int i = random.nextInt(8); i >= 0; i--) {
      int at = random.nextInt(input.length);
      switch (random.nextInt(3)) {
        case 0 -> input[at] = (byte) random.nextInt(256);
        case 1 -> input[at] = (byte) "\n: -[]{}&*!'\"".charAt(random.nextInt(13));
        default -> {
          int to = random.nextInt(input.length);
          int bytes = Math.min(input.length - Math.max(at, to), random.nextInt(64));
          System.arraycopy(seed, at, input, to, bytes);
        }
      }
    }
    return input;
  }

  private static byte[] composed(String alphabet, Random random) {
    StringBuilder text = new StringBuilder();
    for (int i = random.nextInt(80); i > 0; i--) {
      text.append(alphabet.charAt(random.nextInt(alphabet.length())));
    }
    return text.toString().getBytes(StandardCharsets.UTF_8);
  }
}
