package io.orbitkv.manager.boot;

import io.orbitkv.kernel.Event;
import io.orbitkv.kernel.KernelSettings;
import io.orbitkv.kernel.KernelStatus;
import io.orbitkv.manager.admin.StatusReporter;
import io.orbitkv.manager.dispatch.Cells;
import io.orbitkv.manager.live.ExperimentBook;
import io.orbitkv.manager.live.ExperimentControl;
import io.orbitkv.manager.metrics.MetricsReporter;
import io.orbitkv.manager.session.SessionServer;
import io.orbitkv.manager.shadow.Shadows;
import io.orbitkv.manager.thread.Timers;
import jakarta.inject.Inject;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
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

  private final RunningCell.All running;
  private final Cells cells;
  private final Timers timers;
  private final SessionServer server;
  private final Shadows shadows;
  private final ExperimentBook experiments;
  private final ExperimentControl control;
  private final StatusReporter reporter;
  private final MetricsReporter metrics;

  @Inject
  Daemon(
      RunningCell.All running,
      Cells cells,
      Timers timers,
      SessionServer server,
      Shadows shadows,
      ExperimentBook experiments,
      ExperimentControl control,
      StatusReporter reporter,
      MetricsReporter metrics) {
    this.running = running;
    this.cells = cells;
    this.timers = timers;
    this.server = server;
    this.shadows = shadows;
    this.experiments = experiments;
    this.control = control;
    this.reporter = reporter;
    this.metrics = metrics;
  }

  /** Starts the dispatchers and the touching of the pool; an experiment goes on. */
  void start() {
    control.resume();
    for (RunningCell cell : running.cells()) {
      cell.start();
      timers.every(KernelSettings.TICK, cell.dispatcher()::tick);
    }
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

  Cells cells() {
    return cells;
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
    CompletableFuture<Void> drained = cells.drained();
    for (Cells.Cell cell : cells.all()) {
      if (!cell.dispatcher().submit(new Event.Drain())) {
        return false;
      }
    }
    long graceEnd = start + Math.min(grace.toNanos(), limit.toNanos());
    while (!drained.isDone() && System.nanoTime() - graceEnd < 0 && workIsUnderWay()) {
      await(drained, LOOK_NANOS);
    }
    server.endSessions("the Manager is ending: reconnect to the next one");
    long end = start + limit.toNanos();
    while (!await(drained, Math.min(LOOK_NANOS, end - System.nanoTime()))) {
      if (System.nanoTime() - end >= 0 || cells.ended().isDone() || onlyStuckIsLeft()) {
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
    running.cells().forEach(RunningCell::end);
    server.release();
    // Before the plugins whose classes they are.
    shadows.close();
    running.cells().forEach(RunningCell::release);
    experiments.close();
  }

  private List<Long> stuck() {
    return running.cells().stream().flatMap(cell -> cell.devices().stuck().stream()).toList();
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
    if (stuck().isEmpty()) {
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
          && status.instances() <= stuck().size();
    } catch (IllegalStateException ended) {
      return true;
    }
  }

  private boolean await(CompletableFuture<Void> drained, long nanos) throws InterruptedException {
    CompletableFuture<Object> either = CompletableFuture.anyOf(drained, cells.ended());
    try {
      either.get(Math.max(0, nanos), TimeUnit.NANOSECONDS);
    } catch (TimeoutException | ExecutionException notYet) {
      return drained.isDone();
    }
    return drained.isDone();
  }

  private boolean saysWhatIsHeld() {
    if (!stuck().isEmpty()) {
      log.error(
          "the device memory of registrations {} could not be closed: the lines above say why",
          stuck());
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
