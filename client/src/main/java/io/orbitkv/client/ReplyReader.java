package io.orbitkv.client;

import io.orbitkv.wire.Frame;
import io.orbitkv.wire.FrameReader;
import io.orbitkv.wire.ProtocolException;
import io.orbitkv.wire.ServerCodec;
import io.orbitkv.wire.ServerMessage;
import java.io.IOException;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** The thread that reads what the Manager says, and the one place where a connection ends. */
final class ReplyReader {
  static final String BY_CLIENT = "by this client";

  private final SocketChannel channel;
  private final FrameReader frames;
  private final ServerCodec codec = new ServerCodec();
  private final Map<Long, Pending> pending;
  private final Thread thread;
  private final CountDownLatch ended = new CountDownLatch(1);
  private volatile @Nullable String endReason;
  private volatile boolean closing;
  private volatile @Nullable String poison;
  private volatile Counters counters = new Counters();

  // The reader thread's own.
  private long epoch;
  private @Nullable String goodbye;

  ReplyReader(SocketChannel channel, int maxFrameBytes, Map<Long, Pending> pending) {
    this.channel = channel;
    this.frames = new FrameReader(channel, maxFrameBytes);
    this.pending = pending;
    this.thread = Thread.ofPlatform().name("orbitkv-client-reader").daemon().unstarted(this::run);
  }

  void start() {
    thread.start();
  }

  void countInto(Counters target) {
    counters = target;
  }

  /** Why the connection ended, or null. */
  @Nullable String endReason() {
    return endReason;
  }

  /** From now on the end is the client's own wish. */
  void closing() {
    closing = true;
  }

  /** From now on the end is due to what somebody else found wrong. */
  void poison(String reason) {
    poison = reason;
  }

  /** Waits until the connection ended; null when it has not. */
  @Nullable String awaitEnd(Duration limit) {
    boolean interrupted = Thread.interrupted();
    try {
      long deadline = System.nanoTime() + limit.toNanos();
      while (true) {
        try {
          return ended.await(deadline - System.nanoTime(), TimeUnit.NANOSECONDS) ? endReason : null;
        } catch (InterruptedException again) {
          interrupted = true;
        }
      }
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  /** Waits for the thread, which ends since its channel is closed. */
  void join() {
    boolean interrupted = false;
    while (true) {
      try {
        thread.join();
        break;
      } catch (InterruptedException again) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  private void run() {
    String reason;
    try {
      read();
      reason = goodbye == null ? "the Manager ended it" : goodbye;
    } catch (ProtocolException malformed) {
      reason = "the Manager sent what is no message (" + malformed.getMessage() + ")";
    } catch (IOException failure) {
      reason = goodbye == null ? String.valueOf(failure) : goodbye;
    } catch (RuntimeException | Error broken) {
      // A fault of this client: nobody may wait for a thread that is gone.
      reason = "the reader failed (" + broken + ")";
    }
    String found = poison;
    if (closing) {
      end(BY_CLIENT);
    } else {
      end(found == null ? reason : found);
    }
  }

  private void read() throws IOException {
    while (true) {
      Frame frame = frames.next();
      if (frame == null) {
        return;
      }
      ServerMessage message = codec.decode(frame);
      if (message instanceof ServerMessage.Welcome welcome) {
        if (epoch != 0) {
          throw new ProtocolException("a second one", "Welcome");
        }
        epoch = welcome.epoch();
      } else if (message instanceof ServerMessage.Refused refused && refused.operation() == 0) {
        goodbye = "the Manager refused to go on, [" + refused.error() + "] " + refused.message();
        continue;
      } else if (epoch != 0 && frame.header().epoch() != epoch) {
        throw new ProtocolException(
            "epoch [" + frame.header().epoch() + "] instead of [" + epoch + "]", "frame header");
      }
      dispatch(message);
    }
  }

  private void dispatch(ServerMessage message) throws ProtocolException {
    Pending waiting = pending.get(message.operation());
    switch (waiting) {
      case null -> counters.lateReplies.increment();
      case Request request -> {
        if (!request.accepts(message)) {
          throw new ProtocolException(
              "no reply to request [" + message.operation() + "]",
              message.getClass().getSimpleName());
        }
        pending.remove(message.operation());
        request.replied(message);
      }
      case Operation operation -> {
        switch (message) {
          case ServerMessage.Answer answer -> {
            if (!operation.answered(answer)) {
              throw new ProtocolException(
                  "no answer to operation ["
                      + operation.id()
                      + "]: ["
                      + answer.state()
                      + "] with ["
                      + answer.hits()
                      + "] pages",
                  "Answer");
            }
          }
          case ServerMessage.Refused refused -> operation.refused(refused);
          case ServerMessage.Candidates candidates -> {
            if (!(operation instanceof Discovery discovery) || !discovery.found(candidates)) {
              throw new ProtocolException(
                  "no answer to operation [" + operation.id() + "]", "Candidates");
            }
          }
          case ServerMessage.Welcome _,
              ServerMessage.Registered _,
              ServerMessage.Attached _,
              ServerMessage.Done _,
              ServerMessage.StatusReport _,
              ServerMessage.MetricsReport _,
              ServerMessage.PolicyReport _,
              ServerMessage.Echo _ ->
              throw new ProtocolException(
                  "operation [" + operation.id() + "] is no control request",
                  message.getClass().getSimpleName());
        }
      }
    }
  }

  private void end(String reason) {
    endReason = reason;
    try {
      channel.close();
    } catch (IOException ignored) {
      // It is of no use any more either way.
      closing = true;
    }
    frames.close();
    for (Pending waiting : pending.values()) {
      waiting.ended(reason);
    }
    pending.clear();
    ended.countDown();
  }
}
