package io.orbitkv.workload.replay;

import io.orbitkv.client.ClientOptions;
import io.orbitkv.client.OrbitKvClient;
import io.orbitkv.client.OrbitKvException;
import io.orbitkv.workload.engine.EngineCounters;
import io.orbitkv.workload.engine.EngineModel;
import io.orbitkv.workload.engine.Steps;
import io.orbitkv.workload.report.ServedRequest;
import io.orbitkv.workload.trace.TraceRequest;
import io.orbitkv.workload.trace.TraceSource;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * One replay of a trace against the Manager at a socket. The calling thread reads the trace and
 * hands requests to a fixed number of threads, each of which plays one request at a time.
 */
public final class Replay {
  /** How long the Manager may take to settle after the engine has left it. */
  private static final long SETTLE_NANOS = Duration.ofSeconds(10).toNanos();

  private static final long SETTLE_PAUSE_MILLIS = 5;
  private static final Duration SYNC_LIMIT = Duration.ofSeconds(60);
  private static final String CLIENT_NAME = "orbitkv-replay";

  private final ReplayOptions options;
  private final Path socket;
  private final TraceSource trace;
  private final long seed;
  private final Consumer<ServedRequest> served;
  private final Consumer<TraceRequest> begins;
  private final EngineCounters counters = new EngineCounters();

  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();
  // Guarded by lock.
  private @Nullable TraceRequest handed;
  private boolean ended;
  private boolean cancelled;
  private @Nullable Throwable failure;
  private List<Thread> threads = List.of();
  private volatile long startedNanos;

  /**
   * A replay that has not begun.
   *
   * @param trace stays the caller's to close
   * @param seed for the report; 0 for a file
   */
  public Replay(ReplayOptions options, Path socket, TraceSource trace, long seed) {
    this(options, socket, trace, seed, _ -> {});
  }

  /**
   * A replay that has not begun.
   *
   * @param trace stays the caller's to close
   * @param seed for the report; 0 for a file
   * @param served told of each request once its prompt is there; called by several threads
   */
  public Replay(
      ReplayOptions options,
      Path socket,
      TraceSource trace,
      long seed,
      Consumer<ServedRequest> served) {
    this(options, socket, trace, seed, served, _ -> {});
  }

  /**
   * A replay that has not begun.
   *
   * @param trace stays the caller's to close
   * @param seed for the report; 0 for a file
   * @param served told of each request once its prompt is there; called by several threads
   * @param begins told of each request before anything is done for it; called by several threads
   */
  public Replay(
      ReplayOptions options,
      Path socket,
      TraceSource trace,
      long seed,
      Consumer<ServedRequest> served,
      Consumer<TraceRequest> begins) {
    this.options = options;
    this.socket = socket;
    this.trace = trace;
    this.seed = seed;
    this.served = served;
    this.begins = begins;
  }

  /**
   * Runs to the end of the trace or to {@link #cancel}, and cleans up after itself.
   *
   * @throws ConnectionLostException when the Manager goes away while requests are played
   * @throws IOException when the Manager cannot be reached
   * @throws io.orbitkv.workload.trace.TraceException when the trace is not usable from some place
   *     on
   * @throws io.orbitkv.client.OrbitKvException when the Manager refuses or goes away
   */
  public ReplayResult run() throws IOException, InterruptedException {
    ManagerFigures before = figures();
    try {
      return run(before);
    } catch (IOException | OrbitKvException failure) {
      // A refusal is a refusal only as long as somebody is there.
      if (startedNanos == 0 || (failure instanceof OrbitKvException && reachable())) {
        throw failure;
      }
      throw new ConnectionLostException(socket, counters.requests.sum(), failure);
    }
  }

  private ReplayResult run(ManagerFigures before) throws IOException, InterruptedException {
    long durationNanos;
    long deviceVerified;
    boolean partial;
    // Closed in the reverse order: the connection first, so that nothing is told to touch the
    // memory any more.
    try (DeviceMemoryOwner owner = new DeviceMemoryOwner();
        OrbitKvClient client = connect()) {
      String instance =
          options.instance().isEmpty()
              ? "replay-" + ProcessHandle.current().pid() + "-" + randomName()
              : options.instance();
      EngineModel engine =
          EngineModel.register(
              client,
              instance,
              trace.identity(),
              options.geometry(),
              counters,
              served,
              options.pace(),
              options.lockstep() ? () -> settle(client) : Steps.FREE);
      owner.own(engine);
      if (options.lockstep()) {
        settle(client);
      }
      startedNanos = System.nanoTime();
      play(engine);
      durationNanos = System.nanoTime() - startedNanos;
      if (before.backingTier().isEmpty()) {
        client.sync(SYNC_LIMIT);
      } else {
        // The figures of the store are complete once everything is written.
        client.syncDurable(SYNC_LIMIT);
      }
      deviceVerified = engine.verifyDeviceCache();
      engine.unregister();
    }
    lock.lock();
    try {
      partial = cancelled;
    } finally {
      lock.unlock();
    }
    return result(before, settled(), partial, durationNanos, deviceVerified);
  }

  /** Waits until the Manager has nothing left to do. */
  private static void settle(OrbitKvClient client) throws InterruptedException {
    client.policy("{\"do\": \"settle\"}");
  }

  /** Any thread. Takes no further request from the trace; those that run are finished. */
  public void cancel() {
    lock.lock();
    try {
      cancelled = true;
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /** Any thread. */
  public ReplayProgress progress() {
    long started = startedNanos;
    long pageBytes = options.geometry().pageBytes();
    return new ReplayProgress(
        counters.requests.sum() + counters.rejected.sum(),
        counters.pages.sum(),
        counters.restored.sum(),
        (counters.restored.sum() + counters.published.sum()) * pageBytes,
        started == 0 ? 0 : System.nanoTime() - started);
  }

  private void play(EngineModel engine) throws InterruptedException {
    List<Thread> workers = new ArrayList<>();
    for (int i = 0; i < options.concurrency(); i++) {
      workers.add(
          Thread.ofPlatform().name("orbitkv-engine-" + i).daemon().unstarted(() -> work(engine)));
    }
    lock.lock();
    try {
      threads = List.copyOf(workers);
    } finally {
      lock.unlock();
    }
    workers.forEach(Thread::start);
    try {
      feed();
    } catch (InterruptedException | RuntimeException problem) {
      fail(problem);
    }
    end();
    for (Thread thread : workers) {
      thread.join();
    }
    lock.lock();
    try {
      rethrow(failure);
    } finally {
      lock.unlock();
    }
  }

  private void feed() throws InterruptedException {
    for (long fed = 0; fed < options.maxRequests(); fed++) {
      TraceRequest request = trace.next();
      if (request == null || !awaitArrival(request) || !hand(request)) {
        return;
      }
    }
  }

  /** Returns false when the replay is over before. */
  private boolean awaitArrival(TraceRequest request) throws InterruptedException {
    if (options.closedLoop()) {
      return true;
    }
    long dueNanos = startedNanos + (long) (request.arrivalNanos() / options.speed());
    lock.lock();
    try {
      long left = dueNanos - System.nanoTime();
      while (left > 0 && !cancelled && failure == null) {
        var _ = changed.awaitNanos(left);
        left = dueNanos - System.nanoTime();
      }
      return !cancelled && failure == null;
    } finally {
      lock.unlock();
    }
  }

  /** Waits until a thread takes the request. Returns false when the replay is over before. */
  private boolean hand(TraceRequest request) throws InterruptedException {
    lock.lock();
    try {
      while (handed != null && !cancelled && failure == null) {
        changed.await();
      }
      if (cancelled || failure != null) {
        return false;
      }
      handed = request;
      changed.signalAll();
      return true;
    } finally {
      lock.unlock();
    }
  }

  private void work(EngineModel engine) {
    try {
      for (TraceRequest request = take(); request != null; request = take()) {
        begins.accept(request);
        engine.serve(request);
      }
    } catch (InterruptedException | RuntimeException | Error problem) {
      fail(problem);
    }
  }

  private @Nullable TraceRequest take() throws InterruptedException {
    lock.lock();
    try {
      while (handed == null && !ended && !cancelled && failure == null) {
        changed.await();
      }
      if (cancelled || failure != null) {
        return null;
      }
      TraceRequest request = handed;
      handed = null;
      changed.signalAll();
      return request;
    } finally {
      lock.unlock();
    }
  }

  private void end() {
    lock.lock();
    try {
      ended = true;
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /** Ends the replay. Whoever waits for device pages that the failed request keeps is woken up. */
  private void fail(Throwable problem) {
    lock.lock();
    try {
      if (failure == null) {
        failure = problem;
        threads.forEach(Thread::interrupt);
      }
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  private static void rethrow(@Nullable Throwable problem) throws InterruptedException {
    switch (problem) {
      case null -> {}
      case InterruptedException interrupted -> throw interrupted;
      case RuntimeException unchecked -> throw unchecked;
      case Error error -> throw error;
      default -> throw new IllegalStateException(problem);
    }
  }

  /**
   * The Manager's figures once nothing of this replay is left in it, or after the settling time as
   * they are then.
   */
  private ManagerFigures settled() throws IOException, InterruptedException {
    long deadline = System.nanoTime() + SETTLE_NANOS;
    try (OrbitKvClient client = connect()) {
      ManagerFigures figures = ManagerFigures.parse(client.status());
      while (!figures.drained() && System.nanoTime() < deadline) {
        Thread.sleep(SETTLE_PAUSE_MILLIS);
        figures = ManagerFigures.parse(client.status());
      }
      return figures;
    }
  }

  private ManagerFigures figures() throws IOException, InterruptedException {
    try (OrbitKvClient client = connect()) {
      return ManagerFigures.parse(client.status());
    }
  }

  private boolean reachable() throws InterruptedException {
    try (OrbitKvClient client = connect()) {
      return client.connected();
    } catch (IOException | OrbitKvException gone) {
      return false;
    }
  }

  private OrbitKvClient connect() throws IOException, InterruptedException {
    return OrbitKvClient.connect(socket, ClientOptions.defaults(CLIENT_NAME));
  }

  private ReplayResult result(
      ManagerFigures before,
      ManagerFigures after,
      boolean partial,
      long durationNanos,
      long deviceVerified) {
    // With other clients about, pages that are not findable may be theirs; alone, they are leaks.
    boolean alone = after.sessions() <= 1;
    return new ReplayResult(
        trace.name(),
        seed,
        options,
        partial,
        counters.requests.sum(),
        counters.rejected.sum(),
        counters.pages.sum(),
        counters.deviceHits.sum(),
        counters.restored.sum(),
        counters.computed.sum(),
        counters.published.sum(),
        counters.resident.sum(),
        counters.dropped.sum(),
        options.geometry().pageBytes(),
        counters.verified.sum(),
        deviceVerified,
        counters.wrongBytes.sum(),
        counters.restoreMisses.sum(),
        counters.copyFailures.sum(),
        counters.busy.sum(),
        counters.restore.percentiles(1e6),
        counters.query.percentiles(1e3),
        counters.publish.percentiles(1e6),
        after.leakedBytes() + (alone ? after.heldBytes() : 0),
        after.reservedPeakBytes(),
        after.reservedBytes(),
        after.counter("allocation_failures") - before.counter("allocation_failures"),
        after.counter("evicted_pages") - before.counter("evicted_pages"),
        after.counter("budget_waits") - before.counter("budget_waits"),
        StoreFigures.between(before, after),
        durationNanos);
  }

  /** Closes an engine that is made after the connection, but after the connection. */
  private static final class DeviceMemoryOwner implements AutoCloseable {
    private @Nullable EngineModel engine;

    void own(EngineModel registered) {
      engine = registered;
    }

    @Override
    public void close() {
      if (engine != null) {
        engine.close();
      }
    }
  }

  /** Instance names must differ between processes of different process namespaces too. */
  private static String randomName() {
    return HexFormat.of().toHexDigits(new SplittableRandom().nextLong());
  }
}
