package io.orbitkv.workload.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

class DevicePoolTest {
  private final DevicePool pool = new DevicePool(8);

  @Test
  void acquire_afterGivingBackValidPages_findsThePrefix() throws InterruptedException {
    pool.acquire(keys(1, 2, 3)).giveBack(true);

    DevicePool.Pages again = pool.acquire(keys(1, 2, 9));

    assertThat(again.hits()).isEqualTo(2);
    assertThat(again.count()).isEqualTo(3);
  }

  @Test
  void acquire_afterGivingBackInvalidPages_findsNothing() throws InterruptedException {
    pool.acquire(keys(1, 2, 3)).giveBack(false);

    assertThat(pool.acquire(keys(1, 2, 3)).hits()).isZero();
  }

  @Test
  void acquire_fullOfUnusedPages_givesUpTheLeastRecentlyUsedTailFirst()
      throws InterruptedException {
    pool.acquire(keys(1, 2, 3, 4)).giveBack(true);
    pool.acquire(keys(5, 6, 7, 8)).giveBack(true);
    pool.acquire(keys(20)).giveBack(true);

    assertThat(pool.acquire(keys(1, 2, 3, 4)).hits()).isEqualTo(3);
  }

  @Test
  void acquire_pagesInUse_areNotGivenToOthers() throws InterruptedException {
    DevicePool.Pages first = pool.acquire(keys(1, 2, 3, 4));
    DevicePool.Pages second = pool.acquire(keys(1, 2, 3, 4));

    assertThat(second.hits()).isZero();
    assertThat(first.range(0, 4)).doesNotContain(second.range(0, 4));
    assertThat(pool.usedPages()).isEqualTo(8);
  }

  @Test
  void giveBack_twoCopiesOfOnePage_keepsOneAndFreesTheOther() throws InterruptedException {
    DevicePool.Pages first = pool.acquire(keys(1, 2));
    DevicePool.Pages second = pool.acquire(keys(1, 2));
    first.giveBack(true);
    second.giveBack(true);

    assertThat(pool.usedPages()).isZero();
    int[] cached = new int[1];
    pool.forEachCached((page, key) -> cached[0]++);
    assertThat(cached[0]).isEqualTo(2);
    assertThat(pool.acquire(keys(11, 12, 13, 14, 15, 16, 17, 18)).hits()).isZero();
  }

  @Test
  void acquire_sharedPrefix_staysUntilItsLastUserGivesItBack() throws InterruptedException {
    pool.acquire(keys(1, 2)).giveBack(true);
    DevicePool.Pages first = pool.acquire(keys(1, 2));
    DevicePool.Pages second = pool.acquire(keys(1, 2));
    first.giveBack(true);

    assertThat(second.hits()).isEqualTo(2);
    assertThat(pool.usedPages()).isEqualTo(2);
    second.giveBack(true);
    assertThat(pool.usedPages()).isZero();
  }

  @Test
  void acquire_noRoom_waitsUntilPagesComeBack() throws InterruptedException {
    DevicePool.Pages all = pool.acquire(keys(1, 2, 3, 4, 5, 6));
    CountDownLatch served = new CountDownLatch(1);
    Thread waiter =
        Thread.ofPlatform()
            .start(() -> {
              try {
                pool.acquire(keys(7, 8, 9)).giveBack(true);
                served.countDown();
              } catch (InterruptedException stopped) {
                Thread.currentThread().interrupt();
              }
            });
    assertThat(served.getCount()).isOne();

    all.giveBack(true);

    assertThat(served.await(30, TimeUnit.SECONDS)).isTrue();
    waiter.join();
    assertThat(pool.usedPages()).isZero();
  }

  @Test
  void acquire_morePagesThanThereAre_isRefused() {
    assertThatThrownBy(() -> pool.acquire(keys(1, 2, 3, 4, 5, 6, 7, 8, 9)))
        .hasMessageContaining("[9] pages: the device has 8");
  }

  @Test
  void giveBack_twice_isRefused() throws InterruptedException {
    DevicePool.Pages pages = pool.acquire(keys(1));
    pages.giveBack(true);

    assertThatThrownBy(() -> pages.giveBack(true)).hasMessageContaining("twice");
  }

  private static long[] keys(long... ids) {
    return LongStream.of(ids).flatMap(id -> LongStream.of(id, ~id)).toArray();
  }
}
