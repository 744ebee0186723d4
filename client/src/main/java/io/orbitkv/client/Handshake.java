package io.orbitkv.client;

import io.orbitkv.wire.ClientCodec;
import io.orbitkv.wire.ClientMessage;
import io.orbitkv.wire.FrameBuffer;
import io.orbitkv.wire.Limits;
import io.orbitkv.wire.Protocol;
import io.orbitkv.wire.ServerMessage;
import io.orbitkv.wire.StatusBoardReader;
import java.io.IOException;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Opens connections.
 *
 * @param connection ready for use
 * @param boardFailure why the status board is not in use; empty when it is
 */
record Handshake(Connection connection, String boardFailure) {
  private static final long HELLO_ID = 1;
  private static final int HELLO_BYTES = 4096;

  // Of the mode of a file: the bits that tell what it is, and those of a socket (S_IFMT, S_IFSOCK).
  private static final int FILE_TYPE = 0xF000;
  private static final int SOCKET = 0xC000;

  /** How long a failed write waits for the reader thread to find out why. */
  private static final Duration REASON_WAIT = Duration.ofMillis(500);

  static Handshake connect(Path socket, ClientOptions options)
      throws IOException, InterruptedException {
    SocketChannel channel = open(socket);
    Map<Long, Pending> pending = new ConcurrentHashMap<>();
    ReplyReader reader = new ReplyReader(channel, options.maxFrameBytes(), pending);
    reader.start();
    boolean done = false;
    try {
      Request request = new Request("Hello", ServerMessage.Welcome.class);
      pending.put(HELLO_ID, request);
      ServerMessage.Welcome welcome;
      try {
        hello(channel, options, reader);
        welcome = request.await(ServerMessage.Welcome.class, options.connectTimeout());
      } catch (OrbitKvException refused) {
        throw new IOException(
            "the Manager at [" + socket + "] does not take this client: " + refused.getMessage(),
            refused);
      }
      check(welcome, options, socket);
      String failure = "";
      StatusBoardReader board = null;
      ManagerProcess manager = ManagerProcess.UNKNOWN;
      ServerMessage.@Nullable BoardLocation location = welcome.board();
      if (location == null) {
        failure = "the Manager offers none";
      } else {
        try {
          board = StatusBoardReader.open(location, welcome.epoch());
          manager = ManagerProcess.ofBoard(location.pid());
        } catch (IOException unusable) {
          // Answers come over the socket instead; whoever diagnoses wants to know why.
          failure = String.valueOf(unusable.getMessage());
        }
      }
      Connection connection =
          new Connection(channel, options, welcome, reader, pending, board, manager, HELLO_ID);
      done = true;
      return new Handshake(connection, failure);
    } finally {
      if (!done) {
        reader.closing();
        channel.close();
        reader.join();
      }
    }
  }

  private static SocketChannel open(Path socket) throws IOException {
    if (Files.exists(socket) && !isSocket(socket)) {
      throw new IOException(
          "[" + socket + "] is not a socket: name the one that a Manager listens on");
    }
    try {
      return SocketChannel.open(UnixDomainSocketAddress.of(socket));
    } catch (IOException | IllegalArgumentException refused) {
      throw new IOException(
          "no Manager listens at ["
              + socket
              + "] ("
              + refused.getMessage()
              + "): start one with 'orbitkv serve --socket "
              + socket
              + "'",
          refused);
    }
  }

  private static boolean isSocket(Path path) {
    try {
      return ((int) Files.getAttribute(path, "unix:mode") & FILE_TYPE) == SOCKET;
    } catch (IOException | UnsupportedOperationException unknown) {
      return true; // Connecting says what is wrong with it.
    }
  }

  private static void hello(SocketChannel channel, ClientOptions options, ReplyReader reader)
      throws IOException {
    try (FrameBuffer out = new FrameBuffer(HELLO_BYTES, Protocol.DEFAULT_MAX_FRAME_BYTES)) {
      new ClientCodec(Limits.DEFAULT)
          .encode(
              new ClientMessage.Hello(
                  HELLO_ID,
                  options.clientName(),
                  Protocol.VERSION,
                  options.features(),
                  ProcessHandle.current().pid()),
              0,
              out);
      out.writeTo(channel);
    } catch (IOException failure) {
      // A Manager that is full says so and hangs up before it was greeted.
      String reason = reader.awaitEnd(REASON_WAIT);
      if (reason == null) {
        throw failure;
      }
      throw new ConnectionClosedException(reason);
    }
  }

  private static void check(ServerMessage.Welcome welcome, ClientOptions options, Path socket)
      throws IOException {
    if (welcome.protocolVersion() != Protocol.VERSION) {
      throw new IOException(
          "the Manager at ["
              + socket
              + "] speaks version ["
              + welcome.protocolVersion()
              + "] of the protocol, this client "
              + Protocol.VERSION
              + ": use releases that belong together");
    }
    if ((welcome.features() & ~options.features()) != 0) {
      throw new IOException(
          "the Manager at ["
              + socket
              + "] uses the features ["
              + welcome.features()
              + "], this client asked for ["
              + options.features()
              + "]");
    }
  }
}
