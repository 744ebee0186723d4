package io.orbitkv.kernel;

import static io.orbitkv.kernel.KernelHarness.query;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.orbitkv.api.copy.CopyPlan;
import io.orbitkv.api.lease.BudgetLimits;
import io.orbitkv.api.lease.ReservationPhase;
import io.orbitkv.api.query.AnswerState;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Budgets, waiting lines, revocation, expiry. */
class WaitingTest {
  private static final long RUN = KernelHarness.RUN_BYTES;

  private static KernelHarness harness(long totalPages, long instancePages) {
    return new KernelHarness(
        KernelSettings.of(new BudgetLimits(totalPages * RUN, instancePages * RUN), 1000), 1 << 30);
  }

  private static List<Long> answered(KernelHarness kernel, AnswerState state) {
    return kernel.all(Command.Answer.class).stream()
        .filter(answer -> answer.state() == state)
        .map(Command.Answer::operation)
        .toList();
  }

  private static long wait(KernelHarness kernel, long session, int instance, long... names) {
    Command.Answer answer = kernel.ask(session, instance, names);
    assertEquals(AnswerState.LOADING, answer.state());
    return answer.operation();
  }

  @Test
  void query_largerThanTheInstanceBudget_isAMissAndABypass() {
    KernelHarness kernel = harness(8, 2);
    int engine = kernel.instance("engine", 1);
    kernel.store(1, engine, 1, 2, 3);
    assertEquals(AnswerState.MISS, kernel.ask(1, engine, 1, 2, 3).state());
    assertEquals(1, kernel.counter(KernelCounter.BUDGET_BYPASSES));
    assertEquals(1, kernel.counter(KernelCounter.QUERY_MISSES));
  }

  @Test
  void query_withoutFreeBytes_waitsUntilALeaseGoes() {
    KernelHarness kernel = harness(2, 2);
    int engine = kernel.instance("engine", 1);
    kernel.store(1, engine, 1, 2);
    Command.Answer first = kernel.lease(1, engine, 1, 2);
    long waiting = wait(kernel, 1, engine, 1);
    assertEquals(1, kernel.counter(KernelCounter.BUDGET_WAITS));
    kernel.step(new Event.Ask(1, waiting, 1));
    assertEquals(AnswerState.LOADING, kernel.only(Command.Answer.class).state());
    kernel.release(1, first.lease());
    assertEquals(List.of(waiting), answered(kernel, AnswerState.READY));
    assertEquals(RUN, kernel.kernel.status().reservedBytes());
    assertEquals(2 * RUN, kernel.kernel.status().reservedPeakBytes());
  }

  @Test
  void waiters_ofOneInstance_areServedInOrderOfArrival() {
    KernelHarness kernel = harness(2, 2);
    int engine = kernel.instance("engine", 1);
    kernel.store(1, engine, 1, 2);
    Command.Answer first = kernel.lease(1, engine, 1, 2);
    long large = wait(kernel, 1, engine, 1, 2);
    long small = wait(kernel, 1, engine, 1);
    kernel.release(1, first.lease());
    assertEquals(List.of(large), answered(kernel, AnswerState.READY));
    kernel.step(new Event.Cancel(1, large, 1));
    assertEquals(List.of(small), answered(kernel, AnswerState.READY));
  }

  @Test
  void waiters_ofSeveralInstances_takeTurns() {
    KernelHarness kernel = harness(2, 2);
    int a = kernel.instance("a", 1);
    int b = kernel.instance("b", 2);
    kernel.store(1, a, 1, 2);
    Command.Answer first = kernel.lease(1, a, 1, 2);
    long a1 = wait(kernel, 1, a, 1, 2);
    long a2 = wait(kernel, 1, a, 1, 2);
    long b1 = wait(kernel, 2, b, 1, 2);
    kernel.release(1, first.lease());
    assertEquals(List.of(a1), answered(kernel, AnswerState.READY));
    kernel.step(new Event.Cancel(1, a1, 1));
    assertEquals(List.of(b1), answered(kernel, AnswerState.READY));
    kernel.step(new Event.Cancel(2, b1, 1));
    assertEquals(List.of(a2), answered(kernel, AnswerState.READY));
  }

  @Test
  void head_thatWaitsForTheTotal_isNotOvertakenByASmallerQuery() {
    KernelHarness kernel = harness(3, 3);
    int a = kernel.instance("a", 1);
    int b = kernel.instance("b", 2);
    kernel.store(1, a, 1, 2, 3);
    Command.Answer first = kernel.lease(2, b, 1, 2);
    long large = wait(kernel, 1, a, 1, 2, 3);
    long small = wait(kernel, 2, b, 1);
    kernel.release(2, first.lease());
    assertEquals(List.of(large), answered(kernel, AnswerState.READY));
    kernel.step(new Event.Cancel(1, large, 1));
    assertEquals(List.of(small), answered(kernel, AnswerState.READY));
  }

  @Test
  void head_thatWaitsForItsInstance_letsOthersPass() {
    KernelHarness kernel = harness(4, 2);
    int a = kernel.instance("a", 1);
    int b = kernel.instance("b", 2);
    kernel.store(1, a, 1, 2);
    kernel.lease(1, a, 1, 2);
    wait(kernel, 1, a, 1);
    assertEquals(AnswerState.READY, kernel.ask(2, b, 1).state());
  }

  @Test
  void waiter_afterSixtySeconds_getsAMiss() {
    KernelHarness kernel = harness(2, 2);
    int engine = kernel.instance("engine", 1);
    kernel.store(1, engine, 1, 2);
    Command.Answer first = kernel.lease(1, engine, 1, 2);
    CopyPlan copy = restoring(kernel, engine, first);
    long waiting = wait(kernel, 1, engine, 1);
    kernel.tickAfter(Duration.ofSeconds(59));
    assertTrue(kernel.commands.isEmpty());
    kernel.tickAfter(Duration.ofSeconds(1));
    assertEquals(List.of(waiting), answered(kernel, AnswerState.MISS));
    assertEquals(1, kernel.counter(KernelCounter.QUERIES_EXPIRED));
    kernel.done(copy);
    assertEquals(0, kernel.kernel.status().reservedBytes());
  }

  private static CopyPlan restoring(KernelHarness kernel, int engine, Command.Answer lease) {
    kernel.restore(1, engine, lease.lease(), 5, 6);
    return kernel.plan();
  }

  @Test
  void cancel_ofAWaiter_answersItOnce() {
    KernelHarness kernel = harness(2, 2);
    int engine = kernel.instance("engine", 1);
    kernel.store(1, engine, 1, 2);
    kernel.lease(1, engine, 1, 2);
    long waiting = wait(kernel, 1, engine, 1);
    kernel.step(new Event.Cancel(1, waiting, 1));
    assertEquals(List.of(waiting), answered(kernel, AnswerState.CANCELLED));
    assertEquals(1, kernel.counter(KernelCounter.QUERIES_CANCELLED));
    assertEquals(1, kernel.counter(KernelCounter.QUERY_CANCELLED_PAGES));
    kernel.step(new Event.Cancel(1, waiting, 1));
    assertTrue(kernel.commands.isEmpty());
  }

  @Test
  void newerRevision_ofAWaiter_takesItsPlaceAtTheEnd() {
    KernelHarness kernel = harness(2, 2);
    int engine = kernel.instance("engine", 1);
    kernel.store(1, engine, 1, 2);
    Command.Answer first = kernel.lease(1, engine, 1, 2);
    long one = wait(kernel, 1, engine, 1);
    long two = wait(kernel, 1, engine, 1);
    kernel.step(query(1, one, 2, -1, engine, 1, 2));
    assertEquals(AnswerState.LOADING, kernel.only(Command.Answer.class).state());
    assertEquals(1, kernel.counter(KernelCounter.QUERIES_CANCELLED));
    kernel.release(1, first.lease());
    assertEquals(List.of(two), answered(kernel, AnswerState.READY));
  }

  @Test
  void head_behindIdleLeases_revokesTheYoungestAfterTwoSeconds() {
    KernelHarness kernel = harness(3, 3);
    int engine = kernel.instance("engine", 1);
    kernel.store(1, engine, 1, 2, 3);
    Command.Answer older = kernel.lease(1, engine, 1);
    Command.Answer younger = kernel.lease(1, engine, 1, 2);
    long waiting = wait(kernel, 1, engine, 1, 2);
    kernel.tickAfter(Duration.ofMillis(1_900));
    assertTrue(kernel.commands.isEmpty());
    kernel.tickAfter(Duration.ofMillis(100));
    assertEquals(List.of(waiting), answered(kernel, AnswerState.READY));
    assertEquals(1, kernel.counter(KernelCounter.LEASES_REVOKED));
    kernel.restore(1, engine, younger.lease(), 1, 2);
    assertEquals(AnswerState.MISS, kernel.only(Command.Answer.class).state());
    kernel.restore(1, engine, older.lease(), 1);
    assertEquals(1, kernel.plan().pages());
  }

  @Test
  void head_behindTheTotal_revokesLeasesOfOtherInstances() {
    KernelHarness kernel = harness(2, 2);
    int a = kernel.instance("a", 1);
    int b = kernel.instance("b", 2);
    kernel.store(1, a, 1, 2);
    kernel.lease(1, a, 1);
    kernel.lease(1, a, 1);
    long waiting = wait(kernel, 2, b, 1, 2);
    kernel.tickAfter(Duration.ofSeconds(2));
    assertEquals(List.of(waiting), answered(kernel, AnswerState.READY));
    assertEquals(2, kernel.counter(KernelCounter.LEASES_REVOKED));
  }

  @Test
  void head_behindRunningCopies_revokesNothing() {
    KernelHarness kernel = harness(3, 3);
    int engine = kernel.instance("engine", 1);
    kernel.store(1, engine, 1, 2, 3);
    Command.Answer copied = kernel.lease(1, engine, 1, 2);
    CopyPlan copy = restoring(kernel, engine, copied);
    kernel.lease(1, engine, 1);
    long waiting = wait(kernel, 1, engine, 1, 2, 3);
    kernel.tickAfter(Duration.ofSeconds(10));
    assertEquals(0, kernel.counter(KernelCounter.LEASES_REVOKED));
    kernel.done(copy);
    kernel.tickAfter(Duration.ofSeconds(1));
    assertEquals(List.of(waiting), answered(kernel, AnswerState.READY));
  }

  @Test
  void phases_followTheLease() {
    KernelHarness kernel = harness(8, 8);
    int engine = kernel.instance("engine", 1);
    kernel.store(1, engine, 1, 2);
    Command.Answer lease = kernel.lease(1, engine, 1, 2);
    assertEquals(2 * RUN, kernel.kernel.status().reservedByPhase().get(ReservationPhase.READY));
    CopyPlan copy = restoring(kernel, engine, lease);
    assertEquals(0, kernel.kernel.status().reservedByPhase().get(ReservationPhase.READY));
    assertEquals(2 * RUN, kernel.kernel.status().reservedByPhase().get(ReservationPhase.RESTORING));
    kernel.done(copy);
    assertEquals(0, kernel.kernel.status().reservedByPhase().get(ReservationPhase.RESTORING));
  }

  @Test
  void waiters_ofAnEndedInstance_getAMiss() {
    KernelHarness kernel = harness(2, 2);
    int engine = kernel.instance("engine", 1);
    kernel.open(9);
    kernel.store(1, engine, 1, 2);
    kernel.lease(9, engine, 1, 2);
    long waiting = wait(kernel, 9, engine, 1);
    kernel.close(1);
    assertEquals(List.of(waiting), answered(kernel, AnswerState.MISS));
    assertEquals(0, kernel.kernel.status().reservedBytes());
  }

  @Test
  void waiters_ofAClosedSession_goWithoutAnAnswer() {
    KernelHarness kernel = harness(2, 2);
    int engine = kernel.instance("engine", 1);
    kernel.open(9);
    kernel.store(1, engine, 1, 2);
    kernel.lease(1, engine, 1, 2);
    wait(kernel, 9, engine, 1);
    kernel.close(9);
    assertTrue(kernel.commands.isEmpty());
    assertEquals(0, kernel.kernel.status().operations());
    assertEquals(1, kernel.counter(KernelCounter.QUERIES_CANCELLED));
  }
}
