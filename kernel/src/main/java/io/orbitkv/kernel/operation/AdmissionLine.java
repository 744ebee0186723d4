package io.orbitkv.kernel.operation;

import io.orbitkv.api.lease.ReservationPhase;
import io.orbitkv.kernel.budget.Account;
import io.orbitkv.kernel.budget.Admission;
import io.orbitkv.kernel.budget.Budget;
import io.orbitkv.kernel.lease.Leases;
import io.orbitkv.kernel.partition.Partition;
import io.orbitkv.kernel.step.Step;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Who gets bytes when. A head that waits for {@link #REVOKE_AFTER_NANOS} although idle leases alone
 * stand in its way takes the youngest of them back, so that nobody can block the line by holding
 * leases and doing nothing.
 */
final class AdmissionLine {
  /** How long a head waits behind idle leases. */
  static final long REVOKE_AFTER_NANOS = 2_000_000_000L;

  private final Step step;
  private final Budget budget;
  private final Leases leases;
  private final WaitingLines waiting = new WaitingLines();
  private int size;

  AdmissionLine(Step step, Partition partition) {
    this.step = step;
    this.budget = partition.budget();
    this.leases = partition.leases();
  }

  /** Whether a demand would be admitted now, whoever waits. */
  Admission judge(QueryOperation query) {
    return budget.judge(query.instance().account(), query.bytes(), ReservationPhase.PREPARING);
  }

  void add(QueryOperation query) {
    waiting.add(query, step.nowNanos());
    size++;
  }

  void remove(QueryOperation query) {
    waiting.remove(query, step.nowNanos());
    size--;
  }

  /** Takes the next query whose bytes are free, or null. */
  @Nullable QueryOperation next() {
    WaitingLines.Line line = nextLine();
    if (line == null || judge(line.head()) != Admission.ADMITTED) {
      return null;
    }
    size--;
    return waiting.take(line, step.nowNanos());
  }

  /** The first line from the turn on that does not wait for its own instance. */
  private WaitingLines.@Nullable Line nextLine() {
    for (int places = 0; places < waiting.lines(); places++) {
      WaitingLines.Line line = waiting.fromTurn(places);
      Admission admission = judge(line.head());
      if (admission == Admission.ADMITTED || admission == Admission.TOTAL_FULL) {
        return line;
      }
    }
    return null;
  }

  /** Takes leases back for heads that waited too long behind idle ones. */
  void revokeForBlockedHeads() {
    for (WaitingLines.Line line : waiting.all()) {
      if (!line.queries.isEmpty() && step.nowNanos() - line.headSinceNanos >= REVOKE_AFTER_NANOS) {
        revokeFor(line);
      }
    }
  }

  private void revokeFor(WaitingLines.Line line) {
    long wanted = line.head().bytes();
    Account account = line.instance.account();
    boolean more = true;
    switch (judge(line.head())) {
      case ADMITTED, TOO_LARGE, YIELDS -> {}
      case INSTANCE_FULL -> {
        if (wanted <= budget.freeBytes(account) + leases.idleBytes(line.instance)) {
          while (more && wanted > budget.freeBytes(account)) {
            more = leases.revokeYoungestIdle(line.instance);
          }
        }
      }
      case TOTAL_FULL -> {
        // Only for who is next: what is freed goes there.
        if (nextLine() == line && wanted <= budget.freeBytes() + leases.idleBytes(null)) {
          while (more && wanted > budget.freeBytes()) {
            more = leases.revokeYoungestIdle(null);
          }
        }
      }
    }
  }

  /** Queries in the line. */
  int size() {
    return size;
  }

  /** A copy. */
  List<QueryOperation> all() {
    List<QueryOperation> queries = new ArrayList<>();
    for (WaitingLines.Line line : waiting.all()) {
      queries.addAll(line.queries);
    }
    return queries;
  }

  /** The deep check. */
  void verify() {
    List<QueryOperation> queries = all();
    if (queries.size() != size) {
      throw new IllegalStateException(
          "[" + size + "] queries wait, [" + queries.size() + "] in line");
    }
    for (QueryOperation query : queries) {
      if (!(query.state() instanceof QueryState.Waiting)) {
        throw new IllegalStateException(
            "query [" + query.id() + "] is in line as " + query.state());
      }
    }
    WaitingLines.Line line = nextLine();
    if (line != null && judge(line.head()) == Admission.ADMITTED) {
      throw new IllegalStateException("a query waits although its bytes are free");
    }
  }
}
