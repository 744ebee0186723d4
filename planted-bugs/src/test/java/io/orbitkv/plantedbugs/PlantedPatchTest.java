package io.orbitkv.plantedbugs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.junit.jupiter.api.Test;

class PlantedPatchTest {
  private static final String HEADER =
      """
      Description: what it does
      Invariant: ledger
      Source: soundness 5
      Scenario: dense

      """;
  private static final String DIFF =
      """
      --- a/folder/File.java
      +++ b/folder/File.java
      @@ -2,3 +2,3 @@
       two
      -three
      +THREE
       four
      """;

  @Test
  void patch_hasHeaderAndHunks() {
    PlantedPatch patch = PlantedPatch.parse("a-bug", HEADER + DIFF);

    assertThat(patch.description()).isEqualTo("what it does");
    assertThat(patch.invariant()).isEqualTo("ledger");
    assertThat(patch.origin()).isEqualTo("soundness 5");
    assertThat(patch.scenario()).isEqualTo("dense");
    assertThat(patch.target()).isEqualTo(PlantTarget.KERNEL);
    assertThat(patch.hunks())
        .containsOnlyKeys("folder/File.java")
        .containsValue(
            List.of(
                new PlantedPatch.Hunk(
                    List.of("two", "three", "four"), List.of("two", "THREE", "four"))));
  }

  @Test
  void apply_placeThatIsThereOnce_changesItWhereverItIs() {
    PlantedPatch patch = PlantedPatch.parse("a-bug", HEADER + DIFF);

    assertThat(
            patch.apply(
                "folder/File.java", List.of("new", "lines", "one", "two", "three", "four", "five")))
        .containsExactly("new", "lines", "one", "two", "THREE", "four", "five");
  }

  @Test
  void apply_changedContext_fails() {
    PlantedPatch patch = PlantedPatch.parse("a-bug", HEADER + DIFF);

    assertThatThrownBy(
            () -> patch.apply("folder/File.java", List.of("one", "two", "three", "4", "five")))
        .isInstanceOf(PlantException.class)
        .hasMessageStartingWith(
            "planted bug [a-bug]: the patch no longer applies: in [folder/File.java] this place is"
                + " not there:\ntwo\nthree\nfour");
  }

  @Test
  void apply_placeThatIsThereTwice_fails() {
    PlantedPatch patch = PlantedPatch.parse("a-bug", HEADER + DIFF);

    assertThatThrownBy(() ->
            patch.apply(
                "folder/File.java", List.of("two", "three", "four", "two", "three", "four")))
        .isInstanceOf(PlantException.class)
        .hasMessageContaining("is there more than once");
  }

  @Test
  void apply_severalHunks_inOrder() {
    PlantedPatch patch =
        PlantedPatch.parse(
            "a-bug",
            HEADER
                + """
                --- a/F.java
                +++ b/F.java
                @@ -1,2 +1,3 @@
                 one
                +more
                 two
                @@ -5,2 +6,1 @@
                 five
                -six
                """);

    assertThat(patch.apply("F.java", List.of("one", "two", "three", "four", "five", "six")))
        .containsExactly("one", "more", "two", "three", "four", "five");
  }

  @Test
  void header_namesTheModule() {
    PlantedPatch patch =
        PlantedPatch.parse(
            "a-bug", HEADER.replace("dense\n", "crash\nModule: io.orbitkv.ssd\n") + DIFF);

    assertThat(patch.scenario()).isEqualTo("crash");
    assertThat(patch.target()).isEqualTo(PlantTarget.STORE);
  }

  @Test
  void malformedPatches_areRefusedWithTheReason() {
    refused("Bad_Name", HEADER + DIFF, "small letters");
    refused("a-bug", DIFF, "no empty line after the header");
    refused(
        "a-bug", "Description: x\n\n" + DIFF, "must be [Description, Invariant, Source, Scenario]");
    refused("a-bug", "Description: x\nno colon\n\n" + DIFF, "[no colon]");
    refused(
        "a-bug",
        HEADER.replace("dense\n", "dense\nModule: io.orbitkv.other\n") + DIFF,
        "module [io.orbitkv.other] is none of [io.orbitkv.kernel, io.orbitkv.ssd]");
    refused("a-bug", HEADER.replace("ledger", " ") + DIFF, "each with a value");
    refused("a-bug", HEADER.replace("what it", "what\tit") + DIFF, "in the header");
    refused("a-bug", HEADER, "changes nothing");
    refused("a-bug", HEADER + DIFF.replace("+++ b/folder", "+++ b/other"), "changed only");
    refused("a-bug", HEADER + DIFF + DIFF, "in two parts");
  }

  private static void refused(String name, String text, String problem) {
    assertThatThrownBy(() -> PlantedPatch.parse(name, text))
        .isInstanceOf(PlantException.class)
        .hasMessageContaining("planted bug [" + name + "]")
        .hasMessageContaining(problem);
  }
}
