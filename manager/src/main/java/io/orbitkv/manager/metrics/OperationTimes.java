package io.orbitkv.manager.metrics;

import io.orbitkv.api.lease.LeaseId;
import io.orbitkv.api.query.AnswerState;
import io.orbitkv.api.query.QueryKind;
import io.orbitkv.kernel.Command;
import io.orbitkv.kernel.Event;
import io.orbitkv.manager.dispatch.PairTable;
import java.util.concurrent.atomic.AtomicLong;

/**
 * How long operations take, from what the dispatcher sees of them: the event that began one, the
 * commands that answered it, the event that acknowledged its offer. Dispatcher.
 *
 * <p>Two tables of numbers: one of the operations that are not over, one from leases to the offers
 * that named them. What does not fit is counted and not timed; what the kernel ended without a word
 * is swept out with time.
 */
final class OperationTimes {
  private static final int MOST_OPERATIONS = 4096;
  private static final long SWEEP_NANOS = 5_000_000_000L;
  private static final long LONGEST_OFFER_NANOS = 10_000_000_000L;
  private static final long LONGEST_OPERATION_NANOS = 900_000_000_000L;

  // With the two keys a row has the 64 bytes of a cache line.
  private static final int KIND = 0;
  private static final int REVISION = 1;
  private static final int STARTED = 2;
  private static final int WAITING = 3;
  private static final int OFFERED = 4;
  private static final int LEASE = 5;
  private static final int OPERATION_COLUMNS = 6;

  private static final int OFFER_SESSION = 0;
  private static final int OFFER_OPERATION = 1;
  private static final int OFFER_COLUMNS = 2;

  /** Stands for whichever session's offer named a lease first. */
  private static final long ANY_SESSION = 0;

  /** Stands in for the start of a wait. */
  private static final long PREPARED_BEFORE = Long.MIN_VALUE;

  private static final int LOOKUP = 1;
  private static final int PREPARATION = 2;
  private static final int DISCOVERY = 3;
  private static final int RESTORE = 4;
  private static final int PUBLISH = 5;

  private final PairTable operations = new PairTable(MOST_OPERATIONS, OPERATION_COLUMNS);
  private final PairTable offers = new PairTable(2 * MOST_OPERATIONS, OFFER_COLUMNS);
  private final BucketTimer lookups;
  private final BucketTimer preparations;
  private final BucketTimer discoveries;
  private final BucketTimer waits;
  private final BucketTimer deliveries;
  private final BucketTimer restores;
  private final BucketTimer publishes;
  private long sweptNanos;
  // Written by the dispatcher, read by exports.
  private final AtomicLong untimed = new AtomicLong();

  OperationTimes(CellTimers timers) {
    lookups =
        timers.duration(
            "orbitkv_query_lookup_duration_seconds",
            "From a demand query's submission, or its claim, to its hit or miss");
    preparations =
        timers.duration(
            "orbitkv_query_preparation_duration_seconds",
            "From the submission of a preparation or warming to the presence of its pages");
    discoveries =
        timers.duration(
            "orbitkv_query_discovery_duration_seconds",
            "From the submission of a discovery to its candidates");
    waits =
        timers.duration(
            "orbitkv_query_wait_duration_seconds",
            "From a query's LOADING to its hit or miss: waiting for budget, and for reads where"
                + " there is a backing tier");
    deliveries =
        timers.duration(
            "orbitkv_completion_delivery_ms",
            "From the writing of an offer to its acknowledgement: Taken, Restore or Release");
    restores =
        timers.duration(
            "orbitkv_load_duration_seconds",
            "From a restore's acceptance to RESTORED: every byte is in device memory");
    publishes =
        timers.duration(
            "orbitkv_save_duration_seconds",
            "From a publish's acceptance to PUBLISHED: its device pages are free");
  }

  /** Operations that were not timed because too many were under way. */
  long untimed() {
    return untimed.get();
  }

  /** Operations that are being timed. */
  int timed() {
    return operations.rows();
  }

  void arrived(Event event, long nowNanos) {
    if (event instanceof Event.Submit submit) {
      submitted(submit, nowNanos);
    } else if (event instanceof Event.Taken taken) {
      int row = operations.find(taken.session(), taken.operation());
      if (row != PairTable.NONE && operations.get(row, REVISION) == taken.revision()) {
        acknowledged(row, nowNanos);
      }
    } else if (event instanceof Event.Restore restore) {
      acknowledged(restore.session(), restore.lease(), nowNanos);
      begin(restore.session(), restore.operation(), RESTORE, nowNanos);
    } else if (event instanceof Event.Publish publish) {
      begin(publish.session(), publish.operation(), PUBLISH, nowNanos);
    } else if (event instanceof Event.Release release) {
      acknowledged(release.session(), release.lease(), nowNanos);
    } else if (event instanceof Event.Claim claim) {
      claimed(claim, nowNanos);
    } else if (event instanceof Event.SessionClosed closed) {
      forget(closed.session());
    } else if (event instanceof Event.Tick) {
      sweep(nowNanos);
    }
  }

  void told(Command command, long nowNanos) {
    if (command instanceof Command.Answer answer) {
      answered(answer, nowNanos);
    } else if (command instanceof Command.Candidates candidates) {
      int row = operations.find(candidates.session(), candidates.operation());
      if (row != PairTable.NONE && operations.get(row, KIND) == DISCOVERY) {
        discoveries.recordAlone(nowNanos - operations.get(row, STARTED));
        operations.remove(row);
      }
    } else if (command instanceof Command.Refused refused) {
      int row = operations.find(refused.session(), refused.operation());
      if (row != PairTable.NONE && operations.get(row, OFFERED) == 0) {
        operations.remove(row);
      }
    }
  }

  // The claim is the lookup: what was prepared before was a guess.
  private void claimed(Event.Claim claim, long nowNanos) {
    int row = operations.find(claim.session(), claim.operation());
    if (row != PairTable.NONE && operations.get(row, KIND) == PREPARATION) {
      operations.set(row, KIND, LOOKUP);
      operations.set(row, STARTED, nowNanos);
      operations.set(row, WAITING, 0);
    }
  }

  private void submitted(Event.Submit submit, long nowNanos) {
    int row = operations.find(submit.session(), submit.operation());
    if (row != PairTable.NONE) {
      if (operations.get(row, REVISION) >= submit.revision()) {
        // The same once more: it began when it came first.
        return;
      }
      end(row);
    }
    add(submit.session(), submit.operation(), kind(submit.kind()), submit.revision(), nowNanos);
  }

  private static int kind(QueryKind kind) {
    return switch (kind) {
      case DEMAND, PRODUCER_WAIT, SELECTED -> LOOKUP;
      case PREPARE, WARM -> PREPARATION;
      case DISCOVER -> DISCOVERY;
    };
  }

  private void begin(long session, long operation, int kind, long nowNanos) {
    if (operations.find(session, operation) == PairTable.NONE) {
      add(session, operation, kind, 0, nowNanos);
    }
  }

  private void add(long session, long operation, int kind, int revision, long nowNanos) {
    int row = operations.add(session, operation);
    if (row == PairTable.NONE) {
      untimed.incrementAndGet();
      return;
    }
    operations.set(row, KIND, kind);
    operations.set(row, REVISION, revision);
    operations.set(row, STARTED, nowNanos);
  }

  private void answered(Command.Answer answer, long nowNanos) {
    int row = operations.find(answer.session(), answer.operation());
    // Asked for again: the first telling counts.
    if (row == PairTable.NONE || operations.get(row, OFFERED) != 0) {
      return;
    }
    switch ((int) operations.get(row, KIND)) {
      case LOOKUP -> lookedUp(row, answer, nowNanos);
      case PREPARATION -> prepared(row, answer.state(), nowNanos);
      case RESTORE -> finished(row, answer, AnswerState.RESTORED, restores, nowNanos);
      case PUBLISH -> finished(row, answer, AnswerState.PUBLISHED, publishes, nowNanos);
      default -> {
        if (answer.state().terminal()) {
          operations.remove(row);
        }
      }
    }
  }

  private void prepared(int row, AnswerState state, long nowNanos) {
    // Told once more when somebody asks.
    boolean first = operations.get(row, WAITING) != PREPARED_BEFORE;
    if (first && (state == AnswerState.PREPARED || state == AnswerState.WARMED)) {
      preparations.recordAlone(nowNanos - operations.get(row, STARTED));
      operations.set(row, WAITING, PREPARED_BEFORE);
    }
    if (state.terminal()) {
      operations.remove(row);
    }
  }

  private void finished(
      int row, Command.Answer answer, AnswerState good, BucketTimer timer, long nowNanos) {
    if (answer.state() == good) {
      timer.recordAlone(nowNanos - operations.get(row, STARTED));
    }
    if (answer.state().terminal()) {
      operations.remove(row);
    }
  }

  private void lookedUp(int row, Command.Answer answer, long nowNanos) {
    AnswerState state = answer.state();
    if (state == AnswerState.LOADING) {
      if (operations.get(row, WAITING) == 0) {
        operations.set(row, WAITING, nowNanos);
      }
      return;
    }
    if (state == AnswerState.READY || state == AnswerState.MISS) {
      lookups.recordAlone(nowNanos - operations.get(row, STARTED));
      long waiting = operations.get(row, WAITING);
      if (waiting != 0) {
        waits.recordAlone(nowNanos - waiting);
      }
    }
    if (state == AnswerState.READY && !answer.lease().isNone()) {
      offered(row, answer, nowNanos);
    } else if (state.terminal()) {
      operations.remove(row);
    }
  }

  private void offered(int row, Command.Answer answer, long nowNanos) {
    long lease = answer.lease().low();
    operations.set(row, OFFERED, nowNanos);
    operations.set(row, LEASE, lease);
    name(answer.session(), lease, answer);
    if (offers.find(ANY_SESSION, lease) == PairTable.NONE) {
      name(ANY_SESSION, lease, answer);
    }
  }

  private void name(long session, long lease, Command.Answer answer) {
    int offer = offers.find(session, lease);
    if (offer == PairTable.NONE) {
      offer = offers.add(session, lease);
    }
    if (offer != PairTable.NONE) {
      offers.set(offer, OFFER_SESSION, answer.session());
      offers.set(offer, OFFER_OPERATION, answer.operation());
    }
  }

  /** Of a lease: by the session that it was offered to, or by one of its ranks. */
  private void acknowledged(long session, LeaseId lease, long nowNanos) {
    int offer = offers.find(session, lease.low());
    if (offer == PairTable.NONE) {
      offer = offers.find(ANY_SESSION, lease.low());
    }
    if (offer == PairTable.NONE) {
      return;
    }
    int row = operations.find(offers.get(offer, OFFER_SESSION), offers.get(offer, OFFER_OPERATION));
    if (row != PairTable.NONE) {
      acknowledged(row, nowNanos);
    }
  }

  private void acknowledged(int row, long nowNanos) {
    long offered = operations.get(row, OFFERED);
    if (offered == 0) {
      return;
    }
    deliveries.recordAlone(nowNanos - offered);
    end(row);
  }

  private void end(int row) {
    if (operations.get(row, OFFERED) != 0) {
      long session = operations.first(row);
      long lease = operations.get(row, LEASE);
      int own = offers.find(session, lease);
      if (own != PairTable.NONE) {
        offers.remove(own);
      }
      int any = offers.find(ANY_SESSION, lease);
      if (any != PairTable.NONE
          && offers.get(any, OFFER_SESSION) == session
          && offers.get(any, OFFER_OPERATION) == operations.second(row)) {
        offers.remove(any);
      }
    }
    operations.remove(row);
  }

  private void forget(long session) {
    operations.removeIf(row -> operations.first(row) == session);
    offers.removeIf(row -> offers.get(row, OFFER_SESSION) == session);
  }

  private void sweep(long nowNanos) {
    if (nowNanos - sweptNanos < SWEEP_NANOS) {
      return;
    }
    sweptNanos = nowNanos;
    operations.removeIf(row -> isStale(row, nowNanos));
    offers.removeIf(row ->
        operations.find(offers.get(row, OFFER_SESSION), offers.get(row, OFFER_OPERATION))
            == PairTable.NONE);
  }

  private boolean isStale(int row, long nowNanos) {
    long offered = operations.get(row, OFFERED);
    return offered == 0
        ? nowNanos - operations.get(row, STARTED) > LONGEST_OPERATION_NANOS
        : nowNanos - offered > LONGEST_OFFER_NANOS;
  }
}
