package io.orbitkv.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.orbitkv.api.lease.LeaseId;
import io.orbitkv.api.query.AnswerState;
import io.orbitkv.api.query.ErrorCode;
import io.orbitkv.api.query.QueryKind;
import io.orbitkv.wire.ClientMessage;
import io.orbitkv.wire.Features;
import io.orbitkv.wire.ServerMessage;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

final class PreparationTest extends ClientTestBase {
  @BeforeEach
  void connectWithBoard() throws Exception {
    connect(ScriptedManager.Greeting.BOARD);
  }

  private ClientMessage.Submit nextSubmit() throws InterruptedException {
    return manager.next(ClientMessage.Submit.class);
  }

  private Preparation prepare(String requestId) {
    return client.prepare(3, requestId, keys(2)).orElseThrow();
  }

  private void board(ClientMessage.Submit submit, AnswerState state) {
    manager.writeBoard(submit.record(), submit.operation(), submit.revision(), state, 0);
  }

  /** A round trip, after which everything that was sent has arrived. */
  private void echo() throws Exception {
    var reply = inBackground(() -> client.echo(new byte[0], 0));
    ClientMessage.Echo echo = manager.next(ClientMessage.Echo.class);
    manager.send(new ServerMessage.Echo(echo.operation(), new byte[0]));
    get(reply);
  }

  // ---- preparations --------------------------------------------------------------------------

  @Test
  void prepare_claimedWhenItIsThere_becomesAnOffer() throws Exception {
    Preparation preparation = prepare("r");
    ClientMessage.Submit submit = nextSubmit();
    assertThat(submit.kind()).isEqualTo(QueryKind.PREPARE);
    assertThat(submit.requestId()).isEqualTo("r");
    assertThat(submit.keys()).isEqualTo(keys(2));
    assertThat(submit.demand()).isNull();
    assertThat(preparation.poll()).isEqualTo(AnswerState.LOADING);
    board(submit, AnswerState.PREPARED);
    assertThat(preparation.poll()).isEqualTo(AnswerState.PREPARED);

    QueryHandle query = preparation.claim(true).orElseThrow();

    assertThat(manager.next(ClientMessage.Claim.class))
        .isEqualTo(new ClientMessage.Claim(submit.operation(), 1, submit.record(), true));
    // The board still says so until the Manager has seen the claim.
    assertThat(query.poll()).isEqualTo(AnswerState.LOADING);
    manager.offer(submit, ScriptedManager.LEASE);
    assertThat(query.await(LONG).state()).isEqualTo(AnswerState.READY);
    query.taken();
    manager.next(ClientMessage.Taken.class);
    assertThat(client.freeRecords()).isEqualTo(ScriptedManager.RECORDS);
    assertThat(preparation.claim(true)).isEmpty();
    preparation.cancel();
    echo();
    assertThat(manager.nothingMore()).isTrue();
  }

  @Test
  void query_ofThatRequest_claimsWhatWasPreparedForExactlyThis() throws Exception {
    prepare("r");
    ClientMessage.Submit submit = nextSubmit();

    QueryHandle query = client.query(3, "r", keys(2));

    assertThat(manager.next(ClientMessage.Claim.class).countLookup()).isTrue();
    manager.offer(submit, ScriptedManager.LEASE);
    assertThat(query.await(LONG).state()).isEqualTo(AnswerState.READY);
    assertThat(query.id()).isEqualTo(submit.operation());
    // The next one for the request is a query of its own.
    client.query(3, "r", keys(2));
    assertThat(nextSubmit().kind()).isEqualTo(QueryKind.DEMAND);
  }

  @Test
  void query_withOtherKeysOrOfAnotherInstance_claimsNothing() throws Exception {
    prepare("r");
    ClientMessage.Submit submit = nextSubmit();
    client.query(4, "r", keys(2));
    assertThat(nextSubmit().instance()).isEqualTo(4);

    client.query(3, "r", keys(1));

    assertThat(manager.next(ClientMessage.Cancel.class).operation()).isEqualTo(submit.operation());
    assertThat(nextSubmit().keys()).isEqualTo(keys(1));
  }

  @Test
  void preparation_olderThanTheInterest_isCancelledFirst() throws Exception {
    Preparation preparation = prepare("r");
    ClientMessage.Submit submit = nextSubmit();
    clock.advance(Preparation.INTEREST);

    assertThat(preparation.claim(true)).isEmpty();

    assertThat(manager.next(ClientMessage.Cancel.class).operation()).isEqualTo(submit.operation());
    prepare("s");
    ClientMessage.Submit second = nextSubmit();
    clock.advance(Preparation.INTEREST);
    client.query(3, "s", keys(2));
    assertThat(manager.next(ClientMessage.Cancel.class).operation()).isEqualTo(second.operation());
    assertThat(nextSubmit().kind()).isEqualTo(QueryKind.DEMAND);
  }

  @Test
  void preparation_expiredBusyOrRefused_saysSoAndIsNotClaimed() throws Exception {
    for (AnswerState end : List.of(AnswerState.MISS, AnswerState.BUSY)) {
      Preparation preparation = prepare("r");
      board(nextSubmit(), end);
      assertThat(preparation.poll()).isEqualTo(end);
      assertThat(preparation.claim(true)).isEmpty();
    }
    Preparation preparation = prepare("r");
    manager.send(
        new ServerMessage.Refused(nextSubmit().operation(), ErrorCode.UNKNOWN, "no instance"));
    clock.advance(Duration.ofMillis(1));
    assertThat(pollUntilEnd(preparation)).isEqualTo(AnswerState.REFUSED);
    assertThat(client.freeRecords()).isEqualTo(ScriptedManager.RECORDS);
    echo();
    assertThat(manager.nothingMore()).isTrue();
  }

  @Test
  void claim_ofWhatIsGoneThere_isBusy() throws Exception {
    Preparation preparation = prepare("r");
    ClientMessage.Submit submit = nextSubmit();
    QueryHandle query = preparation.claim(false).orElseThrow();
    assertThat(manager.next(ClientMessage.Claim.class).countLookup()).isFalse();
    board(submit, AnswerState.BUSY);
    assertThat(query.await(LONG).state()).isEqualTo(AnswerState.BUSY);
    assertThat(client.freeRecords()).isEqualTo(ScriptedManager.RECORDS);
  }

  @Test
  void prepare_moreThanFourOrTwiceForOneRequest_isRefusedHere() throws Exception {
    List<Preparation> four = new ArrayList<>();
    List<ClientMessage.Submit> submits = new ArrayList<>();
    for (int i = 0; i < Hints.MOST_PREPARATIONS; i++) {
      four.add(prepare("r" + i));
      submits.add(nextSubmit());
      assertThat(client.prepare(3, "r" + i, keys(2))).isEmpty();
    }
    assertThat(client.prepare(3, "more", keys(2))).isEmpty();
    echo();
    assertThat(manager.nothingMore()).isTrue();

    // One that has ended makes room, as does one that is cancelled or too old.
    board(submits.getFirst(), AnswerState.BUSY);
    prepare("s");
    nextSubmit();
    four.get(1).cancel();
    manager.next(ClientMessage.Cancel.class);
    prepare("t");
    nextSubmit();
    clock.advance(Preparation.INTEREST);
    prepare("u");
    for (int i = 0; i < Hints.MOST_PREPARATIONS; i++) {
      manager.next(ClientMessage.Cancel.class);
    }
    assertThat(nextSubmit().requestId()).isEqualTo("u");
  }

  @Test
  void prepare_withoutARecord_isAnsweredOverTheSocket() throws Exception {
    for (int i = 0; i < ScriptedManager.RECORDS; i++) {
      client.query(3, "q" + i, keys(1));
      nextSubmit();
    }
    Preparation preparation = prepare("r");
    ClientMessage.Submit submit = nextSubmit();
    assertThat(submit.record()).isEqualTo(BoardRecords.NONE);
    manager.send(answer(submit, AnswerState.LOADING, 0, LeaseId.NONE));
    manager.send(answer(submit, AnswerState.PREPARED, 0, LeaseId.NONE));
    while (preparation.poll() != AnswerState.PREPARED) {
      Thread.onSpinWait();
    }
    QueryHandle query = preparation.claim(true).orElseThrow();
    manager.send(answer(submit, AnswerState.READY, 2, ScriptedManager.LEASE));
    assertThat(query.await(LONG).lease()).isEqualTo(ScriptedManager.LEASE);
  }

  // ---- warm hints ----------------------------------------------------------------------------

  @Test
  void warm_isSentAndAnsweredOverTheSocket() throws Exception {
    assertThat(client.warm(3, "r", keys(1))).isTrue();
    ClientMessage.Submit submit = nextSubmit();
    assertThat(submit.kind()).isEqualTo(QueryKind.WARM);
    assertThat(submit.record()).isEqualTo(BoardRecords.NONE);
    assertThat(client.warm(3, "r", keys(1))).isFalse();
    manager.send(answer(submit, AnswerState.LOADING, 0, LeaseId.NONE));
    manager.send(answer(submit, AnswerState.WARMED, 1, LeaseId.NONE));
    echo();
    assertThat(client.warm(3, "r", keys(1))).isTrue();
    assertThat(client.freeRecords()).isEqualTo(ScriptedManager.RECORDS);
  }

  @Test
  void warm_moreThanSixteen_isRefusedHereUntilTheirTimeIsOver() throws Exception {
    for (int i = 0; i < Hints.MOST_WARMINGS; i++) {
      assertThat(client.warm(3, "r" + i, keys(1))).isTrue();
      nextSubmit();
    }
    assertThat(client.warm(3, "more", keys(1))).isFalse();
    clock.advance(Duration.ofSeconds(5));
    assertThat(client.warm(3, "more", keys(1))).isTrue();
    assertThat(nextSubmit().requestId()).isEqualTo("more");
  }

  @Test
  void warm_thenPreparedOrAskedFor_isCancelled() throws Exception {
    client.warm(3, "r", keys(1));
    long first = nextSubmit().operation();
    client.query(3, "r", keys(1));
    assertThat(manager.next(ClientMessage.Cancel.class).operation()).isEqualTo(first);
    nextSubmit();
    client.warm(3, "s", keys(1));
    long second = nextSubmit().operation();
    prepare("s");
    assertThat(manager.next(ClientMessage.Cancel.class).operation()).isEqualTo(second);
    assertThat(nextSubmit().kind()).isEqualTo(QueryKind.PREPARE);
  }

  // ---- features ------------------------------------------------------------------------------

  @Test
  void withoutTheFeature_isRefusedHere() throws Exception {
    closeAll();
    java.nio.file.Files.deleteIfExists(socket());
    connect(ScriptedManager.Greeting.BOARD, options().withFeatures(Features.BOARD));
    assertUnsupported(() -> client.prepare(3, "r", keys(1)));
    assertUnsupported(() -> client.warm(3, "r", keys(1)));
    assertUnsupported(() -> client.discover(3, "r", new int[1], new int[] {1}, keys(1)));
    assertUnsupported(() -> client.queue(3, List.of()));
    echo();
    assertThat(manager.nothingMore()).isTrue();
  }

  private static void assertUnsupported(
      org.assertj.core.api.ThrowableAssert.ThrowingCallable call) {
    assertThatExceptionOfType(OrbitKvException.class)
        .isThrownBy(call)
        .satisfies(refused -> assertThat(refused.code()).isEqualTo(ErrorCode.UNSUPPORTED));
  }

  private static AnswerState pollUntilEnd(Preparation preparation) {
    long deadline = System.nanoTime() + LONG.toNanos();
    AnswerState state = preparation.poll();
    while (!state.terminal()) {
      assertThat(System.nanoTime()).isLessThan(deadline);
      Thread.onSpinWait();
      state = preparation.poll();
    }
    return state;
  }

  private static ServerMessage.Answer answer(
      ClientMessage.Submit submit, AnswerState state, int hits, LeaseId lease) {
    return new ServerMessage.Answer(
        submit.operation(), submit.revision(), state, hits, 0, lease, ErrorCode.NONE, "");
  }

  @Test
  void claim_afterTheEndOfTheConnection_saysSo() throws Exception {
    Preparation preparation = prepare("r");
    nextSubmit();
    manager.hangUp();
    awaitEnd();
    assertThatExceptionOfType(ConnectionClosedException.class)
        .isThrownBy(() -> preparation.claim(true));
  }
}
