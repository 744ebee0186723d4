package io.orbitkv.client;

import io.orbitkv.wire.Features;
import io.orbitkv.wire.Protocol;
import java.time.Duration;
import java.util.function.LongSupplier;

/**
 * How a client behaves.
 *
 * @param clientName name and version of the software, for the Manager's log
 * @param features bits of {@link Features} that the client wants
 * @param connectTimeout for the answer to Hello
 * @param requestTimeout for the answer to a control request
 * @param repairDelay how long the status board may be silent about an operation before the client
 *     asks over the socket, and after an answer that is not the end how long until it asks again
 * @param maxFrameBytes largest frame that the client accepts
 * @param nanoClock monotonic time in nanoseconds, for repairs and for the limits of waits
 */
public record ClientOptions(
    String clientName,
    long features,
    Duration connectTimeout,
    Duration requestTimeout,
    Duration repairDelay,
    int maxFrameBytes,
    LongSupplier nanoClock) {
  /** The usual behaviour. */
  public static ClientOptions defaults(String clientName) {
    return new ClientOptions(
        clientName,
        Features.BOARD
            | Features.PREPARE
            | Features.QUEUE
            | Features.RECOVERY
            | Features.WARM
            | Features.STAGED,
        Duration.ofSeconds(10),
        Duration.ofSeconds(60),
        Duration.ofMillis(50),
        Protocol.DEFAULT_MAX_FRAME_BYTES,
        System::nanoTime);
  }

  /** With other features. */
  public ClientOptions withFeatures(long wanted) {
    return new ClientOptions(
        clientName, wanted, connectTimeout, requestTimeout, repairDelay, maxFrameBytes, nanoClock);
  }

  /** With another limit of the answer to Hello. */
  public ClientOptions withConnectTimeout(Duration timeout) {
    return new ClientOptions(
        clientName, features, timeout, requestTimeout, repairDelay, maxFrameBytes, nanoClock);
  }

  /** With another limit of control requests. */
  public ClientOptions withRequestTimeout(Duration timeout) {
    return new ClientOptions(
        clientName, features, connectTimeout, timeout, repairDelay, maxFrameBytes, nanoClock);
  }

  /** With another patience with the status board. */
  public ClientOptions withRepairDelay(Duration delay) {
    return new ClientOptions(
        clientName, features, connectTimeout, requestTimeout, delay, maxFrameBytes, nanoClock);
  }

  /** With another largest frame. */
  public ClientOptions withMaxFrameBytes(int bytes) {
    return new ClientOptions(
        clientName, features, connectTimeout, requestTimeout, repairDelay, bytes, nanoClock);
  }

  /** With another clock. */
  public ClientOptions withNanoClock(LongSupplier clock) {
    return new ClientOptions(
        clientName, features, connectTimeout, requestTimeout, repairDelay, maxFrameBytes, clock);
  }
}
