package io.orbitkv.policy.segmentedlru;

import static org.assertj.core.api.Assertions.assertThat;

import io.orbitkv.api.policy.PageBatch.Origin;
import io.orbitkv.testkit.policy.PagesTrial;
import io.orbitkv.testkit.policy.PolicyTester;
import io.orbitkv.testkit.policy.TestPage;
import org.junit.jupiter.api.Test;

class SegmentedLruTest {
  private final PagesTrial pages = pages("0.8");

  private static PagesTrial pages(String share) {
    return PolicyTester.of(new SegmentedLruPlugin()).set("protected-share", share).pages();
  }

  @Test
  void page_usedAgain_outlastsThoseUsedOnceHoweverNew() {
    pages.insert(1, 2).use(1).insert(3, 4);

    assertThat(pages.evictionOrder()).containsExactly(2L, 3L, 4L, 1L);
  }

  @Test
  void protectedPages_beyondTheirShare_areOnProbationAgainOldestFirst() {
    PagesTrial half = pages("0.5");
    half.insert(1, 2, 3, 4).use(1, 2, 3);

    // Two of four stay protected; page 1 is on probation with its last use.
    assertThat(half.evictionOrder()).containsExactly(4L, 1L, 2L, 3L);
  }

  @Test
  void protectedPages_amongThemselves_leaveInOrderOfUse() {
    pages.insert(1, 2, 3, 4).use(2, 1, 2);

    assertThat(pages.evictionOrder()).containsExactly(3L, 4L, 1L, 2L);
  }

  @Test
  void page_removedAndInsertedAnew_isOnProbation() {
    pages.insert(1, 2, 3).use(1).remove(1).insert(1);

    assertThat(pages.evictionOrder()).containsExactly(2L, 3L, 1L);
    pages.use(2);
    assertThat(pages.evictionOrder()).containsExactly(3L, 1L, 2L);
  }

  @Test
  void page_largerThanTheShare_isNotProtected() {
    PagesTrial half = pages("0.5");
    half.insert(TestPage.of(1).bytes(30)).insert(TestPage.of(2).bytes(10)).use(1, 2);
    half.insert(TestPage.of(3).bytes(10));

    assertThat(half.evictionOrder()).containsExactly(1L, 3L, 2L);
  }

  @Test
  void page_readAhead_isNotProtectedAndLeavesFirst() {
    pages.insert(1).insert(TestPage.of(2).origin(Origin.PREPARATION)).insert(3);

    assertThat(pages.evictionOrder()).containsExactly(2L, 1L, 3L);
  }

  @Test
  void share_ofNothing_isLeastRecentlyUsed() {
    PagesTrial none = pages("0");
    none.insert(1, 2).use(1).insert(3);

    assertThat(none.evictionOrder()).containsExactly(2L, 1L, 3L);
  }

  @Test
  void adoptedPages_thatWereUsed_areProtected() {
    pages.insert(1, 2).use(1).insert(3).adopt();

    assertThat(pages.evictionOrder(1, 2, 3).getLast()).isEqualTo(1L);
  }
}
