package io.orbitkv.kernel.registration;

import io.orbitkv.api.copy.DeviceMemory;
import io.orbitkv.api.page.GroupSpec;
import io.orbitkv.api.page.SlotLayout;
import io.orbitkv.api.page.WorkerLayout;
import io.orbitkv.api.query.ErrorCode;
import io.orbitkv.kernel.BrokenInvariant;
import io.orbitkv.kernel.Command;
import io.orbitkv.kernel.Event;
import io.orbitkv.kernel.instance.Domains;
import io.orbitkv.kernel.instance.Instance;
import io.orbitkv.kernel.instance.Registration;
import io.orbitkv.kernel.operation.Queries;
import io.orbitkv.kernel.operation.Replies;
import io.orbitkv.kernel.operation.Session;
import io.orbitkv.kernel.operation.Sessions;
import io.orbitkv.kernel.partition.Partition;
import io.orbitkv.kernel.step.Step;
import io.orbitkv.kernel.table.LongMap;
import io.orbitkv.kernel.transfer.Geometries;
import io.orbitkv.kernel.transfer.Publishes;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** All instance generations, live and ending. Dispatcher. */
public final class Registrar {
  /** Instances of which one connection may be a worker. */
  static final int MAX_REGISTRATIONS = 64;

  private final Step step;
  private final Sessions sessions;
  private final Replies replies;
  private final Partition partition;
  private final Queries queries;
  private final Publishes publishes;
  private final Domains domains;
  private final Geometries geometries;
  private final Map<String, Instance> liveByName = new HashMap<>();
  private final LongMap<Instance> byHandle = new LongMap<>();
  private final LongMap<Registration> registrations = new LongMap<>();
  private int lastHandle;
  private long lastRegistration;

  /** No instance is known. */
  public Registrar(
      Step step,
      Sessions sessions,
      Replies replies,
      Partition partition,
      Queries queries,
      Publishes publishes,
      Domains domains,
      Geometries geometries) {
    this.step = step;
    this.sessions = sessions;
    this.replies = replies;
    this.partition = partition;
    this.queries = queries;
    this.publishes = publishes;
    this.domains = domains;
    this.geometries = geometries;
  }

  /** The generation of a handle that did not end, or null. */
  public @Nullable Instance live(int handle) {
    Instance instance = byHandle.get(handle);
    return instance == null || instance.retired() ? null : instance;
  }

  // ---- coming ----------------------------------------------------------------------------------

  /** A worker registers; answered when its device memory is open. */
  public void register(Session session, Event.Register register) {
    session.registrations().removeIf(Registration::ended);
    if (register.device().bytes() < register.layout().deviceBytes()) {
      replies.refuse(
          session,
          register.operation(),
          ErrorCode.INVALID,
          "device memory of ["
              + register.device().bytes()
              + "] bytes is smaller than its layers: ["
              + register.layout().deviceBytes()
              + "] bytes");
      return;
    }
    if (session.registrations().size() >= MAX_REGISTRATIONS) {
      replies.refuse(
          session,
          register.operation(),
          ErrorCode.LIMIT,
          "this connection has [" + MAX_REGISTRATIONS + "] registrations: use another one");
      return;
    }
    Instance instance = liveByName.get(register.instanceName());
    String conflict =
        instance == null
            ? null
            : instance.conflict(register.namespace(), register.layout(), session.id());
    if (conflict != null) {
      replies.refuse(session, register.operation(), ErrorCode.CONFLICT, conflict);
      return;
    }
    String misfit = misfit(instance, register.layout());
    if (misfit != null) {
      replies.refuse(session, register.operation(), ErrorCode.INVALID, misfit);
      return;
    }
    if (instance == null) {
      instance =
          new Instance(
              ++lastHandle,
              lastHandle,
              register.instanceName(),
              register.namespace(),
              register.layout(),
              partition.residency().newInFlightIndex());
      liveByName.put(instance.name(), instance);
      byHandle.put(instance.handle(), instance);
    }
    Registration registration =
        new Registration(
            ++lastRegistration,
            session.id(),
            register.operation(),
            instance,
            register.layout(),
            register.staged());
    instance.join(registration);
    registrations.put(registration.id(), registration);
    session.registrations().add(registration);
    step.emit(new Command.OpenDevice(registration.id(), register.device(), register.layout()));
  }

  /**
   * Why pages of the instance could never be allocated with this worker, or null. Looked at before
   * anything is opened: one publish that can never fit would evict whatever is in its way.
   */
  private @Nullable String misfit(@Nullable Instance instance, WorkerLayout worker) {
    List<WorkerLayout> layouts = new ArrayList<>();
    if (instance != null) {
      instance.registrations().forEach(registration -> layouts.add(registration.layout()));
    }
    layouts.add(worker);
    int[] nodes = layouts.stream().mapToInt(WorkerLayout::numaNode).toArray();
    List<List<SlotLayout>> slots = layouts.stream().map(WorkerLayout::slots).toList();
    for (GroupSpec group : worker.groups()) {
      long[] runBytes = slots.stream().mapToLong(all -> all.get(group.id()).runBytes()).toArray();
      String misfit = partition.residency().shape().misfit(runBytes, nodes);
      if (misfit != null) {
        return "group ["
            + group.id()
            + "] with rank ["
            + worker.rank()
            + "]: "
            + misfit
            + ": give the Manager a larger pool or register smaller pages";
      }
    }
    return null;
  }

  /** A device memory is open. */
  public void deviceOpened(long id, DeviceMemory memory) {
    Registration registration = opening(id);
    Instance instance = registration.instance();
    registration.opened(memory);
    Session session = sessions.get(registration.session());
    if (instance.retired()) {
      if (session != null) {
        replies.refuse(
            session,
            registration.operation(),
            ErrorCode.CONFLICT,
            "instance ["
                + instance.name()
                + "] ended while its rank ["
                + registration.rank()
                + "] registered: register again");
      }
      closeIfDrained(registration);
      return;
    }
    boolean sealed = instance.sealIfComplete(domains);
    if (sealed) {
      geometries.sealed(
          instance,
          byHandle.values().stream().filter(each -> each.sealed() && !each.retired()).toList());
    }
    step.emit(
        new Command.Registered(
            registration.session(),
            registration.operation(),
            instance.handle(),
            instance.generation(),
            sealed,
            registration.stageEvents()));
  }

  /** A device memory could not be opened: the rank is free again. */
  public void deviceFailed(long id, String message) {
    Registration registration = opening(id);
    Instance instance = registration.instance();
    registration.become(Registration.State.CLOSED);
    instance.leave(registration);
    registrations.remove(id);
    Session session = sessions.get(registration.session());
    if (session != null) {
      session.registrations().remove(registration);
      replies.refuse(
          session,
          registration.operation(),
          ErrorCode.DEVICE,
          "device memory of rank [" + registration.rank() + "]: " + message);
    }
    answerUnregister(registration);
    forgetIfEmpty(instance);
  }

  private Registration opening(long id) {
    Registration registration = registrations.get(id);
    if (registration == null || registration.state() != Registration.State.OPENING) {
      throw new BrokenInvariant("registration [" + id + "] is not being opened");
    }
    return registration;
  }

  /** A scheduler asks for a handle. */
  public void attach(Session session, Event.Attach attach) {
    Instance instance = liveByName.get(attach.instanceName());
    if (instance == null) {
      replies.refuse(
          session,
          attach.operation(),
          ErrorCode.UNKNOWN,
          "instance [" + attach.instanceName() + "] is not registered: start its workers first");
    } else if (!instance.sealed()) {
      replies.refuse(
          session,
          attach.operation(),
          ErrorCode.NOT_SEALED,
          "instance ["
              + attach.instanceName()
              + "] has ["
              + instance.registrations().size()
              + "] of ["
              + instance.worldSize()
              + "] workers");
    } else {
      step.emit(
          new Command.Attached(
              session.id(),
              attach.operation(),
              instance.handle(),
              instance.generation(),
              instance.worldSize(),
              instance.pageTokens(),
              instance.pageBytes()));
    }
  }

  // ---- going -----------------------------------------------------------------------------------

  /** A worker leaves; answered when its device memory is closed. */
  public void unregister(Session session, Event.Unregister unregister) {
    Registration registration = session.worker(unregister.instance());
    if (registration == null) {
      boolean known = byHandle.get(unregister.instance()) != null;
      replies.refuse(
          session,
          unregister.operation(),
          known ? ErrorCode.NOT_OWNER : ErrorCode.UNKNOWN,
          "this connection registered no rank of instance [" + unregister.instance() + "]");
      return;
    }
    if (registration.unregisterOperation() != Registration.NOBODY) {
      replies.refuse(
          session,
          unregister.operation(),
          ErrorCode.CONFLICT,
          "rank [" + registration.rank() + "] is leaving already");
      return;
    }
    registration.unregister(unregister.operation());
    if (registration.ended()) {
      answerUnregister(registration);
    } else {
      retire(registration.instance());
    }
  }

  /** The workers of a session are gone. */
  public void sessionClosed(Session session) {
    for (Registration registration : List.copyOf(session.registrations())) {
      retire(registration.instance());
    }
  }

  /** Every generation ends. */
  public void retireAll() {
    for (Instance instance : byHandle.values()) {
      retire(instance);
    }
  }

  private void retire(Instance instance) {
    if (instance.retired()) {
      return;
    }
    instance.retire();
    liveByName.remove(instance.name());
    queries.retired(instance);
    partition.leases().closeOf(instance);
    publishes.retired(instance);
    for (Registration registration : instance.registrations()) {
      closeIfDrained(registration);
    }
    forgetIfEmpty(instance);
  }

  /** Closes a device memory that no plan touches and no plan will touch. */
  public void closeIfDrained(Registration registration) {
    if (!registration.instance().retired()
        || registration.state() != Registration.State.OPEN
        || registration.plans() != 0) {
      return;
    }
    if (registration.hasUnknownOutcome()) {
      registration.become(Registration.State.STUCK);
      ended(registration);
    } else {
      registration.become(Registration.State.CLOSING);
      step.emit(new Command.CloseDevice(registration.id(), registration.memory()));
    }
  }

  /** A device memory is closed. */
  public void deviceClosed(long id) {
    Registration registration = registrations.get(id);
    if (registration == null || registration.state() != Registration.State.CLOSING) {
      throw new BrokenInvariant("registration [" + id + "] is not being closed");
    }
    registration.become(Registration.State.CLOSED);
    ended(registration);
  }

  private void ended(Registration registration) {
    registrations.remove(registration.id());
    answerUnregister(registration);
    forgetIfEmpty(registration.instance());
  }

  private void answerUnregister(Registration registration) {
    Session session = sessions.get(registration.session());
    if (session == null || registration.unregisterOperation() == Registration.NOBODY) {
      return;
    }
    session.registrations().remove(registration);
    if (registration.state() == Registration.State.STUCK) {
      replies.refuse(
          session,
          registration.unregisterOperation(),
          ErrorCode.DEVICE,
          "a copy on rank ["
              + registration.rank()
              + "] has an unknown outcome: its device memory stays mapped until the Manager ends");
    } else {
      replies.done(session, registration.unregisterOperation(), 0);
    }
  }

  private void forgetIfEmpty(Instance instance) {
    for (Registration registration : instance.registrations()) {
      if (!registration.ended()) {
        return;
      }
    }
    instance.retire();
    liveByName.remove(instance.name(), instance);
    byHandle.remove(instance.handle());
  }

  // ---- books -----------------------------------------------------------------------------------

  /** Generations that did not end. */
  public int instances() {
    return liveByName.size();
  }

  /** Device memories that are not closed. */
  public int openDevices() {
    return registrations.size();
  }

  /** The deep check. */
  public void verify() {
    for (Registration registration : registrations.values()) {
      if (registration.ended() || byHandle.get(registration.instance().handle()) == null) {
        throw new IllegalStateException(
            "registration [" + registration.id() + "] outlives its instance");
      }
    }
    for (Instance instance : byHandle.values()) {
      if (instance.retired() == (liveByName.get(instance.name()) == instance)) {
        throw new IllegalStateException(
            "instance [" + instance.name() + "] is live and ended at once");
      }
      if (instance.retired() && instance.inFlight().size() != 0) {
        throw new IllegalStateException(
            "instance [" + instance.name() + "] ended and keeps unsealed pages");
      }
      if (instance.retired()
          && instance.account().reservedBytes() != 0
          && partition.budget().owners() == 0) {
        throw new IllegalStateException(
            "instance [" + instance.name() + "] keeps bytes without leases");
      }
    }
  }
}
