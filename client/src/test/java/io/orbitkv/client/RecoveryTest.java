package io.orbitkv.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.orbitkv.api.lease.LeaseId;
import io.orbitkv.api.query.AnswerState;
import io.orbitkv.api.query.ErrorCode;
import io.orbitkv.api.query.QueryKind;
import io.orbitkv.api.recovery.GroupRange;
import io.orbitkv.api.recovery.RecoveryDemand;
import io.orbitkv.wire.ClientMessage;
import io.orbitkv.wire.ServerMessage;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

final class RecoveryTest extends ClientTestBase {
  /** Two pages of group 0, one of group 1. */
  private static final RecoveryDemand DEMAND =
      new RecoveryDemand(16, 0, 32, List.of(new GroupRange(0, 0, 32), new GroupRange(1, 16, 32)));

  @BeforeEach
  void connectWithBoard() throws Exception {
    connect(ScriptedManager.Greeting.BOARD);
  }

  private ClientMessage.Submit nextSubmit() throws InterruptedException {
    return manager.next(ClientMessage.Submit.class);
  }

  // ---- discovery -----------------------------------------------------------------------------

  @Test
  void discover_hasThePositionsOfEachGroup() throws Exception {
    Discovery discovery = client.discover(3, "r", new int[] {0, 2}, new int[] {2, 3}, keys(5));
    ClientMessage.Submit submit = nextSubmit();
    assertThat(submit.kind()).isEqualTo(QueryKind.DISCOVER);
    assertThat(submit.record()).isEqualTo(BoardRecords.NONE);
    assertThat(submit.groups()).containsExactly(0, 2);
    assertThat(submit.pagesOfGroup()).containsExactly(2, 3);
    assertThat(submit.keys()).isEqualTo(keys(5));
    assertThatIllegalStateException().isThrownBy(() -> discovery.positions(0));

    manager.send(
        new ServerMessage.Candidates(
            submit.operation(), 1, new int[] {0, 2}, new int[] {1, 2}, new int[] {0, 0, 2}));

    assertThat(discovery.await(LONG).hits()).isEqualTo(3);
    assertThat(discovery.answer().state()).isEqualTo(AnswerState.READY);
    assertThat(discovery.groups()).containsExactly(0, 2);
    assertThat(discovery.positions(0)).containsExactly(0);
    assertThat(discovery.positions(1)).containsExactly(0, 2);
    assertThat(client.waiting()).isZero();
    discovery.cancel();
    assertThat(manager.nothingMore()).isTrue();
  }

  @Test
  void discover_cancelled_countsWhatComesLate() throws Exception {
    Discovery discovery = client.discover(3, "r", new int[] {0}, new int[] {1}, keys(1));
    ClientMessage.Submit submit = nextSubmit();
    discovery.cancel();
    assertThat(manager.next(ClientMessage.Cancel.class).operation()).isEqualTo(submit.operation());
    assertThat(discovery.poll()).isEqualTo(AnswerState.CANCELLED);
    manager.send(
        new ServerMessage.Candidates(
            submit.operation(), 1, new int[] {0}, new int[] {0}, new int[0]));
    var echo = inBackground(() -> client.echo(new byte[0], 0));
    manager.send(
        new ServerMessage.Echo(manager.next(ClientMessage.Echo.class).operation(), new byte[0]));
    get(echo);
    assertThat(client.statistics().lateReplies()).isEqualTo(1);
  }

  @Test
  void discover_busyOrRefused_endsWithIt() throws Exception {
    Discovery busy = client.discover(3, "r", new int[] {0}, new int[] {1}, keys(1));
    ClientMessage.Submit submit = nextSubmit();
    manager.send(
        new ServerMessage.Answer(
            submit.operation(), 1, AnswerState.BUSY, 0, 0, LeaseId.NONE, ErrorCode.NONE, ""));
    assertThat(busy.await(LONG).state()).isEqualTo(AnswerState.BUSY);
  }

  @Test
  void discover_positionThatWasNotAskedFor_endsTheConnection() throws Exception {
    client.discover(3, "r", new int[] {0}, new int[] {1}, keys(1));
    manager.send(
        new ServerMessage.Candidates(
            nextSubmit().operation(), 1, new int[] {0}, new int[] {1}, new int[] {1}));
    awaitEnd();
    assertThat(client.endReason()).contains("no answer to operation");
  }

  @Test
  void candidatesForAQuery_endTheConnection() throws Exception {
    client.query(3, "r", keys(1));
    manager.send(
        new ServerMessage.Candidates(
            nextSubmit().operation(), 1, new int[] {0}, new int[] {0}, new int[0]));
    awaitEnd();
    assertThat(client.endReason()).contains("no answer to operation");
  }

  // ---- selected recovery ---------------------------------------------------------------------

  @Test
  void select_asksForAllGroupsInOneQuery() throws Exception {
    QueryHandle query = client.select(3, "r", DEMAND, keys(3));
    ClientMessage.Submit submit = nextSubmit();
    assertThat(submit.kind()).isEqualTo(QueryKind.SELECTED);
    assertThat(submit.groups()).containsExactly(0, 1);
    assertThat(submit.pagesOfGroup()).containsExactly(2, 1);
    assertThat(submit.demand()).isEqualTo(DEMAND);

    manager.offer(submit, ScriptedManager.LEASE);

    assertThat(query.await(LONG).hits()).isEqualTo(3);
    assertThat(query.lease()).isEqualTo(ScriptedManager.LEASE);
    assertThatIllegalStateException().isThrownBy(() -> query.revise(keys(3)));
    assertThatIllegalArgumentException().isThrownBy(() -> client.select(3, "r", DEMAND, keys(2)));
  }

  @Test
  void select_offerOfAnythingButAllPages_goesBackAndIsAMiss() throws Exception {
    QueryHandle query = client.select(3, "r", DEMAND, keys(3));
    ClientMessage.Submit submit = nextSubmit();
    manager
        .board()
        .write(
            submit.record(),
            submit.operation(),
            1,
            AnswerState.READY,
            ScriptedManager.LEASE,
            2,
            ErrorCode.NONE,
            0);

    assertThat(query.await(LONG).state()).isEqualTo(AnswerState.MISS);

    assertThat(query.lease()).isEqualTo(LeaseId.NONE);
    assertThat(manager.next(ClientMessage.Release.class).lease()).isEqualTo(ScriptedManager.LEASE);
    assertThat(client.freeRecords()).isEqualTo(ScriptedManager.RECORDS);
    assertThat(client.openOffers()).isZero();
    assertThat(query.poll()).isEqualTo(AnswerState.MISS);
    query.cancel();
    assertThat(manager.nothingMore()).isTrue();
  }

  @Test
  void select_offerWithoutALease_isAMiss() throws Exception {
    QueryHandle query = client.select(3, "r", DEMAND, keys(3));
    ClientMessage.Submit submit = nextSubmit();
    manager.writeBoard(submit.record(), submit.operation(), 1, AnswerState.READY, 3);
    assertThat(query.await(LONG).state()).isEqualTo(AnswerState.MISS);
    assertThat(client.freeRecords()).isEqualTo(ScriptedManager.RECORDS);
    assertThat(manager.nothingMore()).isTrue();
  }

  @Test
  void prepareSelected_isClaimedByTheSameDemandAlone() throws Exception {
    assertThat(client.prepareSelected(3, "r", DEMAND, keys(3))).isPresent();
    ClientMessage.Submit submit = nextSubmit();
    assertThat(submit.kind()).isEqualTo(QueryKind.PREPARE);
    assertThat(submit.demand()).isEqualTo(DEMAND);

    QueryHandle query = client.select(3, "r", DEMAND, keys(3));

    assertThat(manager.next(ClientMessage.Claim.class).countLookup()).isTrue();
    manager.offer(submit, ScriptedManager.LEASE);
    assertThat(query.await(LONG).hits()).isEqualTo(3);

    assertThat(client.prepareSelected(3, "s", DEMAND, keys(3))).isPresent();
    nextSubmit();
    // A query over a prefix never claims what was prepared for a selected boundary.
    client.query(3, "s", keys(3));
    manager.next(ClientMessage.Cancel.class);
    assertThat(nextSubmit().kind()).isEqualTo(QueryKind.DEMAND);
  }

  // ---- queue reports -------------------------------------------------------------------------

  @Test
  void queue_isSentAsItIs() throws Exception {
    client.queue(
        3,
        List.of(
            new ClientMessage.Queue.Entry(
                "a",
                ClientMessage.Queue.State.ACCEPTED,
                new int[] {0, 1},
                new int[] {2, 1},
                keys(3),
                DEMAND),
            new ClientMessage.Queue.Entry("b", ClientMessage.Queue.State.GONE, new long[0])));
    ClientMessage.Queue queue = manager.next(ClientMessage.Queue.class);
    assertThat(queue.instance()).isEqualTo(3);
    assertThat(queue.changes().getFirst().demand()).isEqualTo(DEMAND);
    assertThat(queue.changes().getLast().state()).isEqualTo(ClientMessage.Queue.State.GONE);
  }
}
