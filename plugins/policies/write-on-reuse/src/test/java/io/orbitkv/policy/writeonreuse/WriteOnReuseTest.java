package io.orbitkv.policy.writeonreuse;

import static org.assertj.core.api.Assertions.assertThat;

import io.orbitkv.api.policy.Admission;
import io.orbitkv.testkit.policy.PolicyTester;
import org.junit.jupiter.api.Test;

class WriteOnReuseTest {
  private static final Admission DROPPED = Admission.drop(WriteOnReuse.UNPROVEN);
  private static final Admission SAVED_AGAIN = Admission.admit(WriteOnReuse.SAVED_AGAIN);
  private static final Admission RETURNED = Admission.admit(WriteOnReuse.RETURNED);

  private final PolicyTester policy = PolicyTester.of(new WriteOnReusePlugin());

  @Test
  void chain_savedTheFirstTime_isDropped() {
    assertThat(policy.chain(1).admitToStore()).isEqualTo(DROPPED);
    assertThat(policy.chain(2).admitToMemory()).isEqualTo(DROPPED);
  }

  @Test
  void chain_savedASecondTimeWithinTheHistory_isAdmitted() {
    policy.chain(1).admitToMemory();

    assertThat(policy.chain(1).admitToMemory()).isEqualTo(SAVED_AGAIN);
  }

  @Test
  void chain_savedASecondTimeAfterTheHistoryForgotIt_isDropped() {
    PolicyTester small = PolicyTester.of(new WriteOnReusePlugin()).set("history", "2");
    small.chain(1).admitToMemory();
    small.chain(2).admitToMemory();
    small.chain(3).admitToMemory();

    assertThat(small.chain(1).admitToMemory()).isEqualTo(DROPPED);
    assertThat(small.chain(3).admitToMemory()).isEqualTo(SAVED_AGAIN);
  }

  @Test
  void history_byDefault_holdsSixteenThousandChains() {
    for (long chain = 0; chain < 16_384; chain++) {
      policy.chain(chain).admitToMemory();
    }
    assertThat(policy.chain(0).admitToMemory()).isEqualTo(SAVED_AGAIN);
    policy.chain(16_384).admitToMemory();
    policy.chain(16_385).admitToMemory();

    assertThat(policy.chain(1).admitToMemory()).isEqualTo(DROPPED);
  }

  @Test
  void chain_thatServedAForegroundRequest_isAdmittedAtOnce() {
    assertThat(policy.chain(1).used(1).admitToStore()).isEqualTo(RETURNED);
    assertThat(policy.chain(2).used(1).admitToMemory()).isEqualTo(RETURNED);
  }

  @Test
  void oneSave_thatPassesBothBorders_countsOnce() {
    assertThat(policy.chain(1).admitToMemory()).isEqualTo(DROPPED);
    assertThat(policy.chain(1).admitToMemory()).isEqualTo(SAVED_AGAIN);
    assertThat(policy.chain(1).admitToStore()).isEqualTo(SAVED_AGAIN);
  }

  @Test
  void save_thatHitsHostMemory_isNoReuseForTheStore() {
    policy.chain(1).admitToMemory();

    // Saved again while it is in host memory: nobody asks at that border, only at the next one.
    assertThat(policy.chain(1).admitToStore()).isEqualTo(DROPPED);
    assertThat(policy.chain(1).admitToStore()).isEqualTo(DROPPED);
  }
}
