package io.orbitkv.policy.lru;

import static org.assertj.core.api.Assertions.assertThat;

import io.orbitkv.api.policy.PageBatch.Origin;
import io.orbitkv.testkit.policy.PagesTrial;
import io.orbitkv.testkit.policy.PolicyTester;
import io.orbitkv.testkit.policy.TestPage;
import org.junit.jupiter.api.Test;

class LruTest {
  private final PagesTrial pages = PolicyTester.of(new LruPlugin()).pages();

  @Test
  void pages_neverUsed_leaveInOrderOfInsertion() {
    pages.insert(3, 1, 2);

    assertThat(pages.evictionOrder()).containsExactly(3L, 1L, 2L);
  }

  @Test
  void page_usedAgain_leavesAfterThoseInsertedSince() {
    pages.insert(1, 2, 3).use(1);

    assertThat(pages.evictionOrder()).containsExactly(2L, 3L, 1L);
  }

  @Test
  void page_insertedAnew_countsAsNew() {
    pages.insert(1, 2).remove(1).insert(1);

    assertThat(pages.evictionOrder()).containsExactly(2L, 1L);
  }

  @Test
  void page_readAheadAndNotAskedFor_leavesFirst() {
    pages
        .insert(1)
        .insert(TestPage.of(2).origin(Origin.WARMING))
        .insert(TestPage.of(3).origin(Origin.PREPARATION));

    assertThat(pages.evictionOrder()).containsExactly(2L, 3L, 1L);
  }

  @Test
  void page_readAheadAndUsed_isLikeAnyOther() {
    pages.insert(1).insert(TestPage.of(2).origin(Origin.WARMING)).use(2);

    assertThat(pages.evictionOrder()).containsExactly(1L, 2L);
  }

  @Test
  void adoptedPages_withoutEvents_leaveByTheirLastUse() {
    pages.insert(1, 2, 3).use(2, 1, 3).adopt();

    assertThat(pages.evictionOrder()).containsExactly(2L, 1L, 3L);
  }

  @Test
  void page_neverHeardOf_agesFromItsFirstScoring() {
    pages.insert(1, 2).adopt();
    pages.scores(1);
    pages.insert(3);

    assertThat(pages.evictionOrder(3, 1)).containsExactly(1L, 3L);
  }
}
