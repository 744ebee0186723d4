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
  Admission judge(Decision decision) {
    return budget.judge(
        decision.instance().account(), decision.bytes(), ReservationPhase.PREPARING);
  }

  void add(Decision decision) {
    waiting.add(decision, step.nowNanos());
    size++;
  }

  void remove(Decision decision) {
    waiting.remove(decision, step.nowNanos());
    size--;
  }

  /** Takes the next decision whose bytes are free, or null. */
  @Nullable Decision next() {
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
      if (!line.decisions.isEmpty()
          && step.nowNanos() - line.headSinceNanos >= REVOKE_AFTER_NANOS) {
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
  List<Decision> all() {
    List<Decision> decisions = new ArrayList<>();
    for (WaitingLines.Line line : waiting.all()) {
      decisions.addAll(line.decisions);
    }
    return decisions;
  }

  /** The deep check. */
  void verify() {
    List<Decision> decisions = all();
    if (decisions.size() != size) {
      throw new IllegalStateException(
          "[" + size + "] queries wait, [" + decisions.size() + "] in line");
    }
    for (Decision decision : decisions) {
      if (decision.state() != Decision.State.WAITING) {
        throw new IllegalStateException(
            "request [" + decision.requestId() + "] is in line as " + decision.state());
      }
    }
    WaitingLines.Line line = nextLine();
    if (line != null && judge(line.head()) == Admission.ADMITTED) {
      throw new IllegalStateException("a query waits although its bytes are free");
    }
  }
}
