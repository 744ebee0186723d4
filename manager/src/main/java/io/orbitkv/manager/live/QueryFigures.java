package io.orbitkv.manager.live;

import io.orbitkv.api.query.AnswerState;
import io.orbitkv.api.query.QueryKind;
import io.orbitkv.kernel.Command;
import io.orbitkv.kernel.Event;
import io.orbitkv.manager.dispatch.PairTable;
import java.util.EnumMap;
import java.util.Map;

/**
 * Counts the queries of each variant in one block after another. Dispatcher. A query counts in the
 * block in which it began and was answered; one that goes over a boundary counts nowhere, whoever
 * it belongs to. Tables are of fixed size: what they have no room for is counted as such.
 */
final class QueryFigures {
  private static final int MOST = 8192;
  private static final long SWEEP_NANOS = 5_000_000_000L;
  private static final long LONGEST_NANOS = 120_000_000_000L;

  private static final int ARM = 0;
  private static final int STARTED = 1;
  private static final int PAGES = 2;
  private static final int COUNTS = 3;
  private static final int LAST = 2;
  private static final int LEASE = 0;

  /** A lease is known by half of its name, which nobody else draws. */
  private static final long ANY = 0;

  private final ArmOf armOf;
  private final PairTable queries = new PairTable(MOST, 4);
  private final PairTable leases = new PairTable(MOST, 3);
  private final PairTable restores = new PairTable(MOST, 1);
  private Map<Arm, ArmFigures> figures = fresh();
  private long sweptNanos;

  /** Which variant a query belongs to, in the present block. */
  @FunctionalInterface
  interface ArmOf {
    Arm of(Event.Submit submit);
  }

  QueryFigures(ArmOf armOf) {
    this.armOf = armOf;
  }

  private static Map<Arm, ArmFigures> fresh() {
    Map<Arm, ArmFigures> figures = new EnumMap<>(Arm.class);
    for (Arm arm : Arm.values()) {
      figures.put(arm, new ArmFigures());
    }
    return figures;
  }

  /** Ends a block and begins the next one. */
  Map<Arm, ArmFigures> next() {
    Map<Arm, ArmFigures> ended = figures;
    figures = fresh();
    queries.removeIf(_ -> true);
    leases.removeIf(_ -> true);
    restores.removeIf(_ -> true);
    return ended;
  }

  private static long number(Arm arm) {
    return arm == Arm.B ? 1 : 0;
  }

  private ArmFigures of(long arm) {
    return figures.getOrDefault(Arm.of(arm != 0), new ArmFigures());
  }

  // ---- what arrives --------------------------------------------------------------------------

  void arrived(Event event, long nowNanos) {
    if (event instanceof Event.Submit submit) {
      submitted(submit, nowNanos);
    } else if (event instanceof Event.Claim claim) {
      int row = queries.find(claim.session(), claim.operation());
      if (row != PairTable.NONE && queries.get(row, COUNTS) == 0) {
        queries.set(row, COUNTS, 1);
        queries.set(row, STARTED, nowNanos);
      }
    } else if (event instanceof Event.Restore restore) {
      if (leases.find(ANY, restore.lease().low()) != PairTable.NONE
          && restores.find(restore.session(), restore.operation()) == PairTable.NONE) {
        int row = restores.add(restore.session(), restore.operation());
        if (row != PairTable.NONE) {
          restores.set(row, LEASE, restore.lease().low());
        }
      }
    } else if (event instanceof Event.Tick) {
      sweep(nowNanos);
    }
  }

  private void submitted(Event.Submit submit, long nowNanos) {
    boolean counts = counts(submit.kind());
    if (!counts && submit.kind() != QueryKind.PREPARE) {
      return;
    }
    int row = queries.find(submit.session(), submit.operation());
    if (row == PairTable.NONE) {
      row = queries.add(submit.session(), submit.operation());
    }
    Arm arm = armOf.of(submit);
    if (row == PairTable.NONE) {
      of(number(arm)).add(Column.UNMEASURED, 1);
      return;
    }
    queries.set(row, ARM, number(arm));
    queries.set(row, STARTED, nowNanos);
    queries.set(row, PAGES, submit.keys().length / 2);
    queries.set(row, COUNTS, counts ? 1 : 0);
  }

  private static boolean counts(QueryKind kind) {
    return switch (kind) {
      case DEMAND, PRODUCER_WAIT, SELECTED -> true;
      case PREPARE, WARM, DISCOVER -> false;
    };
  }

  // ---- what is told --------------------------------------------------------------------------

  void told(Command command, long nowNanos) {
    if (command instanceof Command.Answer answer) {
      AnswerState state = answer.state();
      if (state == AnswerState.READY || state == AnswerState.MISS) {
        answered(answer, nowNanos);
      } else if (state == AnswerState.RESTORED) {
        restored(answer, nowNanos);
      } else if (state.terminal()) {
        forget(answer);
      }
    }
  }

  private void answered(Command.Answer answer, long nowNanos) {
    int row = queries.find(answer.session(), answer.operation());
    if (row == PairTable.NONE || queries.get(row, COUNTS) == 0) {
      return;
    }
    long arm = queries.get(row, ARM);
    long started = queries.get(row, STARTED);
    ArmFigures to = of(arm);
    to.add(Column.QUERIES, 1);
    to.add(Column.ASKED_PAGES, queries.get(row, PAGES));
    to.add(Column.HIT_PAGES, answer.state() == AnswerState.READY ? answer.hits() : 0);
    to.add(Column.WAIT_NANOS, nowNanos - started);
    to.waited(nowNanos - started);
    queries.remove(row);
    long lease = answer.lease().low();
    if (!answer.lease().isNone() && leases.find(ANY, lease) == PairTable.NONE) {
      int offered = leases.add(ANY, lease);
      if (offered != PairTable.NONE) {
        leases.set(offered, ARM, arm);
        leases.set(offered, STARTED, started);
        leases.set(offered, LAST, nowNanos);
      }
    }
  }

  // Of several ranks the last one counts: each goes on from where the one before had come to.
  private void restored(Command.Answer answer, long nowNanos) {
    int row = restores.find(answer.session(), answer.operation());
    if (row == PairTable.NONE) {
      return;
    }
    int lease = leases.find(ANY, restores.get(row, LEASE));
    restores.remove(row);
    if (lease == PairTable.NONE) {
      return;
    }
    long started = leases.get(lease, STARTED);
    long last = leases.get(lease, LAST);
    ArmFigures to = of(leases.get(lease, ARM));
    to.add(Column.WAIT_NANOS, nowNanos - last);
    to.add(Column.RESTORES, 1);
    to.waitedOn(last - started, nowNanos - started);
    leases.set(lease, LAST, nowNanos);
  }

  private void forget(Command.Answer answer) {
    int query = queries.find(answer.session(), answer.operation());
    if (query != PairTable.NONE) {
      queries.remove(query);
    }
    int restore = restores.find(answer.session(), answer.operation());
    if (restore != PairTable.NONE) {
      restores.remove(restore);
    }
  }

  private void sweep(long nowNanos) {
    if (nowNanos - sweptNanos < SWEEP_NANOS) {
      return;
    }
    sweptNanos = nowNanos;
    queries.removeIf(row -> nowNanos - queries.get(row, STARTED) > LONGEST_NANOS);
    leases.removeIf(row -> nowNanos - leases.get(row, LAST) > LONGEST_NANOS);
    restores.removeIf(row -> leases.find(ANY, restores.get(row, LEASE)) == PairTable.NONE);
  }
}
