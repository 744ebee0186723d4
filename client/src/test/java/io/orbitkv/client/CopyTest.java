package io.orbitkv.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.orbitkv.api.lease.LeaseId;
import io.orbitkv.api.page.PageKey;
import io.orbitkv.api.query.AnswerState;
import io.orbitkv.api.query.ErrorCode;
import io.orbitkv.wire.ClientMessage;
import io.orbitkv.wire.ServerMessage;
import java.time.Duration;
import java.util.concurrent.FutureTask;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

final class CopyTest extends ClientTestBase {
  @BeforeEach
  void connectWithBoard() throws Exception {
    connect(ScriptedManager.Greeting.BOARD);
  }

  private Publication publish(int pages) {
    return client.publish(3, 0, 77, PageKey.NONE, keys(pages), new int[pages]);
  }

  @Test
  void restore_endOnTheBoard_isSeen() throws Exception {
    Restoration restoration = client.restore(3, ScriptedManager.LEASE, 88, new int[] {4, -1});
    ClientMessage.Restore restore = manager.next(ClientMessage.Restore.class);
    assertThat(restore.instance()).isEqualTo(3);
    assertThat(restore.waitEvent()).isEqualTo(88);
    assertThat(restore.devicePages()).containsExactly(4, -1);
    manager.writeBoard(restore.record(), restoration.id(), 0, AnswerState.RESTORED, 1);

    assertThat(restoration.await(LONG).state()).isEqualTo(AnswerState.RESTORED);
    assertThat(restoration.answer().hits()).isEqualTo(1);
    assertThat(client.freeRecords()).isEqualTo(ScriptedManager.RECORDS);
  }

  @Test
  void publish_endOnTheBoard_tellsWhatBecameOfThePages() throws Exception {
    Publication publication = publish(6);
    ClientMessage.Publish publish = manager.next(ClientMessage.Publish.class);
    assertThat(publish.keys()).isEqualTo(keys(6));
    assertThat(publish.waitEvent()).isEqualTo(77);
    manager
        .board()
        .write(
            publish.record(),
            publication.id(),
            0,
            AnswerState.PUBLISHED,
            LeaseId.NONE,
            3,
            ErrorCode.NONE,
            (2L << 32) | 1);

    assertThat(publication.await(LONG).state()).isEqualTo(AnswerState.PUBLISHED);
    assertThat(publication.storedPages()).isEqualTo(3);
    assertThat(publication.residentPages()).isEqualTo(2);
    assertThat(publication.droppedPages()).isEqualTo(1);
    publication.commit(true);
    assertThat(manager.next(ClientMessage.Commit.class))
        .isEqualTo(new ClientMessage.Commit(publication.id(), true));
    assertThatIllegalStateException().isThrownBy(() -> publication.commit(true));
  }

  @Test
  void commit_publishWasRefused_saysNothing() throws Exception {
    Publication publication = publish(1);
    manager.next(ClientMessage.Publish.class);
    manager.send(
        new ServerMessage.Refused(publication.id(), ErrorCode.DRAINING, "draining: try later"));
    assertThat(publication.await(LONG).state()).isEqualTo(AnswerState.REFUSED);
    assertThat(publication.answer().error()).isEqualTo(ErrorCode.DRAINING);

    publication.commit(false);

    assertThat(client.connected()).isTrue();
    assertThat(manager.nothingMore()).isTrue();
  }

  @Test
  void publish_commitIsRefusedWhileTheCopyRuns_keepsTheSources() throws Exception {
    Publication publication = publish(1);
    ClientMessage.Publish publish = manager.next(ClientMessage.Publish.class);
    publication.commit(true);
    manager.next(ClientMessage.Commit.class);
    manager.send(new ServerMessage.Refused(publication.id(), ErrorCode.INVALID, "not so"));

    // Whose refusal was it? The client asks instead of guessing.
    pollUntilAsked(publication);
    manager.next(ClientMessage.Ask.class);
    manager.send(
        new ServerMessage.Answer(
            publication.id(), 0, AnswerState.LOADING, 0, 0, LeaseId.NONE, ErrorCode.NONE, ""));
    assertThat(publication.poll()).isEqualTo(AnswerState.LOADING);

    manager.writeBoard(publish.record(), publication.id(), 0, AnswerState.PUBLISHED, 1);
    assertThat(publication.await(LONG).state()).isEqualTo(AnswerState.PUBLISHED);
  }

  @Test
  void publish_isRefusedAfterItsCommitWasSent_ends() throws Exception {
    Publication publication = publish(1);
    manager.next(ClientMessage.Publish.class);
    publication.commit(true);
    manager.next(ClientMessage.Commit.class);
    manager.send(new ServerMessage.Refused(publication.id(), ErrorCode.LIMIT, "too many"));
    pollUntilAsked(publication);
    manager.next(ClientMessage.Ask.class);
    manager.send(new ServerMessage.Refused(publication.id(), ErrorCode.UNKNOWN, "unknown"));

    assertThat(publication.await(LONG).state()).isEqualTo(AnswerState.REFUSED);
    assertThat(client.freeRecords()).isEqualTo(ScriptedManager.RECORDS);
  }

  private void pollUntilAsked(Operation operation) {
    long deadline = System.nanoTime() + LONG.toNanos();
    while (client.statistics().asks() == 0) {
      assertThat(System.nanoTime()).isLessThan(deadline);
      assertThat(operation.poll()).isEqualTo(AnswerState.LOADING);
      Thread.onSpinWait();
    }
  }

  @Test
  void publish_keysAndPagesDiffer_isRefusedHere() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> client.publish(3, 0, 0, PageKey.NONE, keys(2), new int[1]));
    assertThat(client.freeRecords()).isEqualTo(ScriptedManager.RECORDS);
    assertThat(client.waiting()).isZero();
  }

  @Test
  void await_timeoutOfACopy_changesNothing() throws Exception {
    Publication publication = publish(1);
    ClientMessage.Publish publish = manager.next(ClientMessage.Publish.class);

    assertThat(publication.await(Duration.ZERO).state()).isEqualTo(AnswerState.LOADING);
    clock.advance(Duration.ofMinutes(10));
    assertThat(publication.await(Duration.ZERO).state()).isEqualTo(AnswerState.LOADING);

    assertThat(client.waiting()).isEqualTo(1);
    assertThat(client.freeRecords()).isEqualTo(ScriptedManager.RECORDS - 1);
    manager.writeBoard(publish.record(), publication.id(), 0, AnswerState.PUBLISHED, 1);
    assertThat(publication.await(LONG).state()).isEqualTo(AnswerState.PUBLISHED);
  }

  @Test
  void awaitSourcesFree_timePasses_warnsAndKeepsTheSources() throws Exception {
    Publication publication = publish(1);
    ClientMessage.Publish publish = manager.next(ClientMessage.Publish.class);
    FutureTask<Answer> waiting =
        inBackground(() -> publication.awaitSourcesFree(Duration.ofMillis(100)));
    awaitWaiter(publication);

    clock.advance(Duration.ofMillis(100));
    awaitWarnings(1);
    clock.advance(Duration.ofSeconds(59));
    assertThat(client.statistics().fenceWarnings()).isEqualTo(1);
    clock.advance(Duration.ofSeconds(1));
    awaitWarnings(2);
    assertThat(waiting.isDone()).isFalse();

    manager.writeBoard(publish.record(), publication.id(), 0, AnswerState.PUBLISHED, 1);
    assertThat(get(waiting).state()).isEqualTo(AnswerState.PUBLISHED);
  }

  @Test
  void awaitSourcesFree_connectionEndsAndTheManagerLives_keepsTheSources() throws Exception {
    Publication publication = publish(1);
    manager.next(ClientMessage.Publish.class);
    FutureTask<Answer> waiting = inBackground(() -> publication.awaitSourcesFree(Duration.ZERO));
    awaitWarnings(1);

    manager.hangUp();
    awaitEnd();
    // The Manager's process is this one.
    clock.advance(Duration.ofMinutes(1));
    awaitWarnings(2);
    assertThat(waiting.isDone()).isFalse();
    assertThat(client.managerProvenDead()).isFalse();
    waiting.cancel(true);
  }

  @Test
  void awaitDestinationsFree_timePasses_warnsAndKeepsTheDestinations() throws Exception {
    Restoration restoration = client.restore(3, ScriptedManager.LEASE, 0, new int[] {4, 5});
    ClientMessage.Restore restore = manager.next(ClientMessage.Restore.class);
    FutureTask<Answer> waiting =
        inBackground(() -> restoration.awaitDestinationsFree(Duration.ofMillis(100)));
    awaitWaiter(restoration);

    clock.advance(Duration.ofMillis(100));
    awaitWarnings(1);
    assertThat(waiting.isDone()).isFalse();

    manager.writeBoard(restore.record(), restoration.id(), 0, AnswerState.FAILED, 0);
    assertThat(get(waiting).state()).isEqualTo(AnswerState.FAILED);
  }

  @Test
  void awaitDestinationsFree_connectionEndsAndTheManagerLives_keepsTheDestinations()
      throws Exception {
    Restoration restoration = client.restore(3, ScriptedManager.LEASE, 0, new int[] {4});
    manager.next(ClientMessage.Restore.class);
    FutureTask<Answer> waiting =
        inBackground(() -> restoration.awaitDestinationsFree(Duration.ZERO));
    awaitWarnings(1);

    manager.hangUp();
    awaitEnd();
    // The Manager's process is this one.
    clock.advance(Duration.ofMinutes(1));
    awaitWarnings(2);
    assertThat(waiting.isDone()).isFalse();
    waiting.cancel(true);
  }

  @Test
  void answerThatIsNone_onTheBoard_endsTheConnectionAndNotTheCopy() throws Exception {
    Publication publication = publish(2);
    ClientMessage.Publish publish = manager.next(ClientMessage.Publish.class);
    manager.writeBoard(publish.record(), publication.id(), 0, AnswerState.PUBLISHED, 1);

    assertThatExceptionOfType(ConnectionClosedException.class)
        .isThrownBy(publication::awaitTerminal)
        .withMessageContaining("[PUBLISHED] with [1] pages");
    assertThat(publication.done()).isFalse();
    assertThat(client.connected()).isFalse();
  }

  @Test
  void answerThatIsNone_overTheSocket_endsTheConnectionAndNotTheCopy() throws Exception {
    Restoration restoration = client.restore(3, ScriptedManager.LEASE, 0, new int[] {4, -1});
    manager.next(ClientMessage.Restore.class);
    manager.send(
        new ServerMessage.Answer(
            restoration.id(), 0, AnswerState.RESTORED, 2, 0, LeaseId.NONE, ErrorCode.NONE, ""));

    assertThatExceptionOfType(ConnectionClosedException.class)
        .isThrownBy(restoration::awaitTerminal)
        .withMessageContaining("[RESTORED] with [2] pages");
    assertThat(restoration.done()).isFalse();
  }

  private static void awaitWaiter(Operation operation) {
    long deadline = System.nanoTime() + LONG.toNanos();
    while (!operation.awaited()) {
      assertThat(System.nanoTime()).isLessThan(deadline);
      Thread.onSpinWait();
    }
  }

  private void awaitWarnings(long warnings) {
    long deadline = System.nanoTime() + LONG.toNanos();
    while (client.statistics().fenceWarnings() < warnings) {
      assertThat(System.nanoTime()).isLessThan(deadline);
      Thread.onSpinWait();
    }
    assertThat(client.statistics().fenceWarnings()).isEqualTo(warnings);
  }

  @Test
  void connectionEnds_endOfTheCopyIsOnTheBoard_counts() throws Exception {
    Publication published = publish(1);
    Publication unknown = publish(1);
    QueryHandle query = client.query(3, "r", keys(1));
    ClientMessage.Publish first = manager.next(ClientMessage.Publish.class);
    manager.next(ClientMessage.Publish.class);
    ClientMessage.Submit submit = manager.next(ClientMessage.Submit.class);
    manager.writeBoard(first.record(), published.id(), 0, AnswerState.PUBLISHED, 1);
    manager.offer(submit, ScriptedManager.LEASE);

    manager.hangUp();
    awaitEnd();
    client.close();

    assertThat(published.poll()).isEqualTo(AnswerState.PUBLISHED);
    assertThatExceptionOfType(ConnectionClosedException.class)
        .isThrownBy(unknown::awaitTerminal)
        .withMessage("connection closed: the Manager ended it");
    assertThatExceptionOfType(ConnectionClosedException.class).isThrownBy(query::poll);
    // The process that ran the copies lives: nothing is proven.
    assertThat(client.managerProvenDead()).isFalse();
  }
}
