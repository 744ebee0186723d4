package io.orbitkv.policy.wtinylfu;

import static org.assertj.core.api.Assertions.assertThat;

import io.orbitkv.api.policy.PageBatch.Origin;
import io.orbitkv.testkit.policy.PagesTrial;
import io.orbitkv.testkit.policy.PolicyTester;
import io.orbitkv.testkit.policy.TestPage;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

class WTinyLfuTest {
  private final PagesTrial pages = PolicyTester.of(new WTinyLfuPlugin()).pages();

  @Test
  void pagesUsedOften_surviveASweepOfPagesUsedOnce() {
    long[] hot = LongStream.range(0, 100).toArray();
    pages.insert(hot);
    for (int round = 0; round < 5; round++) {
      pages.use(hot);
    }

    // A hundred pages fit; each new one makes the one leave that scores lowest.
    for (long id = 1_000; id < 2_000; id++) {
      pages.insert(id);
      pages.remove(pages.evictionOrder().getFirst());
    }

    long left = pages.ids().stream().filter(id -> id < 100).count();
    assertThat(left).as("of 100 pages used often").isGreaterThan(70);
  }

  @Test
  void pagesThatLeaveFirst_areATenthByDefault() {
    pages.insert(LongStream.range(0, 1_000).toArray());

    long[] scores = pages.scores(pages.ids().stream().mapToLong(Long::longValue).toArray());

    assertThat(LongStream.of(scores).filter(score -> score < 1L << 61).count())
        .isBetween(85L, 120L);
  }

  @Test
  void page_readAheadAndNotAskedFor_leavesFirst() {
    pages.insert(1, 2, 3).insert(TestPage.of(4).origin(Origin.WARMING)).insert(5);

    assertThat(pages.evictionOrder().getFirst()).isEqualTo(4L);
  }

  @Test
  void page_readAheadAndUsed_isKept() {
    pages.insert(LongStream.range(0, 50).toArray());
    pages.insert(TestPage.of(99).origin(Origin.WARMING)).use(99, 99, 99);

    List<Long> order = pages.evictionOrder();

    assertThat(order.getLast()).isEqualTo(99L);
  }

  @Test
  void removedPages_areForgotten() {
    pages.insert(1, 2, 3).remove(1, 2);

    assertThat(pages.evictionOrder()).containsExactly(3L);
  }

  @Test
  void factory_ofThePolicy_saysThatItIsNotReplayable() {
    assertThat(new WTinyLfuPlugin().policies().getFirst().replayable()).isFalse();
  }
}
