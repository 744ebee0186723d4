package io.orbitkv.manager.policy;

import static org.assertj.core.api.Assertions.assertThat;

import io.orbitkv.api.policy.PolicySlot;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

@Timeout(60)
class JournalTest {
  @TempDir Path folder;

  @Test
  void decisions_areAllCountedAndOneOfTheSampleHasInputs() {
    Journal journal = Journal.inMemory(16, 4);
    for (int i = 0; i < 12; i++) {
      add(journal, "r" + i, false);
    }

    assertThat(journal.figures()).isEqualTo(new Journal.Figures(12, 3, 12, 0, 0, 0));
    assertThat(journal.last(100, entry -> inputs(entry) != null))
        .extracting(entry -> ((JournalEntry.Decision) entry).request())
        .containsExactly("r0", "r4", "r8");
  }

  @Test
  void decisionByDefault_alwaysHasInputs() {
    Journal journal = Journal.inMemory(16, 1000);
    add(journal, "first", false);
    add(journal, "second", false);
    add(journal, "default", true);

    assertThat(journal.last(1, entry -> true)).allMatch(entry -> inputs(entry) != null);
    assertThat(journal.last(2, entry -> true)).anyMatch(entry -> inputs(entry) == null);
  }

  @Test
  void oldestEntries_areOverwrittenAndCounted() {
    Journal journal = Journal.inMemory(4, 1);
    for (int i = 0; i < 10; i++) {
      add(journal, "r" + i, false);
    }

    assertThat(journal.figures().kept()).isEqualTo(4);
    assertThat(journal.figures().overwritten()).isEqualTo(6);
    assertThat(journal.last(3, entry -> true))
        .extracting(entry -> ((JournalEntry.Decision) entry).request())
        .containsExactly("r7", "r8", "r9");
  }

  @Test
  void explanation_namesRequestOrPageAlone() {
    Journal journal = Journal.inMemory(64, 1);
    add(journal, "one", false);
    add(journal, "two", false);
    journal.add(boundary());

    JsonNode all = explain(journal, 10, "", List.of());
    assertThat(all.path("entries")).hasSize(3);
    assertThat(all.path("entries").get(2).path("slots").get(0).path("serves").asString(""))
        .isEqualTo("test");
    JsonNode one = explain(journal, 10, "one", List.of());
    assertThat(one.path("entries")).hasSize(1);
    assertThat(one.path("entries").get(0).path("inputs").path("chain").path("unit_hash"))
        .isNotNull();
    assertThat(explain(journal, 10, "", List.of((long) "two".hashCode())).path("entries"))
        .hasSize(1);
    assertThat(explain(journal, 10, "none", List.of()).path("entries")).isEmpty();
  }

  @Test
  void explanation_staysWithinItsSize() {
    Journal journal = Journal.inMemory(64, 1);
    for (int i = 0; i < 20; i++) {
      add(journal, "r" + i, false);
    }
    String text = Explanation.of(journal, 20, "", List.of(), 4000);

    assertThat(text.length()).isLessThan(6000);
    JsonNode root = JsonMapper.builder().build().readTree(text);
    assertThat(root.path("left_out").asInt(0)).isPositive();
    assertThat(root.path("entries").get(root.path("entries").size() - 1).path("request"))
        .hasToString("\"r19\"");
  }

  @Test
  void file_holdsSampleAndDefaultsAndIsPutAside() throws Exception {
    Path file = folder.resolve("new/journal.jsonl");
    try (Journal journal = Journal.open(new JournalSettings(16, 2, file, 2000))) {
      journal.add(boundary());
      for (int i = 0; i < 8; i++) {
        add(journal, "r" + i, i == 1);
      }
    }

    List<String> lines = Files.readAllLines(file);
    Path aside = folder.resolve("new/journal.jsonl.1");
    assertThat(aside).exists();
    assertThat(Files.size(file)).isLessThanOrEqualTo(2000);
    JsonNode last = JsonMapper.builder().build().readTree(lines.getLast());
    assertThat(last.path("request").asString("")).isEqualTo("r6");
    assertThat(last.path("inputs").path("target").path("kind").asString("")).isEqualTo("ssd");
  }

  @Test
  void fileThatIsThere_isGoneOnWith() throws Exception {
    Path file = folder.resolve("journal.jsonl");
    JournalSettings settings = new JournalSettings(16, 1, file, 1 << 20);
    for (int i = 0; i < 2; i++) {
      try (Journal journal = Journal.open(settings)) {
        add(journal, "r" + i, false);
      }
    }

    assertThat(Files.readAllLines(file)).hasSize(2);
  }

  private static void add(Journal journal, String request, boolean byDefault) {
    long chain = request.hashCode();
    journal.add(
        new JournalEntry.Decision(
            1,
            2,
            3,
            "none",
            PolicySlot.ADMISSION_SSD,
            "test",
            4,
            request,
            chain,
            "admit",
            "why",
            "",
            5,
            byDefault,
            journal.takesInputs(byDefault)
                ? new Inputs.Chain(HostUnderTest.chain(chain), HostUnderTest.SSD)
                : null));
  }

  private static JournalEntry.Boundary boundary() {
    return new JournalEntry.Boundary(
        1, 2, "none", "test", 3, List.of(new JournalEntry.Served("cutoff", "test", true)));
  }

  private static JsonNode explain(Journal journal, int last, String request, List<Long> pages) {
    return JsonMapper.builder()
        .build()
        .readTree(Explanation.of(journal, last, request, pages, 1 << 20));
  }

  private static @Nullable Inputs inputs(JournalEntry entry) {
    return entry instanceof JournalEntry.Decision decision ? decision.inputs() : null;
  }
}
