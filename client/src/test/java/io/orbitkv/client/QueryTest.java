package io.orbitkv.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.orbitkv.api.lease.LeaseId;
import io.orbitkv.api.query.AnswerState;
import io.orbitkv.api.query.ErrorCode;
import io.orbitkv.api.query.QueryKind;
import io.orbitkv.wire.ClientMessage;
import io.orbitkv.wire.ServerMessage;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.FutureTask;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

final class QueryTest extends ClientTestBase {
  @BeforeEach
  void connectWithBoard() throws Exception {
    connect(ScriptedManager.Greeting.BOARD);
  }

  private ClientMessage.Submit nextSubmit() throws InterruptedException {
    return manager.next(ClientMessage.Submit.class);
  }

  // ---- answers -------------------------------------------------------------------------------

  @Test
  void query_offerOnTheBoard_isSeenTakenAndFreesTheRecord() throws Exception {
    QueryHandle query = client.query(3, "request", keys(2));
    ClientMessage.Submit submit = nextSubmit();
    assertThat(submit.instance()).isEqualTo(3);
    assertThat(submit.kind()).isEqualTo(QueryKind.DEMAND);
    assertThat(submit.requestId()).isEqualTo("request");
    assertThat(submit.keys()).isEqualTo(keys(2));
    assertThat(query.poll()).isEqualTo(AnswerState.LOADING);
    assertThat(query.done()).isFalse();

    manager.offer(submit, ScriptedManager.LEASE);

    assertThat(query.await(LONG).state()).isEqualTo(AnswerState.READY);
    assertThat(query.lease()).isEqualTo(ScriptedManager.LEASE);
    assertThat(query.answer().hits()).isEqualTo(2);
    assertThat(client.freeRecords()).isEqualTo(ScriptedManager.RECORDS - 1);
    query.taken();
    query.taken();
    assertThat(manager.next(ClientMessage.Taken.class))
        .isEqualTo(new ClientMessage.Taken(query.id(), 1));
    assertThat(client.freeRecords()).isEqualTo(ScriptedManager.RECORDS);
    assertThat(client.statistics().boardAnswers()).isEqualTo(1);
    assertThat(client.waiting()).isZero();
    echo();
    assertThat(manager.nothingMore()).isTrue();
  }

  @Test
  void query_missOnTheBoard_freesTheRecordAtOnce() throws Exception {
    QueryHandle query = client.query(3, "r", keys(1));
    ClientMessage.Submit submit = nextSubmit();
    manager.writeBoard(submit.record(), query.id(), 1, AnswerState.MISS, 0);

    assertThat(query.await(LONG).state()).isEqualTo(AnswerState.MISS);
    assertThat(client.freeRecords()).isEqualTo(ScriptedManager.RECORDS);
    assertThatIllegalStateException().isThrownBy(query::taken);
    assertThatIllegalStateException().isThrownBy(() -> query.revise(keys(1)));
  }

  @Test
  void query_refused_isAnAnswerWithItsReason() throws Exception {
    QueryHandle query = client.query(3, "r", keys(1));
    nextSubmit();
    manager.send(new ServerMessage.Refused(query.id(), ErrorCode.UNKNOWN, "no instance [3]"));

    Answer answer = query.await(LONG);

    assertThat(answer.state()).isEqualTo(AnswerState.REFUSED);
    assertThat(client.freeRecords()).isEqualTo(ScriptedManager.RECORDS);
    assertThatExceptionOfType(OrbitKvException.class)
        .isThrownBy(answer::orThrow)
        .withMessage("no instance [3]")
        .satisfies(refused -> assertThat(refused.code()).isEqualTo(ErrorCode.UNKNOWN));
  }

  @Test
  void query_tooManyKeys_isRefusedHereAndNothingIsSent() throws Exception {
    assertThatExceptionOfType(OrbitKvException.class)
        .isThrownBy(() -> client.query(3, "r", keys(ScriptedManager.MAX_PAGES + 1)))
        .satisfies(refused -> assertThat(refused.code()).isEqualTo(ErrorCode.LIMIT));
    assertThatExceptionOfType(OrbitKvException.class)
        .isThrownBy(() -> client.query(3, "x".repeat(2000), keys(1)))
        .satisfies(refused -> assertThat(refused.code()).isEqualTo(ErrorCode.LIMIT));
    assertThatIllegalArgumentException().isThrownBy(() -> client.query(3, "r", new long[3]));
    assertThatIllegalArgumentException()
        .isThrownBy(() -> client.query(3, QueryKind.PREPARE, "r", keys(1)));

    echo();
    assertThat(manager.nothingMore()).isTrue();
    assertThat(client.freeRecords()).isEqualTo(ScriptedManager.RECORDS);
    assertThat(client.waiting()).isZero();
  }

  @Test
  void query_manyThreads_idsGrowInTheOrderOfTheFrames() throws Exception {
    int threads = 4;
    int perThread = 200;
    List<FutureTask<Integer>> tasks = new ArrayList<>();
    for (int i = 0; i < threads; i++) {
      tasks.add(
          inBackground(() -> {
            int ready = 0;
            List<QueryHandle> handles = new ArrayList<>();
            for (int j = 0; j < perThread; j++) {
              handles.add(client.query(3, "r", keys(1 + j % 5)));
            }
            for (QueryHandle query : handles) {
              if (pollUntilDone(query) == AnswerState.READY) {
                ready++;
                query.taken();
              }
            }
            return ready;
          }));
    }
    long last = 0;
    int answered = 0;
    while (answered < threads * perThread) {
      ClientMessage message = manager.next(ClientMessage.class);
      if (message instanceof ClientMessage.Submit submit) {
        assertThat(submit.operation()).isGreaterThan(last);
        last = submit.operation();
        answered++;
        LeaseId lease = new LeaseId(1, last);
        if (submit.record() >= 0) {
          manager.offer(submit, lease);
        } else {
          manager.send(
              new ServerMessage.Answer(
                  last, 1, AnswerState.READY, 1, 0, lease, ErrorCode.NONE, ""));
        }
      }
    }
    for (FutureTask<Integer> task : tasks) {
      assertThat(get(task)).isEqualTo(perThread);
    }
    assertThat(client.waiting()).isZero();
    assertThat(client.freeRecords()).isEqualTo(ScriptedManager.RECORDS);
    assertThat(client.statistics().operationsWithoutRecord()).isPositive();
  }

  // ---- repair --------------------------------------------------------------------------------

  @Test
  void poll_boardSilentForTheRepairDelay_asksOnceAndTakesTheAnswer() throws Exception {
    QueryHandle query = client.query(3, "r", keys(2));
    nextSubmit();
    clock.advance(Duration.ofNanos(49_999_999));
    assertThat(query.poll()).isEqualTo(AnswerState.LOADING);
    echo();
    assertThat(manager.nothingMore()).isTrue();

    clock.advance(Duration.ofNanos(1));
    assertThat(query.poll()).isEqualTo(AnswerState.LOADING);
    assertThat(query.poll()).isEqualTo(AnswerState.LOADING);
    assertThat(manager.next(ClientMessage.Ask.class))
        .isEqualTo(new ClientMessage.Ask(query.id(), 1));
    echo();
    assertThat(manager.nothingMore()).isTrue();

    manager.send(
        new ServerMessage.Answer(
            query.id(), 1, AnswerState.READY, 2, 0, ScriptedManager.LEASE, ErrorCode.NONE, ""));
    assertThat(pollUntilDone(query)).isEqualTo(AnswerState.READY);
    assertThat(query.lease()).isEqualTo(ScriptedManager.LEASE);
    assertThat(client.statistics().asks()).isEqualTo(1);
    query.taken();
    assertThat(client.freeRecords()).isEqualTo(ScriptedManager.RECORDS);
  }

  @Test
  void poll_boardStaysSilent_asksLessAndLessOften() throws Exception {
    QueryHandle query = client.query(3, "r", keys(2));
    nextSubmit();
    long asks = 0;
    for (int millis : new int[] {50, 100, 200, 400, 800, 1000, 1000, 1000}) {
      clock.advance(Duration.ofMillis(millis - 1));
      query.poll();
      assertThat(client.statistics().asks()).isEqualTo(asks);
      clock.advance(Duration.ofMillis(1));
      query.poll();
      asks++;
      assertThat(client.statistics().asks()).isEqualTo(asks);
    }
  }

  @Test
  void poll_boardSaysLoading_startsTheSilenceAnew() throws Exception {
    QueryHandle query = client.query(3, "r", keys(2));
    ClientMessage.Submit submit = nextSubmit();
    clock.advance(Duration.ofMillis(49));
    manager.writeBoard(submit.record(), query.id(), 1, AnswerState.LOADING, 0);
    query.poll();
    clock.advance(Duration.ofMillis(49));
    query.poll();
    assertThat(client.statistics().asks()).isZero();

    clock.advance(Duration.ofMillis(1));
    query.poll();
    assertThat(client.statistics().asks()).isEqualTo(1);
  }

  @Test
  void await_lostBoardWrite_isRepairedWhileWaiting() throws Exception {
    QueryHandle query = client.query(3, "r", keys(2));
    nextSubmit();
    FutureTask<Answer> waiting = inBackground(query::awaitTerminal);

    clock.advance(Duration.ofMillis(51));
    manager.next(ClientMessage.Ask.class);
    manager.send(
        new ServerMessage.Answer(
            query.id(), 1, AnswerState.MISS, 0, 0, LeaseId.NONE, ErrorCode.NONE, ""));

    assertThat(get(waiting).state()).isEqualTo(AnswerState.MISS);
    assertThat(client.freeRecords()).isEqualTo(ScriptedManager.RECORDS);
  }

  // ---- waiting -------------------------------------------------------------------------------

  @Test
  void await_timeout_changesNothing() throws Exception {
    QueryHandle query = client.query(3, "r", keys(2));
    ClientMessage.Submit submit = nextSubmit();

    assertThat(query.await(Duration.ZERO).state()).isEqualTo(AnswerState.LOADING);
    assertThat(client.freeRecords()).isEqualTo(ScriptedManager.RECORDS - 1);
    assertThat(client.waiting()).isEqualTo(1);

    manager.offer(submit, ScriptedManager.LEASE);
    assertThat(query.await(LONG).state()).isEqualTo(AnswerState.READY);
  }

  @Test
  void await_secondThread_isRefused() throws Exception {
    QueryHandle query = client.query(3, "r", keys(2));
    ClientMessage.Submit submit = nextSubmit();
    FutureTask<Answer> first = inBackground(query::awaitTerminal);
    long deadline = System.nanoTime() + LONG.toNanos();
    while (!query.awaited()) {
      assertThat(System.nanoTime()).isLessThan(deadline);
      Thread.onSpinWait();
    }

    assertThatIllegalStateException()
        .isThrownBy(() -> query.await(Duration.ZERO))
        .withMessageContaining("another thread waits");
    manager.offer(submit, ScriptedManager.LEASE);
    assertThat(get(first).state()).isEqualTo(AnswerState.READY);
  }

  @Test
  void await_interrupted_endsTheWaitAndNotTheConnection() throws Exception {
    QueryHandle query = client.query(3, "r", keys(2));
    nextSubmit();
    FutureTask<Boolean> waiting =
        inBackground(() -> {
          Thread.currentThread().interrupt();
          boolean ended = endsTheWait(query);
          // Even a thread that is still interrupted does not close the socket by using it.
          Thread.currentThread().interrupt();
          query.cancel();
          return ended && Thread.currentThread().isInterrupted();
        });
    assertThat(get(waiting)).isTrue();
    manager.next(ClientMessage.Cancel.class);
    assertThat(client.connected()).isTrue();
    echo();
  }

  private static boolean endsTheWait(QueryHandle query) {
    try {
      query.awaitTerminal();
      return false;
    } catch (InterruptedException expected) {
      return true;
    }
  }

  // ---- cancel and revise ---------------------------------------------------------------------

  @Test
  void cancel_pending_endsTheQueryAndFreesTheRecord() throws Exception {
    QueryHandle query = client.query(3, "r", keys(2));
    ClientMessage.Submit submit = nextSubmit();

    query.cancel();
    query.cancel();

    assertThat(query.poll()).isEqualTo(AnswerState.CANCELLED);
    assertThat(manager.next(ClientMessage.Cancel.class))
        .isEqualTo(new ClientMessage.Cancel(query.id(), 1));
    assertThat(client.freeRecords()).isEqualTo(ScriptedManager.RECORDS);
    assertThat(client.waiting()).isZero();

    // What was on its way concerns nobody any more, and the record's next user least of all.
    manager.offer(submit, ScriptedManager.LEASE);
    QueryHandle next = client.query(3, "s", keys(2));
    assertThat(nextSubmit().record()).isEqualTo(submit.record());
    assertThat(next.poll()).isEqualTo(AnswerState.LOADING);
    assertThat(query.poll()).isEqualTo(AnswerState.CANCELLED);
  }

  @Test
  void cancel_offered_givesTheLeaseBack() throws Exception {
    QueryHandle query = client.query(3, "r", keys(2));
    manager.offer(nextSubmit(), ScriptedManager.LEASE);
    assertThat(pollUntilDone(query)).isEqualTo(AnswerState.READY);

    query.cancel();

    manager.next(ClientMessage.Cancel.class);
    assertThat(client.freeRecords()).isEqualTo(ScriptedManager.RECORDS);
  }

  @Test
  void cancel_ended_saysNothing() throws Exception {
    QueryHandle query = client.query(3, "r", keys(2));
    manager.writeBoard(nextSubmit().record(), query.id(), 1, AnswerState.MISS, 0);
    assertThat(pollUntilDone(query)).isEqualTo(AnswerState.MISS);

    query.cancel();

    echo();
    assertThat(manager.nothingMore()).isTrue();
  }

  @Test
  void revise_formerAnswers_areNeverSeenAgain() throws Exception {
    QueryHandle query = client.query(3, "r", keys(2));
    ClientMessage.Submit first = nextSubmit();
    manager.offer(first, ScriptedManager.LEASE);
    assertThat(pollUntilDone(query)).isEqualTo(AnswerState.READY);

    query.revise(keys(3));

    ClientMessage.Submit second = nextSubmit();
    assertThat(second.operation()).isEqualTo(first.operation());
    assertThat(second.revision()).isEqualTo(2);
    assertThat(second.record()).isEqualTo(first.record());
    assertThat(second.keys()).isEqualTo(keys(3));
    assertThat(query.revision()).isEqualTo(2);
    assertThat(query.poll()).isEqualTo(AnswerState.LOADING);
    manager.send(
        new ServerMessage.Answer(
            query.id(), 1, AnswerState.MISS, 0, 0, LeaseId.NONE, ErrorCode.NONE, ""));
    echo();
    assertThat(query.poll()).isEqualTo(AnswerState.LOADING);

    manager.offer(second, new LeaseId(5, 6));
    assertThat(pollUntilDone(query)).isEqualTo(AnswerState.READY);
    assertThat(query.lease()).isEqualTo(new LeaseId(5, 6));
    query.taken();
    assertThat(manager.next(ClientMessage.Taken.class).revision()).isEqualTo(2);
    assertThatIllegalStateException().isThrownBy(() -> query.revise(keys(1)));
    assertThat(client.freeRecords()).isEqualTo(ScriptedManager.RECORDS);
  }

  @Test
  void revise_tooManyKeys_leavesTheFormerRevision() throws Exception {
    QueryHandle query = client.query(3, "r", keys(2));
    ClientMessage.Submit submit = nextSubmit();

    assertThatExceptionOfType(OrbitKvException.class)
        .isThrownBy(() -> query.revise(keys(ScriptedManager.MAX_PAGES + 1)));

    manager.offer(submit, ScriptedManager.LEASE);
    assertThat(pollUntilDone(query)).isEqualTo(AnswerState.READY);
    assertThat(query.revision()).isEqualTo(1);
  }

  // ---- records -------------------------------------------------------------------------------

  @Test
  void records_allInUse_nextOperationUsesTheSocket() throws Exception {
    List<QueryHandle> queries = offerOnEveryRecord();

    QueryHandle query = client.query(3, "r", keys(1));
    assertThat(nextSubmit().record()).isEqualTo(-1);
    assertThat(client.statistics().operationsWithoutRecord()).isEqualTo(1);

    client.release(queries.get(0).lease());
    assertThat(manager.next(ClientMessage.Release.class).lease()).isEqualTo(queries.get(0).lease());
    assertThat(client.freeRecords()).isEqualTo(1);
    client.restore(3, queries.get(1).lease(), 0, new int[] {0});
    assertThat(manager.next(ClientMessage.Restore.class).lease()).isEqualTo(queries.get(1).lease());
    assertThat(client.freeRecords()).isEqualTo(1);
    assertThat(query.poll()).isEqualTo(AnswerState.LOADING);
  }

  @Test
  void records_offersHaveLapsedForCertain_areUsedAgain() throws Exception {
    List<QueryHandle> queries = offerOnEveryRecord();
    clock.advance(Duration.ofSeconds(31));

    client.query(3, "r", keys(1));

    assertThat(nextSubmit().record()).isNotEqualTo(-1);
    assertThat(client.freeRecords()).isEqualTo(ScriptedManager.RECORDS - 1);
    queries.forEach(QueryHandle::taken);
    assertThat(client.freeRecords()).isEqualTo(ScriptedManager.RECORDS - 1);
  }

  @Test
  void offers_lapsedWithoutARecord_areForgottenWithTime() throws Exception {
    List<QueryHandle> queries = offerOnEveryRecord();
    for (int i = 0; i < 10; i++) {
      QueryHandle query = client.query(3, "r", keys(1));
      assertThat(nextSubmit().record()).isEqualTo(-1);
      manager.send(
          new ServerMessage.Answer(
              query.id(), 1, AnswerState.READY, 1, 0, new LeaseId(200, i), ErrorCode.NONE, ""));
      assertThat(query.await(LONG).state()).isEqualTo(AnswerState.READY);
    }
    assertThat(client.openOffers()).isEqualTo(ScriptedManager.RECORDS + 10);
    clock.advance(Duration.ofSeconds(31));
    queries.forEach(QueryHandle::taken);
    assertThat(client.openOffers()).isEqualTo(10);

    client.query(3, "r", keys(1));

    assertThat(client.openOffers()).isZero();
  }

  @Test
  void offers_thatMayStillStand_areKept() throws Exception {
    offerOnEveryRecord();
    clock.advance(Duration.ofSeconds(29));

    client.query(3, "r", keys(1));

    assertThat(nextSubmit().record()).isEqualTo(-1);
    assertThat(client.openOffers()).isEqualTo(ScriptedManager.RECORDS);
  }

  private List<QueryHandle> offerOnEveryRecord() throws Exception {
    List<QueryHandle> queries = new ArrayList<>();
    for (int i = 0; i < ScriptedManager.RECORDS; i++) {
      QueryHandle query = client.query(3, "r", keys(1));
      manager.offer(nextSubmit(), new LeaseId(100, i + 1));
      assertThat(pollUntilDone(query)).isEqualTo(AnswerState.READY);
      queries.add(query);
    }
    assertThat(client.freeRecords()).isZero();
    return queries;
  }

  /** A round trip, after which everything that was sent before has arrived on both sides. */
  private void echo() throws Exception {
    FutureTask<byte[]> reply = inBackground(() -> client.echo(new byte[] {1}, 2));
    ClientMessage.Echo echo = manager.next(ClientMessage.Echo.class);
    manager.send(new ServerMessage.Echo(echo.operation(), new byte[echo.replyBytes()]));
    assertThat(get(reply)).hasSize(2);
  }
}
