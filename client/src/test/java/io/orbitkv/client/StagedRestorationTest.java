package io.orbitkv.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.orbitkv.api.lease.LeaseId;
import io.orbitkv.api.query.AnswerState;
import io.orbitkv.api.query.ErrorCode;
import io.orbitkv.wire.ClientMessage;
import io.orbitkv.wire.Features;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** Restores of which the submission is told before the end. */
final class StagedRestorationTest extends ClientTestBase {
  private Restoration restoration;
  private ClientMessage.Restore restore;

  private void start() throws Exception {
    restoration = client.restore(3, ScriptedManager.LEASE, 0, new int[] {4, 5}, true);
    restore = manager.next(ClientMessage.Restore.class);
  }

  private void write(AnswerState state, int hits, long detail) {
    manager
        .board()
        .write(
            restore.record(),
            restoration.id(),
            0,
            state,
            LeaseId.NONE,
            hits,
            ErrorCode.NONE,
            detail);
  }

  @Test
  void submission_onTheBoard_isSeenWithItsSlot() throws Exception {
    connect(ScriptedManager.Greeting.BOARD);
    start();
    assertThat(restore.staged()).isTrue();
    assertThatIllegalStateException().isThrownBy(restoration::stageSlot);
    assertThatIllegalStateException().isThrownBy(restoration::waited);
    write(AnswerState.SUBMITTED, 2, 7);

    assertThat(restoration.awaitSubmitted(LONG).state()).isEqualTo(AnswerState.SUBMITTED);
    assertThat(restoration.done()).isFalse();
    assertThat(restoration.stageSlot()).isEqualTo(7);
    restoration.waited();
    restoration.waited();
    assertThat(manager.next(ClientMessage.StageWaited.class))
        .isEqualTo(new ClientMessage.StageWaited(restoration.id()));
    assertThat(manager.nothingMore()).as("said once").isTrue();

    write(AnswerState.RESTORED, 2, 0);
    assertThat(restoration.await(LONG).state()).isEqualTo(AnswerState.RESTORED);
    assertThat(restoration.stageSlot()).as("still known").isEqualTo(7);
  }

  @Test
  void submission_thatWasOverwrittenByTheEnd_isAcknowledgedAllTheSame() throws Exception {
    connect(ScriptedManager.Greeting.BOARD);
    start();
    write(AnswerState.SUBMITTED, 2, 1);
    write(AnswerState.RESTORED, 2, 0);

    assertThat(restoration.awaitSubmitted(LONG).state()).isEqualTo(AnswerState.RESTORED);
    assertThatIllegalStateException().isThrownBy(restoration::stageSlot);
    restoration.waited();
    assertThat(manager.next(ClientMessage.StageWaited.class).operation())
        .isEqualTo(restoration.id());
  }

  @Test
  void await_ofAStagedRestore_isForTheEnd() throws Exception {
    connect(ScriptedManager.Greeting.BOARD);
    start();
    write(AnswerState.SUBMITTED, 2, 1);

    assertThat(restoration.await(Duration.ZERO).state()).isEqualTo(AnswerState.SUBMITTED);
    assertThat(restoration.done()).isFalse();
  }

  @Test
  void restore_withoutTheFeature_asksForNoStages() throws Exception {
    connect(ScriptedManager.Greeting.BOARD, options().withFeatures(Features.BOARD));
    start();
    assertThat(restore.staged()).isFalse();
    write(AnswerState.RESTORED, 2, 0);
    assertThat(restoration.awaitSubmitted(LONG).state()).isEqualTo(AnswerState.RESTORED);
    restoration.waited();
    assertThat(manager.nothingMore()).as("there is no slot").isTrue();
  }
}
