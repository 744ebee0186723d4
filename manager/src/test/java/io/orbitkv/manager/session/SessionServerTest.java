package io.orbitkv.manager.session;

import static org.assertj.core.api.Assertions.assertThat;

import io.orbitkv.api.lease.LeaseId;
import io.orbitkv.api.page.PageKey;
import io.orbitkv.api.query.AnswerState;
import io.orbitkv.api.query.ErrorCode;
import io.orbitkv.api.query.QueryKind;
import io.orbitkv.api.recovery.GroupRange;
import io.orbitkv.api.recovery.RecoveryDemand;
import io.orbitkv.kernel.Command;
import io.orbitkv.kernel.Event;
import io.orbitkv.kernel.QueuedRequest;
import io.orbitkv.manager.fixture.RawClient;
import io.orbitkv.manager.fixture.SessionsUnderTest;
import io.orbitkv.wire.BoardSnapshot;
import io.orbitkv.wire.ClientCodec;
import io.orbitkv.wire.ClientMessage;
import io.orbitkv.wire.Features;
import io.orbitkv.wire.FrameBuffer;
import io.orbitkv.wire.Limits;
import io.orbitkv.wire.Protocol;
import io.orbitkv.wire.ServerMessage;
import io.orbitkv.wire.StatusBoardReader;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.channels.Channels;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
class SessionServerTest {
  private static final LeaseId LEASE = new LeaseId(3, 4);
  private static final int OPERATION_OFFSET = 16;

  private static final RecoveryDemand DEMAND =
      new RecoveryDemand(16, 0, 16, List.of(new GroupRange(0, 0, 16), new GroupRange(1, 0, 16)));

  @TempDir Path folder;

  @Test
  void socket_isForItsUserAloneAndGoesWithTheServer() throws Exception {
    try (SessionsUnderTest under = new SessionsUnderTest(folder)) {
      assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(under.socket)))
          .isEqualTo("rw-------");
      under.server.stopAccepting();
      assertThat(under.socket).doesNotExist();
    }
  }

  @Test
  void hello_opensASessionAndNegotiatesTheBoard() throws Exception {
    try (SessionsUnderTest under = new SessionsUnderTest(folder);
        RawClient client = RawClient.connect(under.socket)) {
      ServerMessage.Welcome welcome = client.hello(Features.BOARD | Features.PREPARE | 1 << 20);

      assertThat(welcome.features()).isEqualTo(Features.BOARD | Features.PREPARE);
      assertThat(welcome.epoch()).isEqualTo(SessionsUnderTest.EPOCH);
      assertThat(welcome.board().records()).isEqualTo(16);
      assertThat(under.kernel.next()).isEqualTo(new Event.SessionOpened(welcome.session(), 16));
      assertThat(under.directory.infos().getFirst().client()).isEqualTo("test 1");
      assertThat(under.directory.infos().getFirst().principal())
          .isEqualTo(Files.getOwner(under.socket).getName());
    }
  }

  @Test
  void hello_withoutBoard_getsNone() throws Exception {
    try (SessionsUnderTest under = new SessionsUnderTest(folder);
        RawClient client = RawClient.connect(under.socket)) {
      ServerMessage.Welcome welcome = client.hello(0);

      assertThat(welcome.board()).isNull();
      assertThat(under.kernel.next()).isEqualTo(new Event.SessionOpened(welcome.session(), 0));
    }
  }

  @Test
  void answer_withRecord_isOnTheBoardAndNotOnTheSocket() throws Exception {
    try (SessionsUnderTest under = new SessionsUnderTest(folder);
        RawClient client = RawClient.connect(under.socket)) {
      under.kernel.script(
          event -> event instanceof Event.Submit submit ? List.of(ready(submit)) : List.of());
      ServerMessage.Welcome welcome = client.hello(Features.BOARD);
      try (StatusBoardReader board = StatusBoardReader.open(welcome.board(), welcome.epoch())) {
        client.send(submit(7, 5));
        client.send(new ClientMessage.Echo(8, 3, new byte[] {1, 2, 3}));

        assertThat(client.receive()).isInstanceOf(ServerMessage.Echo.class);
        under.dispatcher.inspect().join();
        BoardSnapshot snapshot = new BoardSnapshot();
        assertThat(board.read(5, 7, 1, snapshot)).isTrue();
        assertThat(snapshot.state()).isEqualTo(AnswerState.READY);
        assertThat(snapshot.hits()).isEqualTo(2);
        assertThat(snapshot.lease()).isEqualTo(LEASE);
      }
    }
  }

  @Test
  void answer_withoutRecord_comesOverTheSocket() throws Exception {
    try (SessionsUnderTest under = new SessionsUnderTest(folder);
        RawClient client = RawClient.greet(under.socket, 0)) {
      under.kernel.script(
          event -> event instanceof Event.Submit submit ? List.of(ready(submit)) : List.of());
      client.send(submit(7, Event.NO_RECORD));

      assertThat(client.receive())
          .isEqualTo(
              new ServerMessage.Answer(7, 1, AnswerState.READY, 2, 0, LEASE, ErrorCode.NONE, ""));
    }
  }

  @Test
  void everyKernelReply_reachesItsClient() throws Exception {
    try (SessionsUnderTest under = new SessionsUnderTest(folder);
        RawClient client = RawClient.greet(under.socket, 0)) {
      under.kernel.script(event ->
          switch (event) {
            case Event.Attach a ->
                List.of(
                    new Command.Attached(
                        a.session(), a.operation(), 3, 9, 2, 16, new long[] {4096}));
            case Event.Sync s -> List.of(new Command.Done(s.session(), s.operation(), 11));
            case Event.Unregister u ->
                List.of(
                    new Command.Refused(
                        u.session(), u.operation(), ErrorCode.UNKNOWN, "no such instance"),
                    new Command.Registered(u.session(), u.operation(), 1, 2, true));
            default -> List.of();
          });
      client.send(new ClientMessage.Attach(2, "model"));
      client.send(new ClientMessage.Sync(3));
      client.send(new ClientMessage.Unregister(4, 1));

      ServerMessage.Attached attached = (ServerMessage.Attached) client.receive();
      assertThat(attached.worldSize()).isEqualTo(2);
      assertThat(attached.pageBytes()).containsExactly(4096);
      assertThat(client.receive()).isEqualTo(new ServerMessage.Done(3, 11));
      assertThat(client.receive())
          .isEqualTo(new ServerMessage.Refused(4, ErrorCode.UNKNOWN, "no such instance"));
      assertThat(client.receive()).isEqualTo(new ServerMessage.Registered(4, 1, 2, true));
    }
  }

  @Test
  void featureThatWasNotAgreedOn_isRefusedAndTheSessionGoesOn() throws Exception {
    try (SessionsUnderTest under = new SessionsUnderTest(folder);
        RawClient client = RawClient.greet(under.socket, 0)) {
      client.send(new ClientMessage.Claim(2, 1, Event.NO_RECORD, false));
      client.send(queue(3, null));
      client.send(submit(4, QueryKind.PREPARE, null));
      client.send(submit(5, QueryKind.WARM, null));
      client.send(submit(6, QueryKind.SELECTED, DEMAND));
      client.send(submit(7, QueryKind.DISCOVER, null));
      client.send(new ClientMessage.Evict(8));

      for (long operation = 2; operation <= 7; operation++) {
        ServerMessage.Refused refused = (ServerMessage.Refused) client.receive();
        assertThat(refused.operation()).isEqualTo(operation);
        assertThat(refused.error()).isEqualTo(ErrorCode.UNSUPPORTED);
        assertThat(refused.message()).contains("which this connection has not agreed on");
      }
      assertThat(under.kernel.next(Event.Evict.class).operation()).isEqualTo(8);
    }
  }

  @Test
  void demandWithoutRecovery_isRefusedWhateverCarriesIt() throws Exception {
    try (SessionsUnderTest under = new SessionsUnderTest(folder);
        RawClient client = RawClient.greet(under.socket, Features.PREPARE | Features.QUEUE)) {
      client.send(submit(2, QueryKind.PREPARE, DEMAND));
      client.send(queue(3, DEMAND));

      for (long operation = 2; operation <= 3; operation++) {
        ServerMessage.Refused refused = (ServerMessage.Refused) client.receive();
        assertThat(refused.operation()).isEqualTo(operation);
        assertThat(refused.message()).contains("needs feature RECOVERY, which");
      }
    }
  }

  @Test
  void everyOperation_reachesTheKernelAsItWasSent() throws Exception {
    try (SessionsUnderTest under = new SessionsUnderTest(folder);
        RawClient client = RawClient.connect(under.socket)) {
      long all = Features.PREPARE | Features.QUEUE | Features.RECOVERY | Features.WARM;
      assertThat(client.hello(all).features()).isEqualTo(all);
      long operation = 2;
      for (QueryKind kind : QueryKind.values()) {
        boolean demand = kind == QueryKind.SELECTED || kind == QueryKind.PREPARE;
        client.send(submit(operation, kind, demand ? DEMAND : null));
        Event.Submit event = under.kernel.next(Event.Submit.class);
        assertThat(event.operation()).isEqualTo(operation++);
        assertThat(event.kind()).isEqualTo(kind);
        assertThat(event.groups()).containsExactly(0, 1);
        assertThat(event.pagesOfGroup()).containsExactly(1, 1);
        assertThat(event.keys()).containsExactly(1, 2, 3, 4);
        assertThat(event.demand()).isEqualTo(demand ? DEMAND : null);
      }
      client.send(new ClientMessage.Claim(operation, 3, 7, true));
      Event.Claim claim = under.kernel.next(Event.Claim.class);
      assertThat(claim).isEqualTo(new Event.Claim(claim.session(), operation++, 3, 7, true));
      client.send(queue(operation, DEMAND));
      Event.Queue queue = under.kernel.next(Event.Queue.class);
      assertThat(queue.instance()).isEqualTo(1);
      assertThat(queue.changes())
          .extracting(QueuedRequest::state)
          .containsExactly(
              QueuedRequest.State.ACCEPTED,
              QueuedRequest.State.EXECUTING,
              QueuedRequest.State.GONE);
      QueuedRequest first = queue.changes().getFirst();
      assertThat(first.requestId()).isEqualTo("a");
      assertThat(first.groups()).containsExactly(0, 1);
      assertThat(first.pagesOfGroup()).containsExactly(1, 1);
      assertThat(first.keys()).containsExactly(1, 2, 3, 4);
      assertThat(first.demand()).isEqualTo(DEMAND);
      client.send(
          new ClientMessage.Publish(
              9, -1, 1, 1, 0, PageKey.NONE, new long[] {1, 2}, new int[] {0}));
      assertThat(under.kernel.next(Event.Publish.class).group()).isEqualTo(1);
    }
  }

  private static ClientMessage.Submit submit(
      long operation, QueryKind kind, @Nullable RecoveryDemand demand) {
    return new ClientMessage.Submit(
        operation,
        1,
        -1,
        1,
        kind,
        "r",
        new int[] {0, 1},
        new int[] {1, 1},
        new long[] {1, 2, 3, 4},
        demand);
  }

  private static ClientMessage.Queue queue(long operation, @Nullable RecoveryDemand demand) {
    return new ClientMessage.Queue(
        operation,
        1,
        List.of(
            new ClientMessage.Queue.Entry(
                "a",
                ClientMessage.Queue.State.ACCEPTED,
                new int[] {0, 1},
                new int[] {1, 1},
                new long[] {1, 2, 3, 4},
                demand),
            new ClientMessage.Queue.Entry("b", ClientMessage.Queue.State.EXECUTING, new long[0]),
            new ClientMessage.Queue.Entry("c", ClientMessage.Queue.State.GONE, new long[0])));
  }

  @Test
  void echo_repliesWithTheBytesAskedFor() throws Exception {
    try (SessionsUnderTest under = new SessionsUnderTest(folder);
        RawClient client = RawClient.greet(under.socket, 0)) {
      client.send(new ClientMessage.Echo(2, 5, new byte[] {1, 2, 3}));

      assertThat(((ServerMessage.Echo) client.receive()).payload()).containsExactly(1, 2, 3, 0, 0);
    }
  }

  @Test
  void status_isAnsweredAsJson() throws Exception {
    try (SessionsUnderTest under = new SessionsUnderTest(folder);
        RawClient client = RawClient.greet(under.socket, 0)) {
      client.send(new ClientMessage.Status(2));

      assertThat(client.receive())
          .isEqualTo(new ServerMessage.StatusReport(2, "{\"status\": true}"));
    }
  }

  @Test
  void firstMessageOtherThanHello_endsTheSession() throws Exception {
    try (SessionsUnderTest under = new SessionsUnderTest(folder);
        RawClient client = RawClient.connect(under.socket)) {
      client.send(new ClientMessage.Sync(2));

      assertRefusedConnection(client, ErrorCode.INVALID, "Hello");
      assertThat(under.kernel.waiting()).isZero();
    }
  }

  @Test
  void secondHello_endsTheSession() throws Exception {
    try (SessionsUnderTest under = new SessionsUnderTest(folder);
        RawClient client = RawClient.greet(under.socket, 0)) {
      client.epoch(0);
      client.send(new ClientMessage.Hello(2, "test 2", 1, 0, 1));

      assertThat(((ServerMessage.Refused) client.receive()).operation()).isZero();
      assertThat(client.atEnd()).isTrue();
      assertThat(under.kernel.next(Event.SessionClosed.class)).isNotNull();
    }
  }

  @Test
  void silence_pastTheHelloTimeout_endsTheSession() throws Exception {
    try (SessionsUnderTest under = new SessionsUnderTest(folder);
        RawClient silent = RawClient.connect(under.socket);
        RawClient greeted = RawClient.greet(under.socket, 0)) {
      // The second connection was accepted after the first, so the first one's timer runs.
      under.timers.pass(Duration.ofSeconds(5));

      assertRefusedConnection(silent, ErrorCode.INVALID, "no Hello");
      greeted.send(new ClientMessage.Status(2));
      assertThat(greeted.receive()).isInstanceOf(ServerMessage.StatusReport.class);
    }
  }

  @Test
  void garbage_endsThatSessionAlone() throws Exception {
    try (SessionsUnderTest under = new SessionsUnderTest(folder);
        RawClient bad = RawClient.greet(under.socket, 0);
        RawClient good = RawClient.greet(under.socket, 0)) {
      byte[] garbage = new byte[64];
      Arrays.fill(garbage, (byte) 0x5a);
      bad.sendRaw(garbage);

      assertRefusedConnection(bad, ErrorCode.INVALID, "");
      assertThat(under.kernel.next(Event.SessionClosed.class)).isNotNull();
      good.send(new ClientMessage.Status(2));
      assertThat(good.receive()).isInstanceOf(ServerMessage.StatusReport.class);
    }
  }

  @Test
  void oversizedFrame_endsTheSession() throws Exception {
    try (SessionsUnderTest under = new SessionsUnderTest(folder);
        RawClient client = RawClient.greet(under.socket, 0)) {
      try {
        client.send(new ClientMessage.Echo(2, 0, new byte[2 << 20]));
      } catch (IOException closedMeanwhile) {
        // The Manager need not read the rest of a frame that it refuses.
        assertThat(closedMeanwhile).isNotNull();
      }

      assertRefusedConnection(client, ErrorCode.INVALID, "");
    }
  }

  @Test
  void staleEpoch_endsTheSession() throws Exception {
    try (SessionsUnderTest under = new SessionsUnderTest(folder);
        RawClient client = RawClient.greet(under.socket, 0)) {
      client.epoch(SessionsUnderTest.EPOCH + 1);
      client.send(new ClientMessage.Sync(2));

      assertRefusedConnection(client, ErrorCode.STALE_EPOCH, "reconnect");
    }
  }

  @Test
  void operationZero_endsTheSession() throws Exception {
    try (SessionsUnderTest under = new SessionsUnderTest(folder);
        RawClient client = RawClient.greet(under.socket, 0)) {
      // Our codec does not write it: the frame of a Sync with its operation set to 0.
      byte[] frame;
      try (FrameBuffer buffer = new FrameBuffer(64, 4096)) {
        new ClientCodec(new Limits(4096, 16))
            .encode(new ClientMessage.Sync(1), SessionsUnderTest.EPOCH, buffer);
        frame = written(buffer);
      }
      Arrays.fill(frame, OPERATION_OFFSET, OPERATION_OFFSET + Long.BYTES, (byte) 0);
      client.sendRaw(frame);

      assertRefusedConnection(client, ErrorCode.INVALID, "operation");
    }
  }

  private static byte[] written(FrameBuffer buffer) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    buffer.writeTo(Channels.newChannel(bytes));
    return bytes.toByteArray();
  }

  @Test
  void sessionThatCannotStart_leavesNothingAndTheNextOneIsTaken() throws Exception {
    Path socket = folder.resolve("other.sock");
    SessionDirectory directory = new SessionDirectory();
    List<Thread> started = new CopyOnWriteArrayList<>();
    BlockingQueue<String> pauses = new LinkedBlockingQueue<>();
    AtomicInteger asked = new AtomicInteger();
    try (SessionsUnderTest under = new SessionsUnderTest(folder)) {
      SessionServer server =
          new SessionServer(
              SessionsUnderTest.settings(1, 64),
              directory,
              EventSink.of(under.dispatcher),
              () -> "{}",
              json -> "",
              json -> "",
              under.timers,
              System::nanoTime,
              thread -> {
                // The writer of the first connection starts, its reader and the next writer do not.
                if (asked.incrementAndGet() == 2 || asked.get() == 3) {
                  throw new OutOfMemoryError("planted: unable to create native thread");
                }
                started.add(thread);
                thread.start();
              },
              () -> pauses.add("pause"));
      server.start(socket);
      try (RawClient first = RawClient.connect(socket);
          RawClient second = RawClient.connect(socket)) {
        assertThat(first.atEnd()).isTrue();
        assertThat(second.atEnd()).isTrue();
        assertThat(pauses.take()).isEqualTo(pauses.take());
        assertThat(directory.infos()).isEmpty();
        assertThat(started.getFirst().join(Duration.ofSeconds(20))).isTrue();
      }
      try (RawClient third = RawClient.greet(socket, 0)) {
        assertThat(third).isNotNull();
        assertThat(directory.infos()).hasSize(1);
      }
      server.close();
      server.release();
    }
  }

  @Test
  void boardOfASessionWhoseEndIsHandledLast_isClosed() throws Exception {
    CountDownLatch release = new CountDownLatch(1);
    SessionsUnderTest under = new SessionsUnderTest(folder);
    Path board;
    try (RawClient client = RawClient.connect(under.socket)) {
      ServerMessage.Welcome welcome = client.hello(Features.BOARD);
      board = Path.of("/proc/self/fd/" + welcome.board().descriptor());
      assertThat(Files.readSymbolicLink(board).toString()).contains("orbitkv-board");
      under.kernel.script(event -> {
        if (event instanceof Event.Sync) {
          awaitLatch(release);
        }
        return List.of();
      });
      client.send(new ClientMessage.Sync(2));
      under.kernel.next(Event.SessionOpened.class);
      under.server.close();
      release.countDown();
    }
    under.close();

    assertThat(Files.isSymbolicLink(board) ? Files.readSymbolicLink(board).toString() : "")
        .doesNotContain("orbitkv-board");
  }

  @Test
  void sessionBeyondTheLimit_isRefusedAndOneThatEndsMakesRoom() throws Exception {
    try (SessionsUnderTest under =
        new SessionsUnderTest(folder, SessionsUnderTest.settings(1, 64), 1024)) {
      try (RawClient first = RawClient.greet(under.socket, 0);
          RawClient second = RawClient.connect(under.socket)) {
        assertRefusedConnection(second, ErrorCode.LIMIT, "sessions.max");
        first.send(new ClientMessage.Status(2));
        assertThat(first.receive()).isInstanceOf(ServerMessage.StatusReport.class);
      }
      long closed = under.kernel.next(Event.SessionClosed.class).session();
      awaitNoSession(under);
      try (RawClient third = RawClient.connect(under.socket)) {
        assertThat(third.hello(0).session()).isGreaterThan(closed);
      }
    }
  }

  @Test
  void clientGone_endsTheSessionAfterItsEvents() throws Exception {
    try (SessionsUnderTest under = new SessionsUnderTest(folder)) {
      try (RawClient client = RawClient.greet(under.socket, 0)) {
        for (int operation = 2; operation < 100; operation++) {
          client.send(new ClientMessage.Sync(operation));
        }
      }

      assertThat(under.kernel.next()).isInstanceOf(Event.SessionOpened.class);
      for (int operation = 2; operation < 100; operation++) {
        assertThat(((Event.Sync) under.kernel.next()).operation()).isEqualTo(operation);
      }
      assertThat(under.kernel.next()).isInstanceOf(Event.SessionClosed.class);
    }
  }

  @Test
  void clientThatDoesNotRead_isClosedWhenItsQueueIsFull() throws Exception {
    try (SessionsUnderTest under =
            new SessionsUnderTest(folder, SessionsUnderTest.settings(4, 8), 1024);
        RawClient deaf = RawClient.greet(under.socket, 0);
        RawClient other = RawClient.greet(under.socket, 0)) {
      String text = "x".repeat(4000);
      under.kernel.script(event ->
          event instanceof Event.Evict evict
              ? Collections.nCopies(
                  1000,
                  new Command.Refused(evict.session(), evict.operation(), ErrorCode.INVALID, text))
              : List.of());
      deaf.send(new ClientMessage.Evict(2));

      assertThat(under.kernel.next(Event.SessionClosed.class)).isNotNull();
      other.send(new ClientMessage.Status(2));
      assertThat(other.receive()).isInstanceOf(ServerMessage.StatusReport.class);
    }
  }

  @Test
  void kernelThatClosesASession_tellsItsClientWhy() throws Exception {
    try (SessionsUnderTest under = new SessionsUnderTest(folder);
        RawClient client = RawClient.greet(under.socket, 0)) {
      under.kernel.script(event ->
          event instanceof Event.Sync sync
              ? List.of(new Command.CloseSession(sync.session(), "planted reason"))
              : List.of());
      client.send(new ClientMessage.Sync(2));

      assertRefusedConnection(client, ErrorCode.INVALID, "planted reason");
    }
  }

  @RepeatedTest(8)
  void clientThatIsGoneBeforeItsWelcome_isEndedForTheKernelToo() throws Exception {
    try (SessionsUnderTest under = new SessionsUnderTest(folder)) {
      RawClient client = RawClient.connect(under.socket);
      client.send(new ClientMessage.Hello(1, "test 1", Protocol.VERSION, Features.BOARD, 4711));
      client.close();

      long session = under.kernel.next(Event.SessionOpened.class).session();
      assertThat(under.kernel.next()).isEqualTo(new Event.SessionClosed(session));
    }
  }

  @Test
  void fullMailbox_slowsTheClientAndDoesNotHinderTheEnd() throws Exception {
    CountDownLatch release = new CountDownLatch(1);
    SessionsUnderTest under = new SessionsUnderTest(folder, SessionsUnderTest.settings(4, 64), 4);
    try (under;
        RawClient client = RawClient.greet(under.socket, 0)) {
      under.kernel.next(Event.SessionOpened.class);
      under.kernel.script(event -> {
        if (event instanceof Event.Sync sync && sync.operation() == 2) {
          awaitLatch(release);
        }
        return List.of();
      });
      for (int operation = 2; operation < 40; operation++) {
        client.send(new ClientMessage.Sync(operation));
      }
      under.server.stopAccepting();
      under.server.endSessions("the end");
      release.countDown();

      assertThat(under.kernel.next(Event.SessionClosed.class)).isNotNull();
    }
    assertThat(under.dispatcher.ended()).isDone();
  }

  @Test
  void readerBlockedOnAFullMailbox_endsWithADispatcherThatIsGone() throws Exception {
    CountDownLatch release = new CountDownLatch(1);
    SessionsUnderTest under = new SessionsUnderTest(folder, SessionsUnderTest.settings(4, 64), 2);
    try (RawClient client = RawClient.greet(under.socket, 0)) {
      under.kernel.script(event -> {
        if (event instanceof Event.Sync) {
          awaitLatch(release);
          throw new IllegalStateException("planted");
        }
        return List.of();
      });
      for (int operation = 2; operation < 40; operation++) {
        client.send(new ClientMessage.Sync(operation));
      }
      release.countDown();
      assertThat(under.fatal.take()).hasMessage("planted");
    } finally {
      under.close();
    }
    assertThat(under.directory.infos()).isEmpty();
  }

  private static void assertRefusedConnection(RawClient client, ErrorCode error, String part)
      throws IOException {
    ServerMessage.Refused refused = (ServerMessage.Refused) client.receive();
    assertThat(refused.operation()).isZero();
    assertThat(refused.error()).isEqualTo(error);
    assertThat(refused.message()).contains(part);
    assertThat(client.atEnd()).isTrue();
  }

  private static void awaitNoSession(SessionsUnderTest under) {
    // The reader tells the kernel first and leaves the directory right after.
    while (!under.directory.infos().isEmpty()) {
      Thread.onSpinWait();
    }
  }

  private static void awaitLatch(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  private static ClientMessage.Submit submit(long operation, int record) {
    return new ClientMessage.Submit(
        operation,
        1,
        record,
        1,
        QueryKind.DEMAND,
        "request",
        new int[] {0},
        new int[] {2},
        new long[] {1, 2, 3, 4},
        null);
  }

  private static Command ready(Event.Submit submit) {
    return new Command.Answer(
        submit.session(),
        submit.operation(),
        submit.revision(),
        submit.record(),
        AnswerState.READY,
        2,
        0,
        LEASE,
        ErrorCode.NONE,
        "");
  }

  @Test
  void sessions_thatEnd_areCountedByCause() throws Exception {
    try (SessionsUnderTest under =
        new SessionsUnderTest(folder, SessionsUnderTest.settings(2, 64), 1024)) {
      try (RawClient client = RawClient.greet(under.socket, 0);
          RawClient broken = RawClient.connect(under.socket)) {
        broken.send(new ClientMessage.Sync(1));
        assertThat(broken.receive()).isInstanceOf(ServerMessage.Refused.class);
        assertThat(broken.atEnd()).isTrue();
        under.kernel.next(Event.SessionOpened.class);
        client.send(new ClientMessage.Metrics(2, true));
        assertThat(client.receive())
            .isEqualTo(new ServerMessage.MetricsReport(2, "{\"metrics\":[]}"));
      }
      under.kernel.next(Event.SessionClosed.class);
      SessionFigures figures = under.directory.figures();
      while (figures.open() > 0) {
        Thread.onSpinWait();
        figures = under.directory.figures();
      }
      assertThat(figures.opened()).isEqualTo(2);
      assertThat(figures.closed())
          .containsExactlyInAnyOrderEntriesOf(
              Map.of(SessionEnd.INVALID, 1L, SessionEnd.CLIENT_LEFT, 1L));
      assertThat(figures.refused()).isZero();
    }
  }
}
