package io.orbitkv.manager.live;

import static org.assertj.core.api.Assertions.assertThat;

import io.orbitkv.manager.experiment.Isolation;
import io.orbitkv.manager.experiment.Schedule;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Two cells that run one experiment. */
class ExperimentBookTest {
  private static final ExperimentRecord.Terms TERMS =
      StateFileTest.terms(Isolation.PARTITION, new Schedule(5, 4, 12, false, 1), 0);

  @TempDir Path folder;
  private final List<String> ended = new ArrayList<>();
  private StateFile file = new StateFile(Path.of("unused"));
  private ExperimentBook book = new ExperimentBook(file, 2, () -> 0);

  @BeforeEach
  void open() {
    file = new StateFile(folder.resolve("experiment.json"));
    book = new ExperimentBook(file, 2, () -> 0);
    book.endWith((cell, terms, how, why) ->
        ended.add(cell + " " + terms.name() + " " + how.key() + ": " + why));
  }

  private static ExperimentRecord record(ExperimentRecord.State state, Block... blocks) {
    return new ExperimentRecord(TERMS, state, "", 0, List.of(blocks));
  }

  private static Block block(int index, Arm arm, String... voids) {
    return new Block(
        index,
        true,
        false,
        false,
        List.of(voids),
        Map.of(arm, new Block.Figures(Map.of(Column.QUERIES, 3L), Map.of())));
  }

  private ExperimentRecord latest() {
    ExperimentBook.Progress latest = book.latest();
    assertThat(latest).isNotNull();
    return latest.record();
  }

  @Test
  void block_isKnownWhenBothCellsHaveMeasuredIt() {
    book.keep(0, record(ExperimentRecord.State.RUNNING), 1);
    assertThat(book.isRunning()).isTrue();
    book.keep(1, record(ExperimentRecord.State.RUNNING), 2);
    book.keep(0, record(ExperimentRecord.State.RUNNING, block(0, Arm.A)), 3);
    assertThat(latest().blocks()).isEmpty();

    book.keep(1, record(ExperimentRecord.State.RUNNING, block(0, Arm.B)), 4);

    assertThat(latest().blocks()).hasSize(1);
    assertThat(latest().blocks().getFirst().arms()).containsOnlyKeys(Arm.A, Arm.B);
    book.close();
    assertThat(new StateFile(folder.resolve("experiment.json")).read()).contains(latest());
    assertThat(ended).isEmpty();
  }

  @Test
  void horizon_isReachedWhenItIsInBothCells() {
    book.keep(0, record(ExperimentRecord.State.RUNNING), 1);
    book.keep(1, record(ExperimentRecord.State.RUNNING), 1);
    book.keep(1, record(ExperimentRecord.State.DONE), 2);
    assertThat(latest().state()).isEqualTo(ExperimentRecord.State.RUNNING);
    book.keep(0, record(ExperimentRecord.State.DONE), 2);
    assertThat(latest().state()).isEqualTo(ExperimentRecord.State.DONE);
    book.close();
    assertThat(ended).isEmpty();
  }

  @Test
  void voidBlocksOfBothCells_countTogether_andEndItInBoth() {
    book.keep(0, record(ExperimentRecord.State.RUNNING, block(0, Arm.A, "A: breach")), 1);
    book.keep(1, record(ExperimentRecord.State.RUNNING, block(0, Arm.B, "B: breach")), 1);
    book.close();

    assertThat(latest().state()).isEqualTo(ExperimentRecord.State.VOIDED);
    assertThat(latest().voids()).containsExactly("block 1, A: breach", "block 1, B: breach");
    assertThat(ended)
        .containsExactly(
            "0 try voided: [2] blocks were void: see which",
            "1 try voided: [2] blocks were void: see which");
  }

  @Test
  void endInOneCell_isTheEndInTheOther() {
    book.keep(0, record(ExperimentRecord.State.RUNNING), 1);
    book.keep(1, record(ExperimentRecord.State.RUNNING), 1);
    book.keep(1, record(ExperimentRecord.State.VOIDED), 2);
    book.close();

    assertThat(book.isRunning()).isFalse();
    assertThat(ended).containsExactly("0 try voided: ");
  }
}
