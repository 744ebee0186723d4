package io.orbitkv.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;

import io.orbitkv.api.lease.LeaseId;
import io.orbitkv.api.query.AnswerState;
import io.orbitkv.api.query.ErrorCode;
import io.orbitkv.wire.ClientMessage;
import io.orbitkv.wire.ServerMessage;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;

final class ConnectTest extends ClientTestBase {
  @Test
  void connect_managerWithBoard_usesIt() throws Exception {
    connect(ScriptedManager.Greeting.BOARD);

    assertThat(client.boardInUse()).isTrue();
    assertThat(client.boardFailure()).isEmpty();
    assertThat(client.connected()).isTrue();
    assertThat(client.endReason()).isEmpty();
    assertThat(client.welcome().manager()).isEqualTo("test");
    assertThat(client.freeRecords()).isEqualTo(ScriptedManager.RECORDS);
  }

  @Test
  void connect_boardCannotBeOpened_answersComeOverTheSocket() throws Exception {
    connect(ScriptedManager.Greeting.BOARD_OF_ANOTHER_NAMESPACE);

    assertThat(client.boardInUse()).isFalse();
    assertThat(client.boardFailure()).contains("process namespace");
    assertAnswerComesOverTheSocket();
  }

  @Test
  void connect_managerWithoutBoard_answersComeOverTheSocket() throws Exception {
    connect(ScriptedManager.Greeting.NO_BOARD);

    assertThat(client.boardInUse()).isFalse();
    assertAnswerComesOverTheSocket();
  }

  private void assertAnswerComesOverTheSocket() throws Exception {
    QueryHandle query = client.query(3, "r", keys(2));
    ClientMessage.Submit submit = manager.next(ClientMessage.Submit.class);
    assertThat(submit.record()).isEqualTo(-1);
    manager.send(
        new ServerMessage.Answer(
            query.id(), 1, AnswerState.READY, 2, 0, ScriptedManager.LEASE, ErrorCode.NONE, ""));

    Answer answer = query.await(LONG);

    assertThat(answer.state()).isEqualTo(AnswerState.READY);
    assertThat(answer.lease()).isEqualTo(ScriptedManager.LEASE);
    assertThat(client.statistics().socketAnswers()).isEqualTo(1);
    assertThat(client.statistics().operationsWithoutRecord()).isZero();
    query.taken();
    assertThat(manager.next(ClientMessage.Taken.class).operation()).isEqualTo(query.id());
  }

  @Test
  void connect_nobodyListens_saysWhatToDo() {
    assertThatIOException()
        .isThrownBy(() -> OrbitKvClient.connect(socket(), options()))
        .withMessageContaining("no Manager listens at [" + socket() + "]")
        .withMessageContaining("orbitkv serve");
  }

  @Test
  void connect_pathThatIsNoSocket_saysSo() throws IOException {
    Files.writeString(socket(), "text");
    assertThatIOException()
        .isThrownBy(() -> OrbitKvClient.connect(socket(), options()))
        .withMessageContaining("[" + socket() + "] is not a socket")
        .withMessageNotContaining("serve");
  }

  @Test
  void connect_pathTooLongForASocket_saysWhere() {
    Path socket = folder.resolve("x".repeat(200));
    assertThatIOException()
        .isThrownBy(() -> OrbitKvClient.connect(socket, options()))
        .withMessageContaining("[" + socket + "]");
  }

  @Test
  void connect_managerRefuses_givesItsReason() throws Exception {
    listen(ScriptedManager.Greeting.REFUSAL);
    assertThatIOException()
        .isThrownBy(() -> OrbitKvClient.connect(socket(), options()))
        .withMessageContaining("[LIMIT] too many sessions: 64");
  }

  @RepeatedTest(10)
  void connect_managerRefusesBeforeItIsGreeted_givesItsReason() throws Exception {
    listen(ScriptedManager.Greeting.REFUSAL_BEFORE_HELLO);
    assertThatIOException()
        .isThrownBy(() -> OrbitKvClient.connect(socket(), options()))
        .withMessageContaining("[LIMIT] too many sessions: 64");
  }

  @Test
  void connect_managerIsSilent_givesUp() throws Exception {
    listen(ScriptedManager.Greeting.SILENCE);
    assertThatIOException()
        .isThrownBy(() ->
            OrbitKvClient.connect(socket(), options().withConnectTimeout(Duration.ofMillis(20))))
        .withMessageContaining("Hello got no reply within [20] ms");
  }

  @Test
  void connect_garbage_isNoManager() throws Exception {
    listen(ScriptedManager.Greeting.GARBAGE);
    assertThatIOException()
        .isThrownBy(() -> OrbitKvClient.connect(socket(), options()))
        .withMessageContaining("sent what is no message");
  }

  @Test
  void connect_otherProtocolVersion_isRefused() throws Exception {
    listen(ScriptedManager.Greeting.WRONG_VERSION);
    assertThatIOException()
        .isThrownBy(() -> OrbitKvClient.connect(socket(), options()))
        .withMessageContaining("version [2]");
  }

  @Test
  void connect_managerHangsUp_saysSo() throws Exception {
    listen(ScriptedManager.Greeting.HANG_UP);
    assertThatIOException()
        .isThrownBy(() -> OrbitKvClient.connect(socket(), options()))
        .withMessageContaining("the Manager ended it");
  }

  @Test
  void close_twice_leavesNoThreadMappingOrDescriptor() throws Exception {
    long threads = readerThreads();
    long boards = boards();
    connect(ScriptedManager.Greeting.BOARD);
    assertThat(boards()).isGreaterThan(boards);
    QueryHandle query = client.query(3, "r", keys(1));
    manager.offer(manager.next(ClientMessage.Submit.class), ScriptedManager.LEASE);
    assertThat(pollUntilDone(query)).isEqualTo(AnswerState.READY);

    client.close();
    client.close();
    manager.close();

    assertThat(readerThreads()).isEqualTo(threads);
    assertThat(boards()).isEqualTo(boards);
    assertThat(client.waiting()).isZero();
    assertThat(client.endReason()).isEqualTo("by this client");
    assertThat(client.connected()).isFalse();
    assertThat(query.poll()).isEqualTo(AnswerState.READY);
    assertThat(query.lease()).isNotEqualTo(LeaseId.NONE);
  }

  @Test
  void connect_refused_leavesNoThread() throws Exception {
    long threads = readerThreads();
    listen(ScriptedManager.Greeting.REFUSAL);
    assertThatIOException().isThrownBy(() -> OrbitKvClient.connect(socket(), options()));
    assertThat(readerThreads()).isEqualTo(threads);
  }

  private static long readerThreads() {
    return Thread.getAllStackTraces().keySet().stream()
        .filter(thread -> thread.getName().equals("orbitkv-client-reader"))
        .count();
  }

  /** Mappings of boards in this process. */
  private static long boards() throws IOException {
    try (var lines = Files.lines(Path.of("/proc/self/maps"))) {
      return lines.filter(line -> line.contains("orbitkv-board")).count();
    }
  }
}
