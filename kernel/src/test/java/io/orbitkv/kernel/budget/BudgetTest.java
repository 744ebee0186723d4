package io.orbitkv.kernel.budget;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.orbitkv.api.lease.BudgetLimits;
import io.orbitkv.api.lease.ReservationPhase;
import io.orbitkv.kernel.BrokenInvariant;
import org.junit.jupiter.api.Test;

class BudgetTest {
  private final Budget budget = new Budget(new BudgetLimits(100, 80));
  private final Account one = new Account();
  private final Account two = new Account();

  @Test
  void admission_followsTheOrderOfTheSpecification() {
    assertEquals(Admission.TOO_LARGE, budget.judge(one, 81, ReservationPhase.PREPARING));
    assertEquals(Admission.TOO_LARGE, budget.judge(one, 21, ReservationPhase.PRELOADING));
    assertEquals(Admission.ADMITTED, budget.judge(one, 80, ReservationPhase.PREPARING));
    budget.reserve(one, 60, ReservationPhase.PREPARING);
    assertEquals(Admission.INSTANCE_FULL, budget.judge(one, 21, ReservationPhase.PREPARING));
    assertEquals(Admission.TOTAL_FULL, budget.judge(two, 41, ReservationPhase.PREPARING));
    assertEquals(Admission.YIELDS, budget.judge(two, 1, ReservationPhase.WARMING));
    budget.check();
  }

  @Test
  void speculation_staysInsideItsQuarter() {
    budget.reserve(one, 20, ReservationPhase.PRELOADING);
    assertEquals(Admission.INSTANCE_FULL, budget.judge(one, 1, ReservationPhase.PRELOADING));
    budget.reserve(two, 5, ReservationPhase.WARMING);
    assertEquals(Admission.TOTAL_FULL, budget.judge(two, 1, ReservationPhase.PRELOADING));
    assertEquals(25, budget.speculativeBytes());
    assertEquals(20, one.speculativeBytes());
    budget.check();
  }

  @Test
  void claim_freesTheSpeculativeShareAndNoBytes() {
    Reservation reservation = budget.reserve(one, 20, ReservationPhase.PRELOADING);
    budget.shrink(reservation, 15);
    budget.move(reservation, ReservationPhase.PREPARED);
    budget.move(reservation, ReservationPhase.READY);
    budget.move(reservation, ReservationPhase.READY);
    assertEquals(0, budget.speculativeBytes());
    assertEquals(15, budget.totalBytes());
    assertEquals(20, budget.peakBytes());
    budget.release(reservation);
    assertEquals(0, budget.totalBytes());
    assertEquals(0, budget.owners());
    budget.check();
  }

  @Test
  void illegalChanges_breakAnInvariant() {
    Reservation warming = budget.reserve(one, 5, ReservationPhase.WARMING);
    assertThrows(BrokenInvariant.class, () -> budget.move(warming, ReservationPhase.READY));
    assertThrows(BrokenInvariant.class, () -> budget.shrink(warming, 6));
    budget.release(warming);
    assertThrows(BrokenInvariant.class, () -> budget.release(warming));
    Reservation demand = budget.reserve(one, 5, ReservationPhase.PREPARING);
    assertThrows(BrokenInvariant.class, () -> budget.move(demand, ReservationPhase.RESTORING));
    assertThrows(BrokenInvariant.class, () -> budget.reserve(one, 76, ReservationPhase.PREPARING));
  }
}
