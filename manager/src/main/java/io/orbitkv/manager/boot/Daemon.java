package io.orbitkv.manager.boot;

import io.orbitkv.api.memory.MemoryTier;
import io.orbitkv.kernel.Event;
import io.orbitkv.kernel.KernelSettings;
import io.orbitkv.kernel.KernelStatus;
import io.orbitkv.manager.admin.StatusReporter;
import io.orbitkv.manager.dispatch.BackingPort;
import io.orbitkv.manager.dispatch.ChunkRegistration;
import io.orbitkv.manager.dispatch.DeviceThread;
import io.orbitkv.manager.dispatch.Dispatcher;
import io.orbitkv.manager.live.ExperimentControl;
import io.orbitkv.manager.live.Experiments;
import io.orbitkv.manager.metrics.MetricsReporter;
import io.orbitkv.manager.policy.PolicyHost;
import io.orbitkv.manager.session.SessionServer;
import io.orbitkv.manager.shadow.Shadows;
import io.orbitkv.manager.thread.Timers;
import jakarta.inject.Inject;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The running parts of one Manager, and the order in which they come and go. Boot thread. */
final class Daemon implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(Daemon.class);
  private static final long LOOK_NANOS = 20_000_000;

  private final Dispatcher dispatcher;
  private final DeviceThread devices;
  private final BackingPort backing;
  private final ChunkRegistration chunks;
  private final MemoryTier memory;
  private final Timers timers;
  private final SessionServer server;
  private final PolicyHost policies;
  private final Shadows shadows;
  private final Experiments experiments;
  private final ExperimentControl control;
  private final StatusReporter reporter;
  private final MetricsReporter metrics;

  @Inject
  Daemon(
      Dispatcher dispatcher,
      DeviceThread devices,
      BackingPort backing,
      ChunkRegistration chunks,
      MemoryTier memory,
      Timers timers,
      SessionServer server,
      PolicyHost policies,
      Shadows shadows,
      Experiments experiments,
      ExperimentControl control,
      StatusReporter reporter,
      MetricsReporter metrics) {
    this.dispatcher = dispatcher;
    this.devices = devices;
    this.backing = backing;
    this.chunks = chunks;
    this.memory = memory;
    this.timers = timers;
    this.server = server;
    this.policies = policies;
    this.shadows = shadows;
    this.experiments = experiments;
    this.control = control;
    this.reporter = reporter;
    this.metrics = metrics;
  }

  /** Starts the dispatcher and the touching of the pool; an experiment goes on. */
  void start() {
    control.resume().ifPresent(dispatcher::report);
    dispatcher.start();
    memory.prepare(chunks);
    timers.every(KernelSettings.TICK, dispatcher::tick);
  }

  /** Lets clients in. */
  void serve(Path socket) throws IOException {
    server.start(socket);
  }

  StatusReporter reporter() {
    return reporter;
  }

  MetricsReporter metrics() {
    return metrics;
  }

  Dispatcher dispatcher() {
    return dispatcher;
  }

  /**
   * Takes nothing new, lets what is under way finish for a while, ends the sessions and waits for
   * their work to drain.
   *
   * @return whether nothing is left
   */
  boolean drain(Duration grace, Duration limit) throws InterruptedException {
    long start = System.nanoTime();
    reporter.draining();
    server.stopAccepting();
    CompletableFuture<Void> drained = dispatcher.drained();
    if (!dispatcher.submit(new Event.Drain())) {
      return false;
    }
    long graceEnd = start + Math.min(grace.toNanos(), limit.toNanos());
    while (!drained.isDone() && System.nanoTime() - graceEnd < 0 && workIsUnderWay()) {
      await(drained, LOOK_NANOS);
    }
    server.endSessions("the Manager is ending: reconnect to the next one");
    long end = start + limit.toNanos();
    while (!await(drained, Math.min(LOOK_NANOS, end - System.nanoTime()))) {
      if (System.nanoTime() - end >= 0 || dispatcher.ended().isDone() || onlyStuckIsLeft()) {
        return saysWhatIsHeld();
      }
    }
    return true;
  }

  /** Ends every part, in reverse. Everything has drained, or nobody waits for it any more. */
  @Override
  public void close() {
    server.close();
    timers.close();
    chunks.close();
    dispatcher.close();
    server.release();
    backing.close();
    devices.close();
    // Before the plugins whose classes they are.
    shadows.close();
    policies.close();
    experiments.close();
  }

  private boolean workIsUnderWay() {
    try {
      KernelStatus status = reporter.kernel();
      return status.operations() > 0
          || status.copies() > 0
          || status.reads() > 0
          || status.writes() > 0;
    } catch (IllegalStateException ended) {
      return false;
    }
  }

  // A device memory that could not be closed never will be: no need to wait for it.
  private boolean onlyStuckIsLeft() {
    if (devices.stuck().isEmpty()) {
      return false;
    }
    try {
      KernelStatus status = reporter.kernel();
      return status.sessions() == 0
          && status.operations() == 0
          && status.leases() == 0
          && status.copies() == 0
          && status.reads() == 0
          && status.writes() == 0
          && status.instances() <= devices.stuck().size();
    } catch (IllegalStateException ended) {
      return true;
    }
  }

  private boolean await(CompletableFuture<Void> drained, long nanos) throws InterruptedException {
    CompletableFuture<Object> either = CompletableFuture.anyOf(drained, dispatcher.ended());
    try {
      either.get(Math.max(0, nanos), TimeUnit.NANOSECONDS);
    } catch (TimeoutException | ExecutionException notYet) {
      return drained.isDone();
    }
    return drained.isDone();
  }

  private boolean saysWhatIsHeld() {
    if (!devices.stuck().isEmpty()) {
      log.error(
          "the device memory of registrations {} could not be closed: the lines above say why",
          devices.stuck());
    }
    try {
      KernelStatus status = reporter.kernel();
      log.error(
          "not everything has drained: [{}] sessions, [{}] instances, [{}] operations, [{}] leases,"
              + " [{}] copies, [{}] reads, [{}] writes, [{}] reserved bytes",
          status.sessions(),
          status.instances(),
          status.operations(),
          status.leases(),
          status.copies(),
          status.reads(),
          status.writes(),
          status.reservedBytes());
    } catch (IllegalStateException ended) {
      log.error("the dispatcher has ended before everything had drained");
    }
    return false;
  }
}
