package io.orbitkv.manager.cell;

import io.orbitkv.kernel.Event;

/**
 * Who sent an event.
 *
 * @param session number of the session
 * @param operation of the request; 0 for none
 * @param answered whether the request has a reply when it cannot be done
 */
record Sender(long session, long operation, boolean answered) {
  /**
   * Of an event of a session.
   *
   * @throws IllegalArgumentException when it is none
   */
  static Sender of(Event event) {
    return switch (event) {
      case Event.SessionOpened e -> new Sender(e.session(), 0, false);
      case Event.SessionClosed e -> new Sender(e.session(), 0, false);
      case Event.Register e -> new Sender(e.session(), e.operation(), true);
      case Event.Attach e -> new Sender(e.session(), e.operation(), true);
      case Event.Unregister e -> new Sender(e.session(), e.operation(), true);
      case Event.EngineStats e -> new Sender(e.session(), 0, false);
      case Event.Submit e -> new Sender(e.session(), e.operation(), true);
      case Event.Taken e -> new Sender(e.session(), e.operation(), false);
      case Event.Cancel e -> new Sender(e.session(), e.operation(), false);
      case Event.Claim e -> new Sender(e.session(), e.operation(), true);
      case Event.Queue e -> new Sender(e.session(), e.operation(), true);
      case Event.Ask e -> new Sender(e.session(), e.operation(), true);
      case Event.Release e -> new Sender(e.session(), e.operation(), true);
      case Event.Restore e -> new Sender(e.session(), e.operation(), true);
      case Event.StageWaited e -> new Sender(e.session(), e.operation(), false);
      case Event.Publish e -> new Sender(e.session(), e.operation(), true);
      case Event.Commit e -> new Sender(e.session(), e.operation(), false);
      case Event.Sync e -> new Sender(e.session(), e.operation(), true);
      case Event.Evict e -> new Sender(e.session(), e.operation(), true);
      case Event.DeviceOpened _,
          Event.DeviceFailed _,
          Event.DeviceClosed _,
          Event.Lookahead _,
          Event.Warming _,
          Event.CopySubmitted _,
          Event.CopyCompleted _,
          Event.PageStored _,
          Event.PagesStored _,
          Event.PageLost _,
          Event.PageRead _,
          Event.PageWritten _,
          Event.WriteAllowance _,
          Event.StoreFlushed _,
          Event.StoreForgot _,
          Event.Policies _,
          Event.Advice _,
          Event.ChunkReady _,
          Event.Drain _,
          Event.Tick _ ->
          throw new IllegalArgumentException("no session sends " + event);
    };
  }
}
