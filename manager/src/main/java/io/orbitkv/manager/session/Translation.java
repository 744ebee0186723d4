package io.orbitkv.manager.session;

import io.orbitkv.api.query.ErrorCode;
import io.orbitkv.api.query.QueryKind;
import io.orbitkv.kernel.Event;
import io.orbitkv.kernel.QueuedRequest;
import io.orbitkv.wire.ClientMessage;
import io.orbitkv.wire.Features;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** What a message of a client means for the Manager. */
sealed interface Translation {
  /** An event for the kernel. */
  record ToKernel(Event event) implements Translation {}

  /** The session answers by itself. */
  record Echo(ClientMessage.Echo message) implements Translation {}

  /** The admin part answers. */
  record Status(long operation) implements Translation {}

  /** The admin part answers. */
  record Metrics(long operation, boolean json) implements Translation {}

  /** The admin part answers. */
  record Policy(long operation, String json) implements Translation {}

  /** This Manager does not do it, or it makes no sense; the session goes on. */
  record Refuse(long operation, ErrorCode error, String message) implements Translation {}

  /** The client does not keep to the protocol; the session ends. */
  record Break(String reason) implements Translation {}

  /**
   * Translates a message of a session that has been greeted. What the message asks for makes sense
   * or not: that is the kernel's to judge, which knows the instance.
   *
   * @param features that the session agreed on
   */
  static Translation of(long session, long features, ClientMessage message) {
    if (message.operation() == 0) {
      return new Break(
          "operation 0 stands for the connection itself: number requests from 1, which ["
              + message.getClass().getSimpleName()
              + "] did not");
    }
    return switch (message) {
      case ClientMessage.Hello hello -> new Break("Hello comes once, at the start of a connection");
      case ClientMessage.Register m ->
          kernel(
              new Event.Register(
                  session,
                  m.operation(),
                  m.instance(),
                  m.namespace(),
                  m.layout(),
                  m.device(),
                  (features & Features.STAGED) != 0));
      case ClientMessage.Attach m -> kernel(new Event.Attach(session, m.operation(), m.instance()));
      case ClientMessage.Unregister m ->
          kernel(new Event.Unregister(session, m.operation(), m.instance()));
      case ClientMessage.Submit m -> submit(session, features, m);
      case ClientMessage.Taken m -> kernel(new Event.Taken(session, m.operation(), m.revision()));
      case ClientMessage.Cancel m -> kernel(new Event.Cancel(session, m.operation(), m.revision()));
      case ClientMessage.Ask m -> kernel(new Event.Ask(session, m.operation(), m.revision()));
      case ClientMessage.Claim m ->
          kernel(
              features,
              Features.PREPARE,
              "Claim",
              new Event.Claim(session, m.operation(), m.revision(), m.record(), m.countLookup()),
              m.operation());
      case ClientMessage.Release m -> kernel(new Event.Release(session, m.operation(), m.lease()));
      case ClientMessage.Restore m ->
          kernel(
              features,
              m.staged() ? Features.STAGED : 0,
              "a staged Restore",
              new Event.Restore(
                  session,
                  m.operation(),
                  m.record(),
                  m.instance(),
                  m.lease(),
                  m.waitEvent(),
                  m.devicePages(),
                  m.staged()),
              m.operation());
      case ClientMessage.StageWaited m -> kernel(new Event.StageWaited(session, m.operation()));
      case ClientMessage.Publish m -> publish(session, m);
      case ClientMessage.Commit m -> kernel(new Event.Commit(session, m.operation(), m.produced()));
      case ClientMessage.Queue m -> queue(session, features, m);
      case ClientMessage.EngineStats m ->
          kernel(new Event.EngineStats(session, m.instance(), m.prefillTokensPerSecond()));
      case ClientMessage.Sync m -> kernel(new Event.Sync(session, m.operation(), m.durable()));
      case ClientMessage.Evict m -> kernel(new Event.Evict(session, m.operation(), m.everywhere()));
      case ClientMessage.Status m -> new Status(m.operation());
      case ClientMessage.Metrics m -> new Metrics(m.operation(), m.json());
      case ClientMessage.Policy m -> new Policy(m.operation(), m.json());
      case ClientMessage.Echo m -> new Echo(m);
    };
  }

  private static Translation submit(long session, long features, ClientMessage.Submit m) {
    long needed = needed(m.kind()) | (m.demand() == null ? 0 : Features.RECOVERY);
    return kernel(
        features,
        needed,
        "query kind " + m.kind().name().toLowerCase(Locale.ROOT),
        new Event.Submit(
            session,
            m.operation(),
            m.revision(),
            m.record(),
            m.instance(),
            m.kind(),
            m.requestId(),
            m.groups(),
            m.pagesOfGroup(),
            m.keys(),
            m.demand()),
        m.operation());
  }

  private static long needed(QueryKind kind) {
    return switch (kind) {
      case DEMAND, PRODUCER_WAIT -> 0;
      case SELECTED, DISCOVER -> Features.RECOVERY;
      case PREPARE -> Features.PREPARE;
      case WARM -> Features.WARM;
    };
  }

  private static Translation queue(long session, long features, ClientMessage.Queue m) {
    List<QueuedRequest> changes = new ArrayList<>(m.changes().size());
    boolean recovery = false;
    for (ClientMessage.Queue.Entry entry : m.changes()) {
      recovery |= entry.demand() != null;
      changes.add(
          new QueuedRequest(
              entry.requestId(),
              switch (entry.state()) {
                case ACCEPTED -> QueuedRequest.State.ACCEPTED;
                case EXECUTING -> QueuedRequest.State.EXECUTING;
                case GONE -> QueuedRequest.State.GONE;
              },
              entry.groups(),
              entry.pagesOfGroup(),
              entry.keys(),
              entry.demand()));
    }
    return kernel(
        features,
        Features.QUEUE | (recovery ? Features.RECOVERY : 0),
        "Queue",
        new Event.Queue(session, m.operation(), m.instance(), List.copyOf(changes)),
        m.operation());
  }

  private static Translation publish(long session, ClientMessage.Publish m) {
    return kernel(
        new Event.Publish(
            session,
            m.operation(),
            m.record(),
            m.instance(),
            m.group(),
            m.waitEvent(),
            m.parent(),
            m.keys(),
            m.devicePages()));
  }

  private static Translation kernel(Event event) {
    return new ToKernel(event);
  }

  private static Translation kernel(
      long features, long needed, String what, Event event, long operation) {
    long missing = needed & ~features;
    return missing == 0
        ? kernel(event)
        : new Refuse(
            operation,
            ErrorCode.UNSUPPORTED,
            what
                + " needs "
                + names(missing)
                + ", which this connection has not agreed on: name it in Hello and go by the"
                + " features in Welcome");
  }

  private static String names(long features) {
    List<String> names = new ArrayList<>();
    if ((features & Features.PREPARE) != 0) {
      names.add("PREPARE");
    }
    if ((features & Features.QUEUE) != 0) {
      names.add("QUEUE");
    }
    if ((features & Features.RECOVERY) != 0) {
      names.add("RECOVERY");
    }
    if ((features & Features.WARM) != 0) {
      names.add("WARM");
    }
    return "feature " + String.join(" and ", names);
  }
}
