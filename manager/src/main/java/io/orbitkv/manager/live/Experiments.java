package io.orbitkv.manager.live;

import io.orbitkv.kernel.Command;
import io.orbitkv.kernel.Event;
import io.orbitkv.manager.dispatch.KernelPort;
import io.orbitkv.manager.dispatch.PolicyFigures;
import io.orbitkv.manager.dispatch.PolicyPort;
import io.orbitkv.manager.policy.PolicyHost;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The host of policies with at most one experiment on it. Dispatcher, unless a method says
 * otherwise; time is the dispatcher's, and a turn begins between two events.
 */
public final class Experiments implements PolicyPort, AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(Experiments.class);

  private final PolicyHost host;
  private final KernelPort kernel;
  private final BlockMeter meter;
  private final StateFile file;
  private final LongSupplier clock;
  private Consumer<Event> reports = event -> {};
  private @Nullable RunningExperiment running;
  private volatile @Nullable Progress latest;

  /**
   * What is known of the last experiment.
   *
   * @param record as far as blocks are over
   * @param startedNanos of the block that is under way
   */
  record Progress(ExperimentRecord record, long startedNanos) {}

  /** No experiment. */
  public Experiments(
      PolicyHost host, KernelPort kernel, BlockMeter meter, StateFile file, LongSupplier clock) {
    this.host = host;
    this.kernel = kernel;
    this.meter = meter;
    this.file = file;
    this.clock = clock;
  }

  /** Any thread. The file of the state. */
  StateFile file() {
    return file;
  }

  /** Any thread. The last experiment, running or not; null before the first. */
  @Nullable Progress latest() {
    return latest;
  }

  /** Any thread. An experiment that could not go on, or the last one of an earlier start. */
  void remember(ExperimentRecord record) {
    latest = new Progress(record, clock.getAsLong());
  }

  /** Any thread. Whether one runs. */
  boolean isRunning() {
    Progress now = latest;
    return now != null && now.record().running();
  }

  /**
   * Starts an experiment, or goes on with one after a restart; before the dispatcher starts on the
   * boot thread.
   *
   * @return what the kernel is to hear before anything else
   */
  Optional<Event> start(ExperimentRecord record, RunningExperiment.Plans plans, boolean resumed) {
    RunningExperiment started = new RunningExperiment(record, plans, host, kernel, resumed);
    Optional<Event> told = started.begin(clock.getAsLong());
    running = started;
    meter.measure(started.queries());
    keep(started);
    return told;
  }

  /** Ends the experiment. */
  Optional<Event> stop(ExperimentRecord.State how, String why) {
    RunningExperiment now = running;
    if (now == null) {
      return Optional.empty();
    }
    Optional<Event> told = now.end(how, why);
    ended(now);
    return told;
  }

  private void ended(RunningExperiment now) {
    running = null;
    meter.measure(null);
    keep(now);
    log.info(
        "the experiment [{}] has ended ({}): the configured policies serve",
        now.record().terms().name(),
        now.record().reason());
  }

  private void keep(RunningExperiment now) {
    latest = new Progress(now.record(), now.startedNanos());
    file.write(now.record());
  }

  // ---- the dispatcher's side -----------------------------------------------------------------

  @Override
  public void connect(Consumer<Event> newReports, Runnable wake) {
    reports = newReports;
    host.connect(newReports, wake);
  }

  @Override
  public void advance(long nowNanos) {
    host.advance(nowNanos);
    RunningExperiment now = running;
    if (now != null && now.due(nowNanos)) {
      now.turn(nowNanos).ifPresent(reports);
      if (now.record().running()) {
        keep(now);
      } else {
        ended(now);
      }
    }
  }

  @Override
  public long nextDeadlineNanos() {
    RunningExperiment now = running;
    long next = host.nextDeadlineNanos();
    return now == null ? next : Math.min(next, now.nextNanos());
  }

  @Override
  public void ask(Command.ToPolicies question, long nowNanos) {
    host.ask(question, nowNanos);
  }

  @Override
  public void heard(Event event, long nowNanos) {
    host.heard(event, nowNanos);
  }

  @Override
  public void registered(Command.Registered registered) {
    host.registered(registered);
  }

  @Override
  public List<String> busy(long nowNanos) {
    return host.busy(nowNanos);
  }

  @Override
  public void patient(boolean patient) {
    host.patient(patient);
  }

  @Override
  public List<PolicyFigures> figures() {
    return host.figures();
  }

  /** After the dispatcher has ended. */
  @Override
  public void close() {
    file.close();
  }
}
