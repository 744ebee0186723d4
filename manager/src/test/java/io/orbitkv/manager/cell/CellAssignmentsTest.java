package io.orbitkv.manager.cell;

import static org.assertj.core.api.Assertions.assertThat;

import io.orbitkv.manager.experiment.ArmSplit;
import io.orbitkv.manager.experiment.Assignment;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CellAssignmentsTest {
  private static final ArmSplit SPLIT = new ArmSplit(Assignment.By.INSTANCE, 30, 7);

  @TempDir Path folder;

  private Path file() {
    return folder.resolve("new/cells.json");
  }

  @Test
  void instances_areDividedByTheirShareAndStayWhereTheyAre() {
    try (CellAssignments assignments = CellAssignments.open(SPLIT, file())) {
      long second =
          IntStream.range(0, 2000).filter(i -> assignments.cellOf("engine-" + i) == 1).count();
      assertThat(second).isBetween(1300L, 1500L);
      assertThat(assignments.instances(0)).hasSize((int) (2000 - second));
    }
    try (CellAssignments again = CellAssignments.open(SPLIT, file())) {
      assertThat(again.instances(0).size() + again.instances(1).size()).isEqualTo(2000);
      assertThat(again.instances(0)).allMatch(name -> again.cellOf(name) == 0);
    }
  }

  @Test
  void moreNamesThanAreKept_areDrawnEachTime() {
    try (CellAssignments assignments = CellAssignments.open(SPLIT, file())) {
      IntStream.range(0, CellAssignments.MOST_NAMES)
          .forEach(i -> assignments.cellOf("engine-" + i));
      int drawn = assignments.cellOf("one-more");
      assertThat(drawn).isEqualTo(SPLIT.second("one-more", 0) ? 1 : 0);
      assertThat(assignments.instances(drawn)).doesNotContain("one-more");
    }
  }

  @Test
  void fileThatCannotBeRead_isPutAside() throws IOException {
    Files.createDirectories(folder.resolve("new"));
    Files.writeString(
        file(), "{\"version\":1,\"percent_of_first\":30,\"salt\":7,\"instances\":{\"x\":3}}");
    try (CellAssignments assignments = CellAssignments.open(SPLIT, file())) {
      assertThat(assignments.instances(0)).isEmpty();
      assertThat(assignments.instances(1)).isEmpty();
    }
    assertThat(folder.resolve("new/cells.json.before")).exists();
  }

  @Test
  void fileOfAnotherSplit_isPutAside() {
    try (CellAssignments assignments = CellAssignments.open(SPLIT, file())) {
      assignments.cellOf("engine");
    }
    ArmSplit other = new ArmSplit(Assignment.By.INSTANCE, 50, 7);
    try (CellAssignments assignments = CellAssignments.open(other, file())) {
      assertThat(assignments.instances(0).size() + assignments.instances(1).size()).isZero();
    }
    assertThat(folder.resolve("new/cells.json.before")).exists();
  }
}
