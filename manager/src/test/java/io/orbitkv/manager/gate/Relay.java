package io.orbitkv.manager.gate;

import io.orbitkv.wire.Frame;
import io.orbitkv.wire.FrameBuffer;
import io.orbitkv.wire.FrameReader;
import io.orbitkv.wire.Protocol;
import io.orbitkv.wire.ServerCodec;
import io.orbitkv.wire.ServerMessage;
import io.orbitkv.wire.StatusBoardWriter;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.Channels;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * Stands between one client and a Manager, both unchanged, and spoils what the Manager says. So
 * neither has a switch for faults. What the client says passes as it is.
 */
final class Relay implements AutoCloseable {
  /** What becomes of the Manager's words. */
  enum Spoil {
    /** The client is led to a board that nobody writes: every write to the real one is lost. */
    LOSE_BOARD_WRITES,
    /** The client's board is the Manager's own; answers over the socket have no known state. */
    CORRUPT_ANSWERS
  }

  private static final int UNKNOWN_STATE = 99;

  private final Path socket;
  private final Path manager;
  private final Spoil spoil;
  private final ServerSocketChannel listener;
  private final Thread thread;
  private volatile @Nullable SocketChannel toClient;
  private volatile @Nullable SocketChannel toManager;
  private @Nullable StatusBoardWriter silentBoard;

  /** Listens beside the Manager's socket. */
  Relay(Path manager, Spoil spoil) throws IOException {
    this.socket = manager.resolveSibling("relay.sock");
    this.manager = manager;
    this.spoil = spoil;
    this.listener = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
    listener.bind(UnixDomainSocketAddress.of(socket));
    this.thread = Thread.ofPlatform().daemon().name("relay").start(this::run);
  }

  /** Where the client connects. */
  Path socket() {
    return socket;
  }

  private void run() {
    try (SocketChannel client = listener.accept();
        SocketChannel server = SocketChannel.open(UnixDomainSocketAddress.of(manager))) {
      toClient = client;
      toManager = server;
      Thread.ofPlatform().daemon().name("relay-requests").start(() -> passOn(client, server));
      try (FrameReader frames = new FrameReader(server, Protocol.DEFAULT_MAX_FRAME_BYTES)) {
        for (Frame frame = frames.next(); frame != null; frame = frames.next()) {
          client.write(spoiled(frame));
        }
      }
    } catch (IOException ended) {
      // One of the two is gone, and with this end the other one is told.
      return;
    }
  }

  private static void passOn(SocketChannel client, SocketChannel server) {
    ByteBuffer bytes = ByteBuffer.allocateDirect(64 << 10);
    try {
      while (client.read(bytes) >= 0) {
        bytes.flip();
        while (bytes.hasRemaining()) {
          server.write(bytes);
        }
        bytes.clear();
      }
      server.close();
    } catch (IOException ended) {
      return;
    }
  }

  private ByteBuffer spoiled(Frame frame) throws IOException {
    ServerCodec codec = new ServerCodec();
    long epoch = frame.header().epoch();
    ServerMessage message = codec.decode(frame);
    if (spoil == Spoil.LOSE_BOARD_WRITES && message instanceof ServerMessage.Welcome welcome) {
      message = withSilentBoard(welcome);
    }
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (FrameBuffer out = new FrameBuffer(4096, Protocol.DEFAULT_MAX_FRAME_BYTES)) {
      codec.encode(message, epoch, out);
      out.writeTo(Channels.newChannel(bytes));
    }
    ByteBuffer sent = ByteBuffer.wrap(bytes.toByteArray()).order(ByteOrder.LITTLE_ENDIAN);
    if (spoil == Spoil.CORRUPT_ANSWERS && message instanceof ServerMessage.Answer answer) {
      if (sent.getInt(Protocol.HEADER_BYTES) != answer.state().code()) {
        throw new AssertionError("the state is not the first of an answer any more");
      }
      sent.putInt(Protocol.HEADER_BYTES, UNKNOWN_STATE);
    }
    return sent;
  }

  private ServerMessage withSilentBoard(ServerMessage.Welcome welcome) throws IOException {
    ServerMessage.BoardLocation real = welcome.board();
    if (real == null) {
      throw new AssertionError("the Manager offers no board");
    }
    StatusBoardWriter board = StatusBoardWriter.create(welcome.epoch(), real.records());
    silentBoard = board;
    return new ServerMessage.Welcome(
        welcome.operation(),
        welcome.protocolVersion(),
        welcome.features(),
        welcome.epoch(),
        welcome.session(),
        welcome.maxFrameBytes(),
        welcome.maxQueryPages(),
        welcome.manager(),
        board.location());
  }

  @Override
  public void close() throws IOException {
    listener.close();
    SocketChannel client = toClient;
    SocketChannel server = toManager;
    if (client != null && server != null) {
      client.close();
      server.close();
    }
    try {
      thread.join();
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
    }
    StatusBoardWriter board = silentBoard;
    if (board != null) {
      board.close();
    }
    Files.deleteIfExists(socket);
  }
}
