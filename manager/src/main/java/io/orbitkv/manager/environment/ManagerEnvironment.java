package io.orbitkv.manager.environment;

import io.orbitkv.api.memory.NumaTopology;
import io.orbitkv.manager.numa.SystemNumaTopology;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.function.IntConsumer;
import java.util.function.LongSupplier;
import java.util.random.RandomGenerator;

/**
 * What a Manager takes from its surroundings, so that a test can hand it something else.
 *
 * @param nanoClock monotonic nanoseconds
 * @param random names leases, so it must be one that nobody can predict
 * @param numa nodes to spread the pool over
 * @param fatalExit ends the process with the given exit status when an invariant is broken
 * @param helloTimeout how long a connection may stay silent before its Hello
 * @param lingerTimeout how long a closing session waits for its client to read the reason
 * @param graceTimeout how long a drain waits for operations under way before it ends the sessions
 * @param shutdownTimeout how long {@link Manager#close} waits until everything has drained
 * @param firstChunkTimeout how long a start waits for the first part of the pool
 */
public record ManagerEnvironment(
    LongSupplier nanoClock,
    RandomGenerator random,
    NumaTopology numa,
    IntConsumer fatalExit,
    Duration helloTimeout,
    Duration lingerTimeout,
    Duration graceTimeout,
    Duration shutdownTimeout,
    Duration firstChunkTimeout) {
  /** The machine's own clock, nodes and chance, and the times of the specification. */
  public static ManagerEnvironment system() {
    return new ManagerEnvironment(
        System::nanoTime,
        new SecureRandom(),
        SystemNumaTopology.detect(),
        // Not exit: hooks and other threads must not run on a state that is not to be trusted.
        status -> Runtime.getRuntime().halt(status),
        Duration.ofSeconds(5),
        Duration.ofSeconds(1),
        Duration.ofSeconds(5),
        Duration.ofSeconds(30),
        Duration.ofMillis(800));
  }

  /** The same with another clock. */
  public ManagerEnvironment withClock(LongSupplier clock) {
    return new ManagerEnvironment(
        clock,
        random,
        numa,
        fatalExit,
        helloTimeout,
        lingerTimeout,
        graceTimeout,
        shutdownTimeout,
        firstChunkTimeout);
  }

  /** The same with another exit for broken invariants. */
  public ManagerEnvironment withFatalExit(IntConsumer exit) {
    return new ManagerEnvironment(
        nanoClock,
        random,
        numa,
        exit,
        helloTimeout,
        lingerTimeout,
        graceTimeout,
        shutdownTimeout,
        firstChunkTimeout);
  }

  /** The same with other times for the end. */
  public ManagerEnvironment withEnd(Duration grace, Duration shutdown) {
    return new ManagerEnvironment(
        nanoClock,
        random,
        numa,
        fatalExit,
        helloTimeout,
        lingerTimeout,
        grace,
        shutdown,
        firstChunkTimeout);
  }

  /** The same with other nodes. */
  public ManagerEnvironment withNuma(NumaTopology topology) {
    return new ManagerEnvironment(
        nanoClock,
        random,
        topology,
        fatalExit,
        helloTimeout,
        lingerTimeout,
        graceTimeout,
        shutdownTimeout,
        firstChunkTimeout);
  }
}
