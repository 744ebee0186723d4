package io.orbitkv.manager.session;

import io.orbitkv.api.query.ErrorCode;
import io.orbitkv.manager.thread.SerialThread;
import io.orbitkv.manager.thread.Timers;
import io.orbitkv.wire.FrameBuffer;
import io.orbitkv.wire.ServerCodec;
import io.orbitkv.wire.ServerMessage;
import jakarta.inject.Inject;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.nio.file.attribute.UserPrincipal;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import jdk.net.ExtendedSocketOptions;
import jdk.net.UnixDomainPrincipal;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The Manager's socket: accepts connections of users who may connect, up to a limit, and keeps the
 * sessions. The caller owns the path (holds its lock); the file is removed when accepting stops.
 */
public final class SessionServer implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(SessionServer.class);
  private static final int BACKLOG = 128;
  private static final long PAUSE_AFTER_FAILURE_NANOS = 10_000_000;
  private static final Duration PATIENCE = Duration.ofSeconds(10);

  private final SessionSettings settings;
  private final Session.Surroundings around;
  private final SerialThread closer = new SerialThread("orbitkv-session-closer");
  private final SessionDirectory sessions;
  private final Runnable pause;
  private @Nullable ServerSocketChannel server;
  private @Nullable Path path;
  private @Nullable Thread acceptor;
  private @Nullable PeerPolicy peers;
  private long lastNumber;

  /** Makes a server that is not bound yet. */
  @Inject
  public SessionServer(
      SessionSettings settings,
      SessionDirectory sessions,
      EventSink events,
      StatusService status,
      MetricsService metrics,
      PolicyService policies,
      Timers timers,
      LongSupplier clock) {
    this(
        settings,
        sessions,
        events,
        status,
        metrics,
        policies,
        timers,
        clock,
        Thread::start,
        () -> LockSupport.parkNanos(PAUSE_AFTER_FAILURE_NANOS));
  }

  /**
   * @param starter starts the threads of sessions
   * @param pause lets time pass after a connection that could not be taken
   */
  SessionServer(
      SessionSettings settings,
      SessionDirectory sessions,
      EventSink events,
      StatusService status,
      MetricsService metrics,
      PolicyService policies,
      Timers timers,
      LongSupplier clock,
      Consumer<Thread> starter,
      Runnable pause) {
    this.settings = settings;
    this.sessions = sessions;
    this.pause = pause;
    this.around =
        new Session.Surroundings(
            settings,
            events,
            status,
            metrics,
            policies,
            timers,
            closer::execute,
            clock,
            starter,
            sessions::remove);
  }

  /**
   * Boot thread. Binds the socket, for the Manager's user alone, and accepts from then on.
   *
   * @throws IOException when the system refuses the path
   */
  public void start(Path socket) throws IOException {
    ServerSocketChannel channel = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
    try {
      channel.bind(UnixDomainSocketAddress.of(socket), BACKLOG);
      path = socket;
      Files.setPosixFilePermissions(
          socket,
          PosixFilePermissions.fromString(
              settings.allowedUsers().isEmpty() ? "rw-------" : "rw-rw-rw-"));
      peers = new PeerPolicy(Files.getOwner(socket), settings.allowedUsers());
    } catch (IOException | RuntimeException failed) {
      channel.close();
      removeFile();
      throw failed;
    }
    server = channel;
    acceptor =
        Thread.ofPlatform().name("orbitkv-acceptor").daemon(true).start(() -> accept(channel));
  }

  /** Any thread. Takes no more connections and removes the socket's file. Sessions go on. */
  public void stopAccepting() {
    ServerSocketChannel channel = server;
    if (channel == null || !channel.isOpen()) {
      return;
    }
    removeFile();
    try {
      channel.close();
    } catch (IOException failed) {
      log.warn("the socket was not closed cleanly: {}", failed.getMessage());
    }
    joinAcceptor();
  }

  /** Any thread. Ends every session; their clients are told {@code reason}. Returns at once. */
  public void endSessions(String reason) {
    for (Session session : sessions.all()) {
      session.end(ErrorCode.DRAINING, reason);
    }
  }

  /**
   * Boot thread. Stops accepting, ends the sessions and waits for their threads. What the
   * dispatcher asks for afterwards, such as the closing of a board, is done until {@link #release}.
   */
  @Override
  public void close() {
    stopAccepting();
    List<Session> open = sessions.all();
    endSessions("the Manager ends");
    try {
      for (Session session : open) {
        if (!session.awaitEnd(PATIENCE)) {
          log.warn("the threads of session [{}] still run", session.number());
        }
      }
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  /** Boot thread, once the dispatcher has ended: finishes what it asked for. */
  public void release() {
    closer.close();
  }

  private void accept(ServerSocketChannel channel) {
    while (channel.isOpen()) {
      try {
        admit(channel.accept());
      } catch (ClosedChannelException closed) {
        return;
      } catch (IOException | RuntimeException | Error failed) {
        // Mostly too many open files or threads: it passes when sessions end. Whatever it is, a
        // Manager that takes no connections any more and does not say so would be worse.
        tell(failed);
        pause.run();
      }
    }
  }

  private static void tell(Throwable failed) {
    try {
      log.warn("a connection was not accepted: {}", failed.toString());
    } catch (RuntimeException | Error untold) {
      untold.addSuppressed(failed);
    }
  }

  private void admit(SocketChannel channel) throws IOException {
    try {
      UnixDomainPrincipal peer = channel.getOption(ExtendedSocketOptions.SO_PEERCRED);
      String principal = peer.user().getName();
      if (!mayConnect(peer.user())) {
        refuse(
            channel,
            ErrorCode.NOT_OWNER,
            "user ["
                + principal
                + "] may not connect: run the client as the Manager's user or name it in"
                + " `sessions.allowed-users`");
        return;
      }
      if (sessions.size() >= settings.maxSessions()) {
        refuse(
            channel,
            ErrorCode.LIMIT,
            "all ["
                + settings.maxSessions()
                + "] sessions are in use: close one or raise `sessions.max`");
        return;
      }
      start(new Session(++lastNumber, channel, principal, around));
    } catch (IOException | RuntimeException | Error failed) {
      channel.close();
      throw failed;
    }
  }

  private void start(Session session) {
    sessions.add(session);
    try {
      session.start();
    } catch (RuntimeException | Error failed) {
      sessions.remove(session);
      throw failed;
    }
  }

  private boolean mayConnect(UserPrincipal user) {
    PeerPolicy policy = peers;
    return policy != null && policy.admits(user);
  }

  // The frame is small and the socket's buffer empty: writing it does not block.
  private void refuse(SocketChannel channel, ErrorCode error, String reason) throws IOException {
    sessions.refused();
    log.warn("a connection is refused: {}", reason);
    ServerCodec codec = new ServerCodec();
    try (channel;
        FrameBuffer buffer = new FrameBuffer(1 << 10, settings.maxFrameBytes())) {
      codec.encode(new ServerMessage.Refused(0, error, reason), settings.epoch(), buffer);
      buffer.writeTo(channel);
    }
  }

  private void removeFile() {
    Path file = path;
    if (file == null) {
      return;
    }
    try {
      Files.deleteIfExists(file);
    } catch (IOException failed) {
      log.warn("socket file [{}] was not removed: {}", file, failed.getMessage());
    }
    path = null;
  }

  private void joinAcceptor() {
    Thread thread = acceptor;
    if (thread == null || thread == Thread.currentThread()) {
      return;
    }
    try {
      if (!thread.join(PATIENCE)) {
        log.warn("the acceptor still runs");
      }
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
