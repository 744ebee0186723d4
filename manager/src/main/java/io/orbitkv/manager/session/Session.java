package io.orbitkv.manager.session;

import io.orbitkv.api.query.ErrorCode;
import io.orbitkv.kernel.Command;
import io.orbitkv.kernel.Event;
import io.orbitkv.manager.dispatch.SessionPort;
import io.orbitkv.manager.thread.Timers;
import io.orbitkv.wire.ClientCodec;
import io.orbitkv.wire.ClientMessage;
import io.orbitkv.wire.Features;
import io.orbitkv.wire.Frame;
import io.orbitkv.wire.FrameReader;
import io.orbitkv.wire.Limits;
import io.orbitkv.wire.Protocol;
import io.orbitkv.wire.ProtocolException;
import io.orbitkv.wire.ServerMessage;
import io.orbitkv.wire.StatusBoardWriter;
import java.io.IOException;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One connection. Its reader's thread decodes frames and makes events of them, its writer's thread
 * sends what others queue. Whatever ends it (the client's end of the socket, a broken protocol, a
 * full queue, the Manager's own end), the reader's thread tells the kernel so, once and after every
 * event of the session.
 */
final class Session implements SessionPort {
  private static final Logger log = LoggerFactory.getLogger(Session.class);

  private final long number;
  private final SocketChannel channel;
  private final String principal;
  private final Surroundings around;
  private final SessionSettings settings;
  private final ClientCodec codec;
  private final ReplyWriter writer;
  private final long acceptedNanos;
  // Set by whoever begins the end.
  private final AtomicReference<@Nullable SessionEnd> ending = new AtomicReference<>();
  private final Thread readerThread;
  private final Thread writerThread;
  private Timers.@Nullable Timer helloTimer;
  // The reader's thread alone.
  private boolean opened;
  private volatile ClientMessage.@Nullable Hello hello;
  private volatile long features;
  private volatile @Nullable StatusBoardWriter board;

  /**
   * What a session needs of the Manager.
   *
   * @param closer closes channels and boards, which may block
   * @param starter starts a thread, or fails when the system has none to give
   * @param ended told on the reader's thread that the session is over
   */
  record Surroundings(
      SessionSettings settings,
      EventSink events,
      StatusService status,
      MetricsService metrics,
      PolicyService policies,
      Timers timers,
      Executor closer,
      LongSupplier clock,
      Consumer<Thread> starter,
      Consumer<Session> ended) {}

  Session(long number, SocketChannel channel, String principal, Surroundings around) {
    this.number = number;
    this.channel = channel;
    this.principal = principal;
    this.around = around;
    this.settings = around.settings();
    this.codec = new ClientCodec(new Limits(settings.maxFrameBytes(), settings.maxQueryPages()));
    this.writer = new ReplyWriter(channel, settings);
    this.acceptedNanos = around.clock().getAsLong();
    this.readerThread = thread("reader", this::read);
    this.writerThread = thread("writer", this::write);
  }

  /** The acceptor's thread. A session that cannot start leaves neither thread nor channel. */
  void start() {
    try {
      helloTimer = around.timers().after(settings.helloTimeout(), this::helloIsLate);
      around.starter().accept(writerThread);
      around.starter().accept(readerThread);
    } catch (RuntimeException | Error failed) {
      undoStart();
      throw failed;
    }
  }

  private void undoStart() {
    ending.compareAndSet(null, SessionEnd.INTERNAL);
    Timers.Timer timer = helloTimer;
    if (timer != null) {
      timer.cancel();
    }
    writer.abandon();
    closeChannel();
    if (writerThread.getState() == Thread.State.NEW) {
      // It sends nothing any more and gives its buffer back.
      writer.run();
    }
  }

  @Override
  public long number() {
    return number;
  }

  @Override
  public int boardRecords() {
    StatusBoardWriter writer = board;
    return writer == null ? 0 : writer.records();
  }

  @Override
  public void post(Command.Answer answer) {
    StatusBoardWriter writer = board;
    if (writer == null) {
      throw new IllegalStateException("session [" + number + "] has no status board to answer on");
    }
    writer.write(
        answer.record(),
        answer.operation(),
        answer.revision(),
        answer.state(),
        answer.lease(),
        answer.hits(),
        answer.error(),
        answer.detail());
  }

  @Override
  public void send(ServerMessage message) {
    if (!writer.offer(message) && ending.compareAndSet(null, SessionEnd.SLOW_READER)) {
      log.warn(
          "session [{}] is closed: [{}] replies wait and the client does not read",
          number,
          writer.waiting());
      writer.abandon();
      around.closer().execute(this::closeChannel);
    }
  }

  @Override
  public void close(String reason) {
    end(ErrorCode.INVALID, reason);
  }

  @Override
  public void ended() {
    StatusBoardWriter writer = board;
    if (writer != null) {
      around.closer().execute(writer::close);
    }
  }

  /** Any thread. Ends the session; the client is told why if it reads on. */
  void end(ErrorCode error, String reason) {
    if (!ending.compareAndSet(null, SessionEnd.of(error))) {
      return;
    }
    log.info("session [{}] is closed: {}", number, reason);
    writer.finish(new ServerMessage.Refused(0, error, reason));
    around
        .timers()
        .after(settings.lingerTimeout(), () -> around.closer().execute(this::closeChannel));
    around.closer().execute(this::stopReading);
  }

  /** Any thread. Waits until both threads have ended. */
  boolean awaitEnd(Duration patience) throws InterruptedException {
    return readerThread.join(patience) && writerThread.join(patience);
  }

  /** Why it ended. */
  SessionEnd cause() {
    SessionEnd cause = ending.get();
    return cause == null ? SessionEnd.INTERNAL : cause;
  }

  SessionInfo info() {
    ClientMessage.Hello greeting = hello;
    return new SessionInfo(
        number,
        principal,
        greeting == null ? "" : greeting.client(),
        greeting == null ? 0 : greeting.pid(),
        features,
        around.clock().getAsLong() - acceptedNanos,
        writer.waiting());
  }

  private void helloIsLate() {
    if (hello == null) {
      end(
          ErrorCode.INVALID,
          "no Hello came within ["
              + settings.helloTimeout().toMillis()
              + "] ms: send it first on every connection");
    }
  }

  private void write() {
    try {
      writer.run();
    } finally {
      closeChannel();
    }
  }

  private void read() {
    try (FrameReader frames = new FrameReader(channel, settings.maxFrameBytes())) {
      if (greet(frames)) {
        serve(frames);
      }
    } catch (ProtocolException broken) {
      end(ErrorCode.INVALID, broken.where() + ": " + broken.what());
    } catch (IOException gone) {
      log.debug("session [{}] lost its client: {}", number, gone.getMessage());
    } catch (RuntimeException failed) {
      log.error("session [{}] failed", number, failed);
      end(ErrorCode.INTERNAL, "the Manager failed on this session: its log says why");
    } finally {
      finish();
    }
  }

  private boolean greet(FrameReader frames) throws IOException {
    Frame frame = frames.next();
    if (frame == null) {
      return false;
    }
    if (!(codec.decode(frame) instanceof ClientMessage.Hello greeting)) {
      end(ErrorCode.INVALID, "the first message of a connection must be Hello");
      return false;
    }
    if (ending.get() != null) {
      return false;
    }
    if (greeting.protocolVersion() < Protocol.VERSION) {
      end(
          ErrorCode.UNSUPPORTED,
          "protocol version ["
              + greeting.protocolVersion()
              + "] is too old: this Manager speaks version ["
              + Protocol.VERSION
              + "]");
      return false;
    }
    hello = greeting;
    Timers.Timer timer = helloTimer;
    if (timer != null) {
      timer.cancel();
    }
    return letIn(greeting);
  }

  private boolean letIn(ClientMessage.Hello greeting) throws IOException {
    long common = greeting.features() & SessionSettings.OFFERED_FEATURES;
    if ((common & Features.BOARD) != 0) {
      try {
        board = StatusBoardWriter.create(settings.epoch(), settings.boardRecords());
      } catch (IOException refused) {
        log.warn("session [{}] gets no status board: {}", number, refused.getMessage());
        common &= ~Features.BOARD;
      }
    }
    features = common;
    if (!around.events().open(this)) {
      ended();
      return false;
    }
    // Noted before anything else can fail: a client that is gone before its Welcome was let in all
    // the same, and its end must be told.
    opened = true;
    StatusBoardWriter created = board;
    writer.sendFromReader(
        new ServerMessage.Welcome(
            greeting.operation(),
            Protocol.VERSION,
            common,
            settings.epoch(),
            number,
            settings.maxFrameBytes(),
            settings.maxQueryPages(),
            settings.manager(),
            created == null ? null : created.location()));
    log.info(
        "session [{}] of user [{}]: client [{}], process [{}], board [{}]",
        number,
        principal,
        greeting.client(),
        greeting.pid(),
        created == null ? "no" : created.records() + " records");
    return true;
  }

  private void serve(FrameReader frames) throws IOException {
    Frame frame = frames.next();
    while (frame != null && ending.get() == null) {
      long epoch = frame.header().epoch();
      if (epoch != settings.epoch()) {
        end(
            ErrorCode.STALE_EPOCH,
            "a frame carries epoch ["
                + epoch
                + "], this Manager's is ["
                + settings.epoch()
                + "]: reconnect");
        return;
      }
      if (!handle(Translation.of(number, features, codec.decode(frame)))) {
        return;
      }
      frame = frames.next();
    }
  }

  private boolean handle(Translation translation) throws IOException {
    return switch (translation) {
      case Translation.ToKernel(Event event) -> around.events().submit(event);
      case Translation.Echo(ClientMessage.Echo message) -> {
        byte[] payload = Arrays.copyOf(message.payload(), message.replyBytes());
        writer.sendFromReader(new ServerMessage.Echo(message.operation(), payload));
        yield true;
      }
      case Translation.Status(long operation) -> {
        // Waiting here bounds what one client can ask for; only its own later messages wait with
        // it.
        writer.sendFromReader(new ServerMessage.StatusReport(operation, around.status().json()));
        yield true;
      }
      case Translation.Metrics(long operation, boolean json) -> {
        writer.sendFromReader(metrics(operation, json));
        yield true;
      }
      case Translation.Policy(long operation, String json) -> {
        writer.sendFromReader(policy(operation, json));
        yield true;
      }
      case Translation.Refuse(long operation, ErrorCode error, String message) -> {
        writer.sendFromReader(new ServerMessage.Refused(operation, error, message));
        yield true;
      }
      case Translation.Break(String reason) -> {
        end(ErrorCode.INVALID, reason);
        yield false;
      }
    };
  }

  private ServerMessage metrics(long operation, boolean json) {
    try {
      return new ServerMessage.MetricsReport(operation, around.metrics().export(json));
    } catch (IllegalStateException none) {
      return new ServerMessage.Refused(
          operation, ErrorCode.INTERNAL, String.valueOf(none.getMessage()));
    }
  }

  private ServerMessage policy(long operation, String json) {
    try {
      return new ServerMessage.PolicyReport(operation, around.policies().handle(json));
    } catch (IllegalArgumentException wrong) {
      return new ServerMessage.Refused(
          operation, ErrorCode.INVALID, String.valueOf(wrong.getMessage()));
    } catch (IllegalStateException failed) {
      return new ServerMessage.Refused(
          operation, ErrorCode.INTERNAL, String.valueOf(failed.getMessage()));
    }
  }

  // The reader's thread, last.
  private void finish() {
    if (ending.compareAndSet(null, SessionEnd.CLIENT_LEFT)) {
      // The client went away by itself: nobody reads what still waits.
      log.info("session [{}] has ended", number);
      writer.abandon();
      closeChannel();
    }
    Timers.Timer timer = helloTimer;
    if (timer != null) {
      timer.cancel();
    }
    if (opened && !around.events().submit(new Event.SessionClosed(number))) {
      log.debug("session [{}] outlived the dispatcher, which has let go of it", number);
    }
    around.ended().accept(this);
  }

  private void stopReading() {
    try {
      channel.shutdownInput();
    } catch (IOException gone) {
      log.debug("session [{}]: {}", number, gone.getMessage());
    }
  }

  private void closeChannel() {
    try {
      channel.close();
    } catch (IOException failed) {
      log.debug("session [{}]: {}", number, failed.getMessage());
    }
  }

  private Thread thread(String role, Runnable work) {
    return Thread.ofPlatform()
        .name("orbitkv-session-" + number + "-" + role)
        .daemon(true)
        .unstarted(work);
  }
}
