package io.orbitkv.workload.sim.run;

import io.orbitkv.kernel.Event;

/** Whose event it is. */
final class EventNames {
  /** No session, no operation. */
  static final long NOBODY = -1;

  private EventNames() {}

  /** The session that speaks, or nobody. */
  static long session(Event event) {
    return switch (event) {
      case Event.SessionOpened e -> e.session();
      case Event.SessionClosed e -> e.session();
      case Event.Register e -> e.session();
      case Event.Attach e -> e.session();
      case Event.Unregister e -> e.session();
      case Event.EngineStats e -> e.session();
      case Event.Submit e -> e.session();
      case Event.Taken e -> e.session();
      case Event.Cancel e -> e.session();
      case Event.Claim e -> e.session();
      case Event.Queue e -> e.session();
      case Event.Ask e -> e.session();
      case Event.Release e -> e.session();
      case Event.Restore e -> e.session();
      case Event.StageWaited e -> e.session();
      case Event.Publish e -> e.session();
      case Event.Commit e -> e.session();
      case Event.Sync e -> e.session();
      case Event.Evict e -> e.session();
      case Event.DeviceOpened e -> NOBODY;
      case Event.DeviceFailed e -> NOBODY;
      case Event.DeviceClosed e -> NOBODY;
      case Event.Lookahead e -> NOBODY;
      case Event.Warming e -> NOBODY;
      case Event.Policies e -> NOBODY;
      case Event.Advice e -> NOBODY;
      case Event.CopySubmitted e -> NOBODY;
      case Event.CopyCompleted e -> NOBODY;
      case Event.PageStored e -> NOBODY;
      case Event.PagesStored e -> NOBODY;
      case Event.PageLost e -> NOBODY;
      case Event.PageRead e -> NOBODY;
      case Event.PageWritten e -> NOBODY;
      case Event.WriteAllowance e -> NOBODY;
      case Event.StoreFlushed e -> NOBODY;
      case Event.StoreForgot e -> NOBODY;
      case Event.ChunkReady e -> NOBODY;
      case Event.Drain e -> NOBODY;
      case Event.Tick e -> NOBODY;
    };
  }

  /** The operation that it names, or nobody. */
  static long operation(Event event) {
    return switch (event) {
      case Event.Register e -> e.operation();
      case Event.Attach e -> e.operation();
      case Event.Unregister e -> e.operation();
      case Event.Submit e -> e.operation();
      case Event.Taken e -> e.operation();
      case Event.Cancel e -> e.operation();
      case Event.Claim e -> e.operation();
      case Event.Queue e -> e.operation();
      case Event.Ask e -> e.operation();
      case Event.Release e -> e.operation();
      case Event.Restore e -> e.operation();
      case Event.StageWaited e -> e.operation();
      case Event.Publish e -> e.operation();
      case Event.Commit e -> e.operation();
      case Event.Sync e -> e.operation();
      case Event.Evict e -> e.operation();
      case Event.SessionOpened e -> NOBODY;
      case Event.SessionClosed e -> NOBODY;
      case Event.EngineStats e -> NOBODY;
      case Event.DeviceOpened e -> NOBODY;
      case Event.DeviceFailed e -> NOBODY;
      case Event.DeviceClosed e -> NOBODY;
      case Event.Lookahead e -> NOBODY;
      case Event.Warming e -> NOBODY;
      case Event.Policies e -> NOBODY;
      case Event.Advice e -> NOBODY;
      case Event.CopySubmitted e -> NOBODY;
      case Event.CopyCompleted e -> NOBODY;
      case Event.PageStored e -> NOBODY;
      case Event.PagesStored e -> NOBODY;
      case Event.PageLost e -> NOBODY;
      case Event.PageRead e -> NOBODY;
      case Event.PageWritten e -> NOBODY;
      case Event.WriteAllowance e -> NOBODY;
      case Event.StoreFlushed e -> NOBODY;
      case Event.StoreForgot e -> NOBODY;
      case Event.ChunkReady e -> NOBODY;
      case Event.Drain e -> NOBODY;
      case Event.Tick e -> NOBODY;
    };
  }
}
