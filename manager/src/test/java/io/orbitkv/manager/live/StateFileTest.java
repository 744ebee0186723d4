package io.orbitkv.manager.live;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.orbitkv.manager.experiment.ArmSplit;
import io.orbitkv.manager.experiment.Assignment;
import io.orbitkv.manager.experiment.Isolation;
import io.orbitkv.manager.experiment.Schedule;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class StateFileTest {
  @TempDir Path folder;

  static ExperimentRecord.Terms terms(Isolation isolation, Schedule schedule, double fallbacks) {
    return new ExperimentRecord.Terms(
        "try",
        isolation,
        new ArmSplit(Assignment.By.INSTANCE, 50, 7),
        schedule,
        true,
        fallbacks,
        "{}",
        "{\"cutoff\": \"x\"}",
        "{}",
        List.of("cutoff"),
        "wait.mean",
        "2%",
        Map.of("prefix_hit_ratio", "-1%"),
        1_000,
        List.of("a note"));
  }

  private static ExperimentRecord record() {
    Block first =
        new Block(
            0,
            true,
            false,
            false,
            List.of("A: policy fallback"),
            Map.of(
                Arm.A,
                new Block.Figures(
                    Map.of(Column.QUERIES, 3L, Column.WAIT_NANOS, 99L), Map.of(1_000L, 3))));
    Block second = new Block(1, false, true, true, List.of(), Map.of());
    return new ExperimentRecord(
        terms(Isolation.TIME, new Schedule(5, 4, 20, true), 0.25),
        ExperimentRecord.State.RUNNING,
        "",
        2,
        List.of(first, second));
  }

  @Test
  void read_afterAWrite_givesTheSameExperiment() {
    Path path = folder.resolve("new/experiment.json");
    StateFile file = new StateFile(path);
    file.write(record().with(List.of()));
    file.write(record());
    file.close();

    try (StateFile again = new StateFile(path)) {
      assertThat(again.read()).contains(record());
    }
    assertThat(path.resolveSibling("experiment.json.new")).doesNotExist();
  }

  @Test
  void read_withoutAFile_isEmpty() {
    try (StateFile file = new StateFile(folder.resolve("none"))) {
      assertThat(file.read()).isEmpty();
    }
  }

  @Test
  void read_ofWhatCannotBeUsed_saysWhyAndPutsItAside() throws IOException {
    Path path = folder.resolve("experiment.json");
    for (String text :
        List.of(
            "",
            "{",
            "[]",
            "{\"version\": 2}",
            StateJson.of(record()).replace("\"blocks_planned\":20", "\"blocks_planned\":2000"),
            StateJson.of(record()).replace("\"index\":1", "\"index\":2"),
            StateJson.of(record()).replace("\"running\"", "\"dancing\""))) {
      Files.writeString(path, text);
      try (StateFile file = new StateFile(path)) {
        assertThatThrownBy(file::read)
            .as(text)
            .isInstanceOf(IllegalArgumentException.class)
            .hasMessageContaining("[" + path + "] cannot be used")
            .hasMessageContaining("is interrupted");
        assertThat(path).doesNotExist();
        assertThat(folder.resolve("experiment.json.unusable")).hasContent(text);
      }
    }
  }

  @Test
  void write_whereNothingCanBeWritten_isTold() throws IOException {
    Path blocked = Files.createFile(folder.resolve("file"));
    StateFile file = new StateFile(blocked.resolve("experiment.json"));
    file.write(record());
    file.close();

    assertThat(file.trouble()).contains("cannot be written to", "does not survive a restart");
  }
}
