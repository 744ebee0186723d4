package io.orbitkv.manager.session;

import io.orbitkv.api.query.ErrorCode;
import io.orbitkv.api.query.QueryKind;
import io.orbitkv.kernel.Event;
import io.orbitkv.wire.ClientMessage;
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

  /** This Manager does not do it, or it makes no sense; the session goes on. */
  record Refuse(long operation, ErrorCode error, String message) implements Translation {}

  /** The client does not keep to the protocol; the session ends. */
  record Break(String reason) implements Translation {}

  /** Translates a message of a session that has been greeted. */
  static Translation of(long session, ClientMessage message) {
    if (message.operation() == 0) {
      return new Break(
          "operation 0 stands for the connection itself: number requests from 1, which ["
              + message.getClass().getSimpleName()
              + "] did not");
    }
    return switch (message) {
      case ClientMessage.Hello hello -> new Break("Hello comes once, at the start of a connection");
      case ClientMessage.Register m -> register(session, m);
      case ClientMessage.Attach m -> kernel(new Event.Attach(session, m.operation(), m.instance()));
      case ClientMessage.Unregister m ->
          kernel(new Event.Unregister(session, m.operation(), m.instance()));
      case ClientMessage.Submit m -> submit(session, m);
      case ClientMessage.Taken m -> kernel(new Event.Taken(session, m.operation(), m.revision()));
      case ClientMessage.Cancel m -> kernel(new Event.Cancel(session, m.operation(), m.revision()));
      case ClientMessage.Ask m -> kernel(new Event.Ask(session, m.operation(), m.revision()));
      case ClientMessage.Claim m -> unsupported(m.operation(), "Claim");
      case ClientMessage.Release m -> kernel(new Event.Release(session, m.operation(), m.lease()));
      case ClientMessage.Restore m ->
          kernel(
              new Event.Restore(
                  session,
                  m.operation(),
                  m.record(),
                  m.instance(),
                  m.lease(),
                  m.waitEvent(),
                  m.devicePages()));
      case ClientMessage.Publish m -> publish(session, m);
      case ClientMessage.Commit m -> kernel(new Event.Commit(session, m.operation(), m.produced()));
      case ClientMessage.Queue m -> unsupported(m.operation(), "Queue");
      case ClientMessage.EngineStats m ->
          kernel(new Event.EngineStats(session, m.instance(), m.prefillTokensPerSecond()));
      case ClientMessage.Sync m -> kernel(new Event.Sync(session, m.operation()));
      case ClientMessage.Evict m -> kernel(new Event.Evict(session, m.operation()));
      case ClientMessage.Status m -> new Status(m.operation());
      case ClientMessage.Metrics m -> new Metrics(m.operation(), m.json());
      case ClientMessage.Echo m -> new Echo(m);
    };
  }

  private static Translation register(long session, ClientMessage.Register m) {
    if (m.layout().groups().size() > 1) {
      return unsupported(m.operation(), "a model with several groups");
    }
    return kernel(
        new Event.Register(
            session, m.operation(), m.instance(), m.namespace(), m.layout(), m.device()));
  }

  private static Translation submit(long session, ClientMessage.Submit m) {
    if (m.kind() != QueryKind.DEMAND && m.kind() != QueryKind.PRODUCER_WAIT) {
      return unsupported(m.operation(), "query kind " + m.kind().name().toLowerCase(Locale.ROOT));
    }
    if (m.demand() != null || m.groups().length != 1 || m.groups()[0] != 0) {
      return unsupported(m.operation(), "a query over other groups than group 0");
    }
    return kernel(
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
            null));
  }

  private static Translation publish(long session, ClientMessage.Publish m) {
    if (m.group() != 0) {
      return unsupported(m.operation(), "a publish of group " + m.group());
    }
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

  private static Translation unsupported(long operation, String what) {
    return new Refuse(
        operation,
        ErrorCode.UNSUPPORTED,
        what + " is not offered by this Manager: go by the features in its Welcome");
  }
}
