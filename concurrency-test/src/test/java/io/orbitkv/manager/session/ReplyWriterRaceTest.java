package io.orbitkv.manager.session;

import static org.assertj.core.api.Assertions.assertThat;

import io.orbitkv.api.query.ErrorCode;
import io.orbitkv.concurrency.Race;
import io.orbitkv.manager.thread.Timers;
import io.orbitkv.wire.Frame;
import io.orbitkv.wire.FrameReader;
import io.orbitkv.wire.ServerCodec;
import io.orbitkv.wire.ServerMessage;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The dispatcher, a session's reader, its writer and whoever ends it, over a real socket. */
@Timeout(300)
class ReplyWriterRaceTest {
  private static final int EACH = 20;
  private static final int MAX_FRAME_BYTES = 1 << 16;
  private static final int BIG_BYTES = 32 << 10;

  @TempDir private Path folder;
  private ServerSocketChannel listener;

  @BeforeEach
  void listen() throws IOException {
    listener = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
    listener.bind(UnixDomainSocketAddress.of(folder.resolve("s")));
  }

  @AfterEach
  void close() throws IOException {
    listener.close();
  }

  private SessionSettings settings(int replyQueue) {
    return new SessionSettings(
        7,
        "test",
        4,
        4,
        replyQueue,
        MAX_FRAME_BYTES,
        16,
        List.of(),
        Duration.ofSeconds(5),
        Duration.ofSeconds(1));
  }

  /** Both ends of a connection. */
  private final class Ends {
    private final SocketChannel client;
    private final SocketChannel manager;

    Ends() {
      try {
        client = SocketChannel.open(listener.getLocalAddress());
        manager = listener.accept();
      } catch (IOException failed) {
        throw new IllegalStateException(failed);
      }
    }

    List<ServerMessage> readToTheEnd() throws IOException {
      List<ServerMessage> messages = new ArrayList<>();
      ServerCodec codec = new ServerCodec();
      try (FrameReader frames = new FrameReader(client, MAX_FRAME_BYTES)) {
        for (Frame frame = frames.next(); frame != null; frame = frames.next()) {
          messages.add(codec.decode(frame));
        }
      }
      return messages;
    }
  }

  @Test
  void finish_whileRepliesAreQueued_sendsWhatWasAcceptedThenTheReasonThenNothing() {
    Race.play(() -> new Finished(new Ends()));
  }

  private final class Finished implements Race.Round {
    private static final long FROM_READER = 1000;

    private final Ends ends;
    private final ReplyWriter writer;
    private final List<ServerMessage> received = new ArrayList<>();
    private volatile long queued;
    private volatile long sent;
    private long queuedBeforeTheEnd;
    private long sentBeforeTheEnd;

    Finished(Ends ends) {
      this.ends = ends;
      this.writer = new ReplyWriter(ends.manager, settings(64));
    }

    @Override
    public List<Race.Actor> actors() {
      return List.of(
          this::dispatch,
          this::read,
          this::write,
          this::finish,
          () -> received.addAll(ends.readToTheEnd()));
    }

    private void dispatch() {
      for (int i = 1; i <= EACH; i++) {
        assertThat(writer.offer(new ServerMessage.Done(i, i))).isTrue();
        queued = i;
      }
    }

    private void read() throws IOException {
      for (int i = 1; i <= EACH; i++) {
        writer.sendFromReader(new ServerMessage.Done(FROM_READER + i, i));
        sent = i;
      }
    }

    private void write() throws IOException {
      writer.run();
      ends.manager.close();
    }

    private void finish() {
      while (queued < EACH / 2) {
        Thread.onSpinWait();
      }
      queuedBeforeTheEnd = queued;
      sentBeforeTheEnd = sent;
      writer.finish(new ServerMessage.Refused(0, ErrorCode.DRAINING, "the end"));
    }

    @Override
    public void check() throws IOException {
      ends.client.close();
      assertThat(received).isNotEmpty();
      assertThat(received.removeLast())
          .isEqualTo(new ServerMessage.Refused(0, ErrorCode.DRAINING, "the end"));
      long lastQueued = 0;
      long lastSent = FROM_READER;
      for (ServerMessage message : received) {
        if (message.operation() < FROM_READER) {
          assertThat(message.operation()).isEqualTo(++lastQueued);
        } else {
          assertThat(message.operation()).isEqualTo(++lastSent);
        }
      }
      assertThat(lastQueued).isGreaterThanOrEqualTo(queuedBeforeTheEnd);
      assertThat(lastSent - FROM_READER).isGreaterThanOrEqualTo(sentBeforeTheEnd);
    }
  }

  @Test
  void send_toAClientThatDoesNotRead_closesTheSessionOnce() {
    Race.play(() -> new Full(new Ends()));
  }

  /** A session whose queue two threads fill while a third one ends it. */
  private static final class NoTimers implements Timers {
    @Override
    public Timer after(Duration delay, Runnable task) {
      return () -> {};
    }

    @Override
    public Timer every(Duration interval, Runnable task) {
      return () -> {};
    }

    @Override
    public void close() {}
  }

  private final class Full implements Race.Round {
    private final Ends ends;
    private final Session session;
    private final AtomicInteger ended = new AtomicInteger();
    private final AtomicInteger closed = new AtomicInteger();
    private List<ServerMessage> received = List.of();

    Full(Ends ends) {
      this.ends = ends;
      this.session =
          new Session(
              1,
              ends.manager,
              "somebody",
              new Session.Surroundings(
                  settings(8),
                  new EventSink() {
                    @Override
                    public boolean open(io.orbitkv.manager.dispatch.SessionPort opened) {
                      return true;
                    }

                    @Override
                    public boolean submit(io.orbitkv.kernel.Event event) {
                      return true;
                    }
                  },
                  () -> "{}",
                  json -> "",
                  json -> "{}",
                  new NoTimers(),
                  task -> {
                    closed.incrementAndGet();
                    task.run();
                  },
                  () -> 0,
                  Thread::start,
                  over -> ended.incrementAndGet()));
      session.start();
    }

    @Override
    public List<Race.Actor> actors() {
      return List.of(this::fill, this::fill);
    }

    private void fill() {
      for (int i = 1; i <= 64; i++) {
        session.send(new ServerMessage.Echo(i, new byte[BIG_BYTES]));
      }
    }

    @Override
    public void check() throws Exception {
      // Who reads on gets at most what the socket held, and then the end.
      assertThat(session.awaitEnd(Duration.ofSeconds(30))).isTrue();
      assertThat(closed).hasValue(1);
      assertThat(ended).hasValue(1);
      session.send(new ServerMessage.Done(99, 0));
      session.close("too late");
      assertThat(closed).hasValue(1);
      try {
        received = ends.readToTheEnd();
      } catch (IOException cut) {
        // In the middle of a frame: the queue of a client that does not read is thrown away.
        assertThat(cut).hasMessageContaining("end");
      }
      assertThat(received).noneMatch(message -> message.operation() == 99);
      ends.client.close();
    }
  }
}
