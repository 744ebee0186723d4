package io.orbitkv.client;

import static org.assertj.core.api.Assertions.assertThat;

import io.orbitkv.api.lease.LeaseId;
import io.orbitkv.api.query.AnswerState;
import io.orbitkv.api.query.ErrorCode;
import io.orbitkv.wire.ClientCodec;
import io.orbitkv.wire.ClientMessage;
import io.orbitkv.wire.Features;
import io.orbitkv.wire.Frame;
import io.orbitkv.wire.FrameBuffer;
import io.orbitkv.wire.FrameReader;
import io.orbitkv.wire.Limits;
import io.orbitkv.wire.Protocol;
import io.orbitkv.wire.ServerCodec;
import io.orbitkv.wire.ServerMessage;
import io.orbitkv.wire.StatusBoardWriter;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/**
 * The Manager's end of one connection, without a Manager: it speaks the real codec over a real
 * socket, shakes hands as it is told, and then says what the test says.
 */
final class ScriptedManager implements AutoCloseable {
  static final long EPOCH = 0x5A5A1234L;
  static final int RECORDS = 4;
  static final int MAX_PAGES = 1000;
  static final LeaseId LEASE = new LeaseId(11, 22);

  /** How the handshake goes. */
  enum Greeting {
    BOARD,
    BOARD_OF_ANOTHER_NAMESPACE,
    NO_BOARD,
    REFUSAL,
    REFUSAL_BEFORE_HELLO,
    SILENCE,
    GARBAGE,
    WRONG_VERSION,
    HANG_UP
  }

  private final Greeting greeting;
  private final ServerSocketChannel listener;
  private final StatusBoardWriter board;
  private final BlockingQueue<ClientMessage> received = new LinkedBlockingQueue<>();
  private final Thread thread;
  private final ClientCodec clientCodec = new ClientCodec(Limits.DEFAULT);
  private final ServerCodec serverCodec = new ServerCodec();
  private volatile SocketChannel channel;
  private volatile Throwable failure;

  ScriptedManager(Path socket, Greeting greeting) throws IOException {
    this.greeting = greeting;
    listener = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
    listener.bind(UnixDomainSocketAddress.of(socket));
    board = StatusBoardWriter.create(EPOCH, RECORDS);
    thread = Thread.ofPlatform().name("scripted-manager").daemon().start(this::run);
  }

  private void run() {
    try (SocketChannel accepted = listener.accept();
        FrameReader frames = new FrameReader(accepted, Protocol.DEFAULT_MAX_FRAME_BYTES)) {
      channel = accepted;
      if (greeting == Greeting.REFUSAL_BEFORE_HELLO) {
        send(new ServerMessage.Refused(0, ErrorCode.LIMIT, "too many sessions: 64"));
        return;
      }
      for (Frame frame = frames.next(); frame != null; frame = frames.next()) {
        ClientMessage message = clientCodec.decode(frame);
        if (message instanceof ClientMessage.Hello hello) {
          greet(hello);
        } else {
          assertThat(frame.header().epoch()).isEqualTo(EPOCH);
          received.add(message);
        }
      }
    } catch (IOException ended) {
      // The test or the client closed the connection.
      return;
    } catch (AssertionError | RuntimeException wrong) {
      failure = wrong;
    }
  }

  private void greet(ClientMessage.Hello hello) throws IOException {
    assertThat(hello.protocolVersion()).isEqualTo(Protocol.VERSION);
    assertThat(hello.pid()).isEqualTo(ProcessHandle.current().pid());
    ServerMessage.BoardLocation location = board.location();
    switch (greeting) {
      case BOARD -> send(welcome(hello, Protocol.VERSION, hello.features(), location));
      case BOARD_OF_ANOTHER_NAMESPACE ->
          send(
              welcome(
                  hello,
                  Protocol.VERSION,
                  Features.BOARD,
                  new ServerMessage.BoardLocation(Long.MAX_VALUE, location.descriptor(), RECORDS)));
      case NO_BOARD ->
          send(welcome(hello, Protocol.VERSION, hello.features() & ~Features.BOARD, null));
      case REFUSAL -> {
        send(new ServerMessage.Refused(0, ErrorCode.LIMIT, "too many sessions: 64"));
        hangUp();
      }
      case SILENCE, REFUSAL_BEFORE_HELLO -> {}
      case GARBAGE -> sendBytes(new byte[64]);
      case WRONG_VERSION -> send(welcome(hello, 2, 0, null));
      case HANG_UP -> hangUp();
    }
  }

  private static ServerMessage.Welcome welcome(
      ClientMessage.Hello hello, int version, long features, ServerMessage.BoardLocation location) {
    return new ServerMessage.Welcome(
        hello.operation(), version, features, EPOCH, 7, 1 << 20, MAX_PAGES, "test", location);
  }

  StatusBoardWriter board() {
    return board;
  }

  /** Writes a lease to an operation's record. */
  void offer(ClientMessage.Submit submit, LeaseId lease) {
    board.write(
        submit.record(),
        submit.operation(),
        submit.revision(),
        AnswerState.READY,
        lease,
        submit.keys().length / 2,
        ErrorCode.NONE,
        0);
  }

  /** Writes a state without a lease to a record. */
  void writeBoard(int record, long operation, int revision, AnswerState state, int hits) {
    board.write(record, operation, revision, state, LeaseId.NONE, hits, ErrorCode.NONE, 0);
  }

  void send(ServerMessage message) throws IOException {
    send(message, EPOCH);
  }

  void send(ServerMessage message, long epoch) throws IOException {
    try (FrameBuffer out = new FrameBuffer(256, Protocol.DEFAULT_MAX_FRAME_BYTES)) {
      serverCodec.encode(message, epoch, out);
      out.writeTo(channel);
    }
  }

  void sendBytes(byte[] bytes) throws IOException {
    ByteBuffer buffer = ByteBuffer.wrap(bytes);
    while (buffer.hasRemaining()) {
      channel.write(buffer);
    }
  }

  /** The next message of the client after the handshake. */
  <M extends ClientMessage> M next(Class<M> type) throws InterruptedException {
    ClientMessage message = received.poll(30, TimeUnit.SECONDS);
    assertThat(message).isInstanceOf(type);
    return type.cast(message);
  }

  /** Whether the client has said nothing that was not looked at; exact after a round trip. */
  boolean nothingMore() {
    return received.isEmpty();
  }

  /** Ends the connection as the death of a Manager does. */
  void hangUp() throws IOException {
    channel.close();
  }

  @Override
  public void close() throws IOException {
    listener.close();
    SocketChannel open = channel;
    if (open != null) {
      open.close();
    }
    try {
      thread.join();
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
    }
    board.close();
    assertThat(failure).isNull();
  }
}
