package io.orbitkv.manager.session;

import io.orbitkv.api.query.ErrorCode;
import io.orbitkv.manager.dispatch.Mailbox;
import io.orbitkv.manager.dispatch.Parker;
import io.orbitkv.wire.FrameBuffer;
import io.orbitkv.wire.ProtocolException;
import io.orbitkv.wire.ServerCodec;
import io.orbitkv.wire.ServerMessage;
import java.io.IOException;
import java.nio.channels.SocketChannel;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sends a session's messages: a bounded queue and a thread that encodes what waits and writes it in
 * few system calls. The session's reader may write a reply by itself when nothing else waits, which
 * spares a hand-over between threads.
 */
final class ReplyWriter {
  private static final Logger log = LoggerFactory.getLogger(ReplyWriter.class);
  private static final int COALESCED_BYTES = 64 << 10;
  private static final long LONGEST_PARK_NANOS = 60_000_000_000L;

  /**
   * Of large replies that may wait, so that a client which asks and does not read cannot fill the
   * heap with them. What its reader's thread answers waits beyond that, and its further requests
   * with it; for the dispatcher the queue is full.
   */
  private static final long QUEUED_BYTES = 4 << 20;

  private final SocketChannel channel;
  private final ServerCodec codec;
  private final long epoch;
  private final Parker parker = new Parker();
  private final Mailbox<ServerMessage> queue;
  // Guards the buffer and the channel's sending side: the writer's thread or, when nothing waits,
  // the reader's.
  private final ReentrantLock sending = new ReentrantLock();
  private final FrameBuffer buffer;
  private volatile ServerMessage.@Nullable Refused last;
  private volatile boolean finishing;
  private volatile boolean dead;

  ReplyWriter(SocketChannel channel, SessionSettings settings) {
    this.channel = channel;
    this.epoch = settings.epoch();
    this.codec = new ServerCodec();
    this.queue = new Mailbox<>(settings.replyQueue(), QUEUED_BYTES, ReplyWriter::bytes, parker);
    this.buffer = new FrameBuffer(4 << 10, settings.maxFrameBytes());
  }

  /**
   * Any thread. Queues a message; false when the queue is full. What comes after the end is
   * dropped.
   */
  boolean offer(ServerMessage message) {
    return queue.offer(message) || finishing || dead;
  }

  /**
   * The reader's thread. Sends a message, at once if nothing else waits; waits while the queue is
   * full.
   */
  void sendFromReader(ServerMessage message) throws IOException {
    if (queue.size() == 0 && sending.tryLock()) {
      try {
        // A message that came meanwhile may go second: the two come from different threads.
        if (!dead && !finishing) {
          encode(message);
          buffer.writeTo(channel);
        }
      } finally {
        sending.unlock();
      }
    } else {
      queue.put(message);
    }
  }

  /**
   * Any thread. Sends what waits, then {@code reason} if there is one, then lets the thread end.
   */
  void finish(ServerMessage.@Nullable Refused reason) {
    last = reason;
    finishing = true;
    queue.close();
  }

  /** Any thread. Sends nothing any more and lets the thread end. */
  void abandon() {
    dead = true;
    finishing = true;
    queue.close();
  }

  int waiting() {
    return queue.size();
  }

  // Replies of the reader's thread, which waits for room. Those of the dispatcher are small and
  // must
  // not be refused for the bytes of others.
  private static long bytes(ServerMessage message) {
    return switch (message) {
      case ServerMessage.Echo echo -> echo.payload().length;
      case ServerMessage.StatusReport report -> report.json().length();
      case ServerMessage.MetricsReport report -> report.text().length();
      case ServerMessage.PolicyReport report -> report.json().length();
      case ServerMessage.Candidates candidates ->
          (long) Integer.BYTES * candidates.positions().length;
      case ServerMessage.Welcome _,
          ServerMessage.Registered _,
          ServerMessage.Attached _,
          ServerMessage.Answer _,
          ServerMessage.Done _,
          ServerMessage.Refused _ ->
          0;
    };
  }

  /** The writer's thread: sends until it is told to finish, or the connection breaks. */
  void run() {
    try {
      while (!dead) {
        // Looked at before the queue is: whatever was accepted before the end is in it then, or
        // claimed a place that is filled in a moment.
        boolean ending = finishing;
        if (sendWaiting()) {
          continue;
        }
        if (ending && queue.size() == 0) {
          sendLast();
          break;
        }
        parker.await(() -> queue.hasMessage() || finishing, LONGEST_PARK_NANOS);
      }
    } catch (IOException gone) {
      log.debug("a client went away while it was written to: {}", gone.getMessage());
    } finally {
      abandon();
      sending.lock();
      try {
        buffer.close();
      } finally {
        sending.unlock();
      }
    }
  }

  private boolean sendWaiting() throws IOException {
    if (!queue.hasMessage()) {
      return false;
    }
    sending.lock();
    try {
      ServerMessage message = queue.poll();
      while (message != null) {
        encode(message);
        message = buffer.bytes() < COALESCED_BYTES ? queue.poll() : null;
      }
      buffer.writeTo(channel);
    } finally {
      sending.unlock();
    }
    return true;
  }

  private void sendLast() throws IOException {
    ServerMessage.@Nullable Refused reason = last;
    if (reason == null) {
      return;
    }
    sending.lock();
    try {
      encode(reason);
      buffer.writeTo(channel);
    } finally {
      sending.unlock();
    }
  }

  // A reply that does not fit into a frame costs that reply: the client hears so under the same
  // operation.
  private void encode(ServerMessage message) throws ProtocolException {
    try {
      codec.encode(message, epoch, buffer);
    } catch (ProtocolException tooLarge) {
      log.warn("a reply could not be encoded: {}", tooLarge.getMessage());
      codec.encode(
          new ServerMessage.Refused(
              message.operation(),
              ErrorCode.LIMIT,
              "the reply does not fit: " + tooLarge.getMessage()),
          epoch,
          buffer);
    }
  }
}
