package io.orbitkv.client;

import io.orbitkv.wire.ServerMessage;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** A control request with exactly one reply. */
final class Request implements Pending {
  private final String name;
  private final Class<? extends ServerMessage> expected;
  private final CompletableFuture<ServerMessage> reply = new CompletableFuture<>();

  Request(String name, Class<? extends ServerMessage> expected) {
    this.name = name;
    this.expected = expected;
  }

  /** Whether the message can be the reply. */
  boolean accepts(ServerMessage message) {
    return message instanceof ServerMessage.Refused || expected.isInstance(message);
  }

  void replied(ServerMessage message) {
    if (message instanceof ServerMessage.Refused refused) {
      reply.completeExceptionally(new OrbitKvException(refused.error(), refused.message()));
    } else {
      reply.complete(message);
    }
  }

  @Override
  public void ended(String reason) {
    reply.completeExceptionally(new ConnectionClosedException(reason));
  }

  /**
   * Waits for the reply.
   *
   * @param type the expected one
   * @throws OrbitKvException when the request was refused, timed out, or the connection ended
   */
  <R extends ServerMessage> R await(Class<R> type, Duration timeout) throws InterruptedException {
    ServerMessage message;
    // Awake at first, as an operation is that waits for the board: what the two take can be
    // compared.
    for (int round = 0; !reply.isDone() && Patience.stayAwake(round); round++) {
      if (Thread.interrupted()) {
        throw new InterruptedException();
      }
    }
    try {
      message = reply.get(timeout.toNanos(), TimeUnit.NANOSECONDS);
    } catch (TimeoutException late) {
      throw new RequestTimedOutException(name, timeout);
    } catch (ExecutionException failed) {
      if (failed.getCause() instanceof OrbitKvException refused) {
        // Anew, so that the trace is the caller's; the code and the text are what counts.
        throw refused instanceof ConnectionClosedException
            ? refused
            : new OrbitKvException(refused.code(), String.valueOf(refused.getMessage()), refused);
      }
      throw new IllegalStateException(name, failed.getCause());
    }
    return type.cast(message);
  }
}
