package io.orbitkv.workload.replay;

import io.orbitkv.workload.engine.EngineGeometry;
import io.orbitkv.workload.trace.EnginePace;
import io.orbitkv.workload.trace.PageKeys;

/**
 * How a trace is replayed.
 *
 * @param pageTokens tokens in a page; divides 512
 * @param bytesPerToken bytes of a token over all layers
 * @param layers layers of the modelled engine, each with K and V apart
 * @param deviceBytes size of the engine's device memory
 * @param concurrency requests in the engine at one time
 * @param speed with a positive value requests arrive at their timestamps divided by it; 0 is a
 *     closed loop, in which the next request enters as soon as there is room
 * @param maxRequests requests taken from the trace
 * @param pace how fast the engine computes
 * @param lockstep whether the Manager has nothing left to do before the next step of a request
 *     begins, and the device keeps nothing from one request to the next: then what policies decide
 *     depends on the trace alone
 * @param instance name under which the engine registers, of which a divided Manager and an
 *     experiment by instance make their assignment; empty for a name of its own in each run
 */
public record ReplayOptions(
    int pageTokens,
    int bytesPerToken,
    int layers,
    long deviceBytes,
    int concurrency,
    double speed,
    long maxRequests,
    EnginePace pace,
    boolean lockstep,
    String instance) {
  /** Largest concurrency: a session's limit on pending operations. */
  public static final int MAX_CONCURRENCY = 128;

  /**
   * Checks the values, and that a page divides as the engine's layout needs it.
   *
   * @throws IllegalArgumentException naming what does not fit
   */
  public ReplayOptions {
    PageKeys.requirePageTokens(pageTokens);
    if (concurrency < 1 || concurrency > MAX_CONCURRENCY) {
      throw new IllegalArgumentException(
          "concurrency [" + concurrency + "] must be 1 to " + MAX_CONCURRENCY);
    }
    if (!(speed >= 0 && speed <= 1e9)) {
      throw new IllegalArgumentException("speed [" + speed + "] must be 0 (closed loop) to 1e9");
    }
    if (lockstep && (concurrency != 1 || speed != 0)) {
      throw new IllegalArgumentException(
          "in lockstep one request comes after the other, as soon as that is over: concurrency ["
              + concurrency
              + "] must be 1, and there is no speed");
    }
    if (maxRequests < 1) {
      throw new IllegalArgumentException("requests [" + maxRequests + "] must be at least 1");
    }
    EngineGeometry.fitting(pageTokens, bytesPerToken, layers, deviceBytes);
  }

  /** An engine whose name is another one in each run. */
  public ReplayOptions(
      int pageTokens,
      int bytesPerToken,
      int layers,
      long deviceBytes,
      int concurrency,
      double speed,
      long maxRequests,
      EnginePace pace,
      boolean lockstep) {
    this(
        pageTokens,
        bytesPerToken,
        layers,
        deviceBytes,
        concurrency,
        speed,
        maxRequests,
        pace,
        lockstep,
        "");
  }

  /** An engine that computes in no time. */
  public ReplayOptions(
      int pageTokens,
      int bytesPerToken,
      int layers,
      long deviceBytes,
      int concurrency,
      double speed,
      long maxRequests) {
    this(
        pageTokens,
        bytesPerToken,
        layers,
        deviceBytes,
        concurrency,
        speed,
        maxRequests,
        EnginePace.NONE,
        false);
  }

  /** An engine whose steps follow one another at once. */
  public ReplayOptions(
      int pageTokens,
      int bytesPerToken,
      int layers,
      long deviceBytes,
      int concurrency,
      double speed,
      long maxRequests,
      EnginePace pace) {
    this(
        pageTokens,
        bytesPerToken,
        layers,
        deviceBytes,
        concurrency,
        speed,
        maxRequests,
        pace,
        false);
  }

  /** The same with so many requests at most. */
  public ReplayOptions withMaxRequests(long requests) {
    return new ReplayOptions(
        pageTokens,
        bytesPerToken,
        layers,
        deviceBytes,
        concurrency,
        speed,
        requests,
        pace,
        lockstep,
        instance);
  }

  /** The same of an engine that registers under this name. */
  public ReplayOptions withInstance(String name) {
    return new ReplayOptions(
        pageTokens,
        bytesPerToken,
        layers,
        deviceBytes,
        concurrency,
        speed,
        maxRequests,
        pace,
        lockstep,
        name);
  }

  /** The engine's layout. */
  EngineGeometry geometry() {
    return EngineGeometry.fitting(pageTokens, bytesPerToken, layers, deviceBytes);
  }

  /** Whether requests enter as soon as there is room. */
  public boolean closedLoop() {
    return speed == 0;
  }
}
