package io.orbitkv.kernel.budget;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.orbitkv.kernel.BrokenInvariant;
import io.orbitkv.kernel.OperationLimits;
import org.junit.jupiter.api.Test;

/** Numbers of operations. */
class PermitsTest {
  private final Permits permits = new Permits(new OperationLimits(3, 4, 2, 3, 1, 1, 1));
  private final PermitAccount account = new PermitAccount();

  private Permit acquire(boolean speculative, boolean preparation) {
    Permit permit = permits.acquire(account, speculative, preparation);
    assertNotNull(permit);
    return permit;
  }

  @Test
  void account_atItsLimit_getsNoMore() {
    for (int i = 0; i < 3; i++) {
      acquire(false, false);
    }
    assertNull(permits.acquire(account, false, false));
    assertEquals(3, account.all());
  }

  @Test
  void allAccounts_atTheirLimit_getNoMore() {
    for (int i = 0; i < 3; i++) {
      acquire(false, false);
    }
    PermitAccount other = new PermitAccount();
    assertNotNull(permits.acquire(other, false, false));
    assertNull(permits.acquire(other, false, false));
  }

  @Test
  void speculation_hasLimitsOfItsOwn() {
    acquire(true, true);
    assertNull(permits.acquire(account, true, true));
    acquire(true, false);
    assertNull(permits.acquire(account, true, false));
    PermitAccount other = new PermitAccount();
    assertNotNull(permits.acquire(other, true, false));
    assertNull(permits.acquire(other, true, false));
    assertEquals(3, permits.speculative());
    assertEquals(2, account.speculative());
    assertEquals(1, account.preparations());
  }

  @Test
  void foreground_leavesTheSpeculativeCountsOnce() {
    Permit permit = acquire(true, true);
    permits.makeForeground(permit);
    permits.makeForeground(permit);
    assertEquals(0, permits.speculative());
    assertEquals(0, account.preparations());
    assertEquals(1, permits.all());
  }

  @Test
  void permit_goesWithItsLastHolder() {
    Permit permit = acquire(true, false);
    permit.hold();
    permits.release(permit);
    assertEquals(1, permits.all());
    permits.release(permit);
    assertEquals(0, permits.all());
    assertEquals(0, permits.speculative());
    permits.makeForeground(permit);
    assertEquals(0, permits.all());
    assertThrows(BrokenInvariant.class, () -> permits.release(permit));
  }
}
