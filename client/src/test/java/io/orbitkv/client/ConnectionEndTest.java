package io.orbitkv.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.orbitkv.api.page.PageKey;
import io.orbitkv.api.query.AnswerState;
import io.orbitkv.api.query.ErrorCode;
import io.orbitkv.wire.ClientMessage;
import io.orbitkv.wire.ServerMessage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

final class ConnectionEndTest extends ClientTestBase {
  @BeforeEach
  void connectWithBoard() throws Exception {
    connect(ScriptedManager.Greeting.BOARD);
  }

  @Test
  void managerDies_everythingThatWaitsFails() throws Exception {
    QueryHandle query = client.query(3, "r", keys(1));
    Restoration restoration = client.restore(3, ScriptedManager.LEASE, 0, new int[] {1});
    Publication publication = client.publish(3, 0, 0, PageKey.NONE, keys(1), new int[1]);
    FutureTask<Answer> waitingQuery = inBackground(query::awaitTerminal);
    FutureTask<Answer> waitingRestore = inBackground(restoration::awaitTerminal);
    FutureTask<String> status = inBackground(client::status);
    manager.next(ClientMessage.Submit.class);
    manager.next(ClientMessage.Restore.class);
    manager.next(ClientMessage.Publish.class);
    manager.next(ClientMessage.Status.class);

    manager.hangUp();

    assertClosed(waitingQuery);
    assertClosed(waitingRestore);
    assertClosed(status);
    assertThatExceptionOfType(ConnectionClosedException.class)
        .isThrownBy(publication::awaitTerminal)
        .withMessageStartingWith("connection closed: ");
    assertThat(client.waiting()).isZero();
    assertThat(client.connected()).isFalse();
    query.cancel();
    assertThatExceptionOfType(ConnectionClosedException.class)
        .isThrownBy(() -> client.query(3, "r", keys(1)));
    assertThatExceptionOfType(ConnectionClosedException.class)
        .isThrownBy(() -> client.release(ScriptedManager.LEASE));
    assertThatExceptionOfType(ConnectionClosedException.class)
        .isThrownBy(() -> client.engineStats(3, 1));
    assertThatExceptionOfType(ConnectionClosedException.class).isThrownBy(client::evict);
  }

  @Test
  void managerRefusesToGoOn_itsReasonIsGiven() throws Exception {
    QueryHandle query = client.query(3, "r", keys(1));
    manager.next(ClientMessage.Submit.class);
    manager.send(new ServerMessage.Refused(0, ErrorCode.STALE_EPOCH, "epoch [5] is over"));
    manager.hangUp();

    assertThatExceptionOfType(ConnectionClosedException.class)
        .isThrownBy(query::awaitTerminal)
        .withMessage(
            "connection closed: the Manager refused to go on, [STALE_EPOCH] epoch [5] is over");
    assertThat(client.endReason()).contains("epoch [5] is over");
  }

  @Test
  void managerSendsGarbage_connectionEndsWithWhatWasWrong() throws Exception {
    QueryHandle query = client.query(3, "r", keys(1));
    manager.next(ClientMessage.Submit.class);
    byte[] garbage = new byte[64];
    java.util.Arrays.fill(garbage, (byte) 0xEE);
    manager.sendBytes(garbage);

    assertThatExceptionOfType(ConnectionClosedException.class)
        .isThrownBy(query::awaitTerminal)
        .withMessageContaining(
            "the Manager sent what is no message (frame header: version [-4370]");
  }

  @Test
  void managerSendsAnotherEpoch_connectionEnds() throws Exception {
    QueryHandle query = client.query(3, "r", keys(1));
    manager.next(ClientMessage.Submit.class);
    manager.send(new ServerMessage.Done(query.id(), 0), ScriptedManager.EPOCH + 1);

    assertThatExceptionOfType(ConnectionClosedException.class)
        .isThrownBy(query::awaitTerminal)
        .withMessageContaining("epoch [" + (ScriptedManager.EPOCH + 1) + "]");
  }

  @Test
  void managerAnswersARequestWithAnotherKind_connectionEnds() throws Exception {
    FutureTask<String> status = inBackground(client::status);
    ClientMessage.Status request = manager.next(ClientMessage.Status.class);
    manager.send(new ServerMessage.Done(request.operation(), 0));

    assertClosed(status);
    assertThat(client.endReason()).contains("no reply to request");
  }

  @Test
  void managerAnswersAnOperationWithAControlReply_connectionEnds() throws Exception {
    QueryHandle query = client.query(3, "r", keys(1));
    manager.next(ClientMessage.Submit.class);
    manager.send(new ServerMessage.Done(query.id(), 0));

    assertThatExceptionOfType(ConnectionClosedException.class)
        .isThrownBy(query::awaitTerminal)
        .withMessageContaining("no control request");
  }

  @Test
  void managerRepliesToNobody_isCountedAndIgnored() throws Exception {
    manager.send(new ServerMessage.Refused(4711, ErrorCode.UNKNOWN, "lapsed"));
    QueryHandle query = client.query(3, "r", keys(1));
    manager.offer(manager.next(ClientMessage.Submit.class), ScriptedManager.LEASE);

    assertThat(pollUntilDone(query)).isEqualTo(AnswerState.READY);
    FutureTask<Long> evicted = inBackground(() -> client.evict());
    manager.send(new ServerMessage.Done(manager.next(ClientMessage.Evict.class).operation(), 5));
    assertThat(get(evicted)).isEqualTo(5);
    assertThat(client.statistics().lateReplies()).isEqualTo(1);
    assertThat(client.connected()).isTrue();
  }

  @Test
  void close_whileOthersWait_failsThem() throws Exception {
    QueryHandle query = client.query(3, "r", keys(1));
    FutureTask<Answer> waiting = inBackground(query::awaitTerminal);
    FutureTask<String> status = inBackground(client::status);
    manager.next(ClientMessage.Submit.class);
    manager.next(ClientMessage.Status.class);

    client.close();

    assertClosed(waiting);
    assertClosed(status);
    assertThatExceptionOfType(ConnectionClosedException.class)
        .isThrownBy(query::poll)
        .withMessage("connection closed: by this client");
    assertThatExceptionOfType(ConnectionClosedException.class)
        .isThrownBy(() -> client.query(3, "r", keys(1)))
        .withMessage("connection closed: by this client");
  }

  @Test
  void managerHangsUp_whileThreadsSend_everySendFailsOrIsToldOfTheEnd() throws Exception {
    FutureTask<Integer> sender =
        inBackground(() -> {
          int told = 0;
          while (true) {
            QueryHandle query;
            try {
              query = client.query(3, "r", keys(500));
            } catch (ConnectionClosedException ended) {
              return told;
            }
            try {
              query.await(java.time.Duration.ZERO);
              query.cancel();
            } catch (ConnectionClosedException ended) {
              told++;
            }
          }
        });
    for (int i = 0; i < 50; i++) {
      manager.next(ClientMessage.class);
    }
    manager.hangUp();
    assertThat(get(sender)).isBetween(0, 1);
    assertThat(client.waiting()).isZero();
  }

  private static void assertClosed(FutureTask<?> task) {
    assertThatExceptionOfType(ExecutionException.class)
        .isThrownBy(() -> get(task))
        .havingCause()
        .isInstanceOf(ConnectionClosedException.class)
        .withMessageStartingWith("connection closed: ");
  }
}
