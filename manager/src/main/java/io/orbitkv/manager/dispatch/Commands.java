package io.orbitkv.manager.dispatch;

import io.orbitkv.api.copy.CopyOutcome;
import io.orbitkv.api.copy.CopyPlan;
import io.orbitkv.api.copy.DeviceCopier;
import io.orbitkv.kernel.Command;
import io.orbitkv.kernel.Event;
import io.orbitkv.wire.ServerMessage;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Carries out what the kernel wants done: status boards are written, messages queued, plans and
 * device memory handed to their threads. Dispatcher; nothing here blocks.
 */
final class Commands {
  private final Map<Long, SessionPort> sessions = new LinkedHashMap<>();
  private final Copiers copiers;
  private final DeviceThread devices;
  private final BackingPort backing;
  private final PolicyPort policies;
  private final Consumer<Event> reports;
  private final CopyReports copies;
  private final Runnable drained;
  private final DispatchMeter meter;
  private long stepNanos;

  /**
   * @param policies hears questions
   * @param reports takes events of copiers and of the device thread, on their threads; never blocks
   * @param drained told that nothing is left after a drain
   * @param meter hears how long copies took
   */
  Commands(
      Copiers copiers,
      DeviceThread devices,
      BackingPort backing,
      PolicyPort policies,
      Consumer<Event> reports,
      Runnable drained,
      DispatchMeter meter) {
    this.copiers = copiers;
    this.devices = devices;
    this.backing = backing;
    this.policies = policies;
    this.reports = reports;
    copies = new CopyReports(reports);
    this.drained = drained;
    this.meter = meter;
  }

  void opened(SessionPort session) {
    sessions.put(session.number(), session);
  }

  /** The dispatcher has ended: nothing is written to any board any more. */
  void abandonSessions() {
    List.copyOf(sessions.values()).forEach(SessionPort::ended);
    sessions.clear();
    backing.abandon();
  }

  /**
   * Before the kernel sees an event: what the Manager itself keeps about it.
   *
   * @return whether the kernel is to see it
   */
  boolean before(Event event, long nowNanos) {
    stepNanos = nowNanos;
    if (event instanceof Event.CopyCompleted completed) {
      Copiers.Started started = copiers.reported(completed.plan());
      meter.copied(started.direction(), nowNanos - started.nanos());
    } else if (event instanceof Event.DeviceOpened opened) {
      copiers.opened(opened.registration(), opened.memory());
    } else if (event instanceof Event.DeviceFailed failed) {
      copiers.failedToOpen(failed.registration());
    } else if (event instanceof Event.Register
        || event instanceof Event.EngineStats
        || event instanceof Event.SessionClosed) {
      policies.heard(event, nowNanos);
    }
    return backing.reported(event);
  }

  /** Whether {@link #advance} has something to do. */
  boolean workWaits() {
    return backing.workWaits();
  }

  /** Goes on with what threads of the Manager's own have prepared; false when there is nothing. */
  boolean advance() {
    return backing.advance();
  }

  /** After the kernel's commands for an event were carried out. */
  void after(Event event) {
    if (event instanceof Event.SessionClosed closed) {
      SessionPort session = sessions.remove(closed.session());
      if (session != null) {
        session.ended();
      }
    } else if (event instanceof Event.CopyCompleted) {
      copiers.retry(copies);
    } else if (event instanceof Event.PageRead || event instanceof Event.PageWritten) {
      backing.retry();
    } else if (event instanceof Event.Tick) {
      copiers.retry(copies);
      backing.retry();
      backing.sample();
    }
  }

  void carryOut(Command command) {
    switch (command) {
      case Command.Answer answer -> answer(answer);
      case Command.Registered registered -> {
        policies.registered(registered);
        send(
            registered.session(),
            new ServerMessage.Registered(
                registered.operation(),
                registered.instance(),
                registered.generation(),
                registered.sealed(),
                registered.stageEvents()));
      }
      case Command.Attached attached ->
          send(
              attached.session(),
              new ServerMessage.Attached(
                  attached.operation(),
                  attached.instance(),
                  attached.generation(),
                  attached.worldSize(),
                  attached.pageTokens(),
                  attached.pageBytes()));
      case Command.Done done ->
          send(done.session(), new ServerMessage.Done(done.operation(), done.value()));
      case Command.Refused refused ->
          send(
              refused.session(),
              new ServerMessage.Refused(refused.operation(), refused.error(), refused.message()));
      case Command.CloseSession close -> {
        SessionPort session = sessions.get(close.session());
        if (session != null) {
          session.close(close.reason());
        }
      }
      case Command.OpenDevice open -> open(open);
      case Command.CloseDevice close -> {
        copiers.closing(close.memory());
        devices.close(close.registration(), close.memory(), reports);
      }
      case Command.Candidates candidates ->
          send(
              candidates.session(),
              new ServerMessage.Candidates(
                  candidates.operation(),
                  candidates.revision(),
                  candidates.groups(),
                  candidates.pagesOfGroup(),
                  candidates.positions()));
      case Command.Read read -> backing.read(read);
      case Command.RaiseRead raise -> backing.raise(raise.ticket());
      case Command.Write write -> backing.write(write);
      case Command.FlushStore flush -> backing.flush(flush.ticket());
      case Command.EmptyStore empty -> backing.empty(empty.ticket());
      case Command.KeepGeometries keep -> backing.keep(keep);
      case Command.Copy copy -> copiers.submit(copy.plan(), stepNanos, copies);
      case Command.ToPolicies question -> policies.ask(question, stepNanos);
      case Command.ScoreStored scores -> backing.score(scores);
      case Command.Drained done -> drained.run();
    }
  }

  private void answer(Command.Answer answer) {
    SessionPort session = sessions.get(answer.session());
    if (session == null) {
      return;
    }
    if (answer.record() != Event.NO_RECORD) {
      session.post(answer);
      return;
    }
    session.send(
        new ServerMessage.Answer(
            answer.operation(),
            answer.revision(),
            answer.state(),
            answer.hits(),
            answer.detail(),
            answer.lease(),
            answer.error(),
            answer.message()));
  }

  private void open(Command.OpenDevice open) {
    DeviceCopier copier = copiers.forKind(open.device().kind());
    if (copier == null) {
      reports.accept(
          new Event.DeviceFailed(
              open.registration(),
              "no copier opens device memory of kind ["
                  + open.device().kind()
                  + "]: load one (`copiers` in the configuration), loaded are "
                  + copiers.kinds()));
      return;
    }
    copiers.opening(open.registration(), copier);
    devices.open(open.registration(), copier, open.device(), open.layout(), reports);
  }

  /** What copiers report, on their threads. */
  private record CopyReports(Consumer<Event> reports) implements DeviceCopier.StageListener {
    @Override
    public void submitted(CopyPlan plan) {
      reports.accept(new Event.CopySubmitted(plan.id()));
    }

    @Override
    public void completed(CopyPlan plan, CopyOutcome outcome) {
      reports.accept(new Event.CopyCompleted(plan.id(), outcome));
    }
  }

  // A session that is gone needs no message: its end is on its way to the kernel, or has been
  // there.
  private void send(long session, ServerMessage message) {
    @Nullable SessionPort port = sessions.get(session);
    if (port != null) {
      port.send(message);
    }
  }
}
