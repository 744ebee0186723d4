package io.orbitkv.policy.returndensity;

import static org.assertj.core.api.Assertions.assertThat;

import io.orbitkv.api.policy.PageBatch.Origin;
import io.orbitkv.testkit.policy.PagesTrial;
import io.orbitkv.testkit.policy.PolicyTester;
import io.orbitkv.testkit.policy.TestPage;
import org.junit.jupiter.api.Test;

class ReturnDensityTest {
  private final PagesTrial pages = PolicyTester.of(new ReturnDensityPlugin()).pages();

  @Test
  void page_readAheadAndNotAskedFor_leavesFirst() {
    pages.insert(1).insert(TestPage.of(2).origin(Origin.WARMING));

    assertThat(pages.evictionOrder()).containsExactly(2L, 1L);
  }

  @Test
  void adoptedPages_withoutEvents_areScored() {
    pages.insert(1, 2, 3).adopt();

    assertThat(pages.evictionOrder()).containsExactlyInAnyOrder(1L, 2L, 3L);
  }
}
