package io.orbitkv.manager.live;

import io.orbitkv.kernel.Command;
import io.orbitkv.kernel.Event;
import io.orbitkv.kernel.KernelStatus;
import io.orbitkv.manager.dispatch.KernelPort;
import io.orbitkv.manager.dispatch.PolicyFigures;
import io.orbitkv.manager.dispatch.PolicyPort;
import io.orbitkv.manager.dispatch.VariantCounters;
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
public final class Experiments implements PolicyPort {
  private static final Logger log = LoggerFactory.getLogger(Experiments.class);

  private final PolicyHost host;
  private final KernelPort kernel;
  private final BlockMeter meter;
  private final ExperimentBook book;
  private final int cell;
  private final LongSupplier clock;
  private final VariantBook variants = new VariantBook();
  private Consumer<Event> reports = event -> {};
  private @Nullable RunningExperiment running;

  /**
   * No experiment.
   *
   * @param book of all cells of the Manager
   * @param cell whose this is, from 0
   */
  public Experiments(
      PolicyHost host,
      KernelPort kernel,
      BlockMeter meter,
      ExperimentBook book,
      int cell,
      LongSupplier clock) {
    this.host = host;
    this.kernel = kernel;
    this.meter = meter;
    this.book = book;
    this.cell = cell;
    this.clock = clock;
  }

  /**
   * Starts an experiment, or goes on with one after a restart; before the dispatcher starts on the
   * boot thread.
   *
   * @return what the kernel is to hear before anything else
   */
  Optional<Event> start(ExperimentRecord record, RunningExperiment.Plans plans, boolean resumed) {
    RunningExperiment started = new RunningExperiment(record, plans, host, kernel, cell, resumed);
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

  /** Ends the experiment if it is still that one. */
  Optional<Event> stop(ExperimentRecord.Terms terms, ExperimentRecord.State how, String why) {
    RunningExperiment now = running;
    return now != null && now.record().terms().equals(terms) ? stop(how, why) : Optional.empty();
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
    Arm alone = now.record().running() ? now.alone() : null;
    String variant = alone == null ? VariantCounters.NONE : alone.name();
    if (!variants.current().equals(variant)) {
      variants.change(variant, VariantCounters.of(kernel.status()));
    }
    book.keep(cell, now.record(), now.startedNanos());
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

  @Override
  public VariantCounters variants(KernelStatus status) {
    return variants.at(VariantCounters.of(status));
  }
}
