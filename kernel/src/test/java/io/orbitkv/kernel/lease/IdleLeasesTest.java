package io.orbitkv.kernel.lease;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.orbitkv.api.lease.BudgetLimits;
import io.orbitkv.api.lease.ReservationPhase;
import io.orbitkv.api.page.GroupRule;
import io.orbitkv.api.page.GroupSpec;
import io.orbitkv.api.page.LayerLayout;
import io.orbitkv.api.page.Namespace;
import io.orbitkv.api.page.WorkerLayout;
import io.orbitkv.kernel.FakeMemoryTier;
import io.orbitkv.kernel.KernelSettings;
import io.orbitkv.kernel.budget.Budget;
import io.orbitkv.kernel.instance.Instance;
import io.orbitkv.kernel.residency.Residency;
import io.orbitkv.kernel.step.Step;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** Which lease is taken back, and that finding it looks at no other one. */
class IdleLeasesTest {
  private static final int MANY = 20_000;

  private final BudgetLimits limits = new BudgetLimits(1L << 40, 1L << 40);
  private final Step step = new Step(KernelSettings.of(limits, 100), new SplittableRandom(3));
  private final Residency residency =
      new Residency(new FakeMemoryTier(1 << 20), 100, step.counters());
  private final Budget budget = new Budget(limits);
  private final List<Long> closed = new ArrayList<>();
  private final Leases leases = new Leases(step, residency, budget);
  private final Instance one = instance(1);
  private final Instance two = instance(2);

  private Instance instance(int handle) {
    LayerLayout layer = new LayerLayout("layer", 0, 0, 16, 64, 1, 64, 64);
    WorkerLayout shape =
        new WorkerLayout(
            0, 1, 16, -1, List.of(new GroupSpec(0, new GroupRule.Prefix())), List.of(layer));
    return new Instance(
        handle,
        handle,
        "engine-" + handle,
        new Namespace("ab".repeat(32)),
        shape,
        residency.newInFlightIndex());
  }

  private Lease grant(Instance instance, long operation, long bytes) {
    return leases.grant(
        () -> closed.add(operation),
        instance,
        new int[] {0},
        new int[] {0},
        new int[0],
        budget.reserve(instance.account(), bytes, ReservationPhase.PREPARING));
  }

  @Test
  void revocation_ofManyLeases_looksAtEachOnce() {
    for (int i = 0; i < MANY; i++) {
      grant(i % 2 == 0 ? one : two, i, 10);
    }
    assertEquals(10L * MANY, leases.idleBytes(null));
    for (int i = 0; i < MANY / 4; i++) {
      assertTrue(leases.revokeYoungestIdle(one));
    }
    assertEquals(10L * MANY / 4, leases.idleBytes(one));
    while (leases.revokeYoungestIdle(null)) {}
    assertEquals(MANY, closed.size());
    assertEquals(MANY + 1, leases.lookedForIdle());
    assertEquals(0, leases.alive());
  }

  @Test
  void revocation_goesFromTheYoungestOn() {
    grant(one, 1, 1);
    grant(two, 2, 2);
    Lease used = grant(one, 3, 4);
    grant(two, 4, 8);
    grant(one, 5, 16);
    leases.acknowledge(used);
    leases.copyStarted(used, 0);
    assertEquals(27, leases.idleBytes(null));
    assertEquals(17, leases.idleBytes(one));
    assertEquals(10, leases.idleBytes(two));
    assertTrue(leases.revokeYoungestIdle(two));
    assertTrue(leases.revokeYoungestIdle(null));
    assertTrue(leases.revokeYoungestIdle(one));
    assertFalse(leases.revokeYoungestIdle(one));
    assertTrue(leases.revokeYoungestIdle(null));
    assertFalse(leases.revokeYoungestIdle(null));
    assertEquals(List.of(3L, 4L, 5L, 1L, 2L), closed);
    assertEquals(0, leases.idleBytes(null));
    leases.copyEnded(used);
    leases.countReferences(new int[0]);
  }
}
