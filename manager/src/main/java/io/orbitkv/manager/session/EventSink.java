package io.orbitkv.manager.session;

import io.orbitkv.kernel.Event;
import io.orbitkv.manager.dispatch.Dispatcher;
import io.orbitkv.manager.dispatch.SessionPort;

/**
 * Where sessions hand over what happened: the dispatcher. Threads of the sessions; waits while its
 * mailbox is full.
 */
public interface EventSink {
  /**
   * Lets a session in, before its first event.
   *
   * @return false when the Manager has ended
   */
  boolean open(SessionPort session);

  /**
   * Hands over an event.
   *
   * @return false when the Manager has ended
   */
  boolean submit(Event event);

  /** The dispatcher. */
  static EventSink of(Dispatcher dispatcher) {
    return new EventSink() {
      @Override
      public boolean open(SessionPort session) {
        return dispatcher.open(session);
      }

      @Override
      public boolean submit(Event event) {
        return dispatcher.submit(event);
      }
    };
  }
}
