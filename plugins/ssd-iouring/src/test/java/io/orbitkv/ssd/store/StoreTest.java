package io.orbitkv.ssd.store;

import static io.orbitkv.ssd.store.StoreDriver.key;
import static org.assertj.core.api.Assertions.assertThat;

import io.orbitkv.api.backing.BackingStatus;
import org.junit.jupiter.api.Test;

class StoreTest {
  private static final int CAPACITY = 4 << 20;

  private final StoreDriver driver = StoreDriver.open(new MemoryFile(CAPACITY));

  @Test
  void read_ofAWrittenPage_isDoneWithItsBytes() {
    assertThat(driver.write(1, 5000, 4096)).isEqualTo(BackingStatus.DONE);
    assertThat(driver.findable).containsEntry(key(1), 9096L);
    assertThat(driver.read(1, 5000, 4096)).isEqualTo(BackingStatus.DONE);
    assertThat(driver.store.usage().pages()).isEqualTo(1);
    assertThat(driver.store.usage().liveBytes()).isEqualTo(9096);
  }

  @Test
  void read_ofAnUnknownPage_isAbsent() {
    assertThat(driver.read(1, 4096)).isEqualTo(BackingStatus.ABSENT);
  }

  @Test
  void read_ofAnotherShape_isShortAndThePageStays() {
    driver.write(1, 5000, 4096);
    assertThat(driver.read(1, 5001, 4096)).isEqualTo(BackingStatus.SHORT);
    assertThat(driver.read(1, 9096)).isEqualTo(BackingStatus.SHORT);
    assertThat(driver.read(1, 5000, 4096)).isEqualTo(BackingStatus.DONE);
  }

  @Test
  void open_afterACleanStop_hasThePages() {
    for (int i = 0; i < 20; i++) {
      driver.write(i, 3000 + i);
    }
    StoreDriver again = driver.closeAndOpen();
    assertThat(again.findable).hasSize(20);
    assertThat(again.store.usage().start().clean()).isTrue();
    assertThat(again.store.usage().start().walkedSegments()).isZero();
    for (int i = 0; i < 20; i++) {
      assertThat(again.read(i, 3000 + i)).isEqualTo(BackingStatus.DONE);
    }
  }

  @Test
  void open_afterAKill_hasEveryReportedPage() {
    for (int i = 0; i < 20; i++) {
      driver.write(i, 3000 + i);
    }
    StoreDriver again = driver.killAndOpen();
    assertThat(again.findable).hasSize(20);
    assertThat(again.store.usage().start().walkedSegments()).isEqualTo(1);
    for (int i = 0; i < 20; i++) {
      assertThat(again.read(i, 3000 + i)).isEqualTo(BackingStatus.DONE);
    }
  }

  @Test
  void write_beyondTheCapacity_losesPagesAndTellsSo() {
    for (int i = 0; i < 2000; i++) {
      assertThat(driver.write(i, 5000)).as("write %d", i).isEqualTo(BackingStatus.DONE);
    }
    assertThat(driver.findable.size()).isBetween(100, 400);
    assertThat(driver.findable).hasSize((int) driver.store.usage().pages());
    for (int i = 0; i < 2000; i++) {
      assertThat(driver.read(i, 5000))
          .isEqualTo(
              driver.findable.containsKey(key(i)) ? BackingStatus.DONE : BackingStatus.ABSENT);
    }
    StoreDriver again = driver.killAndOpen();
    assertThat(again.findable.keySet()).containsAll(driver.findable.keySet());
  }

  @Test
  void evict_ofAPage_isDurable() {
    driver.write(1, 5000);
    driver.write(2, 5000);
    driver.evict(key(1));
    driver.evict(key(7));
    assertThat(driver.read(1, 5000)).isEqualTo(BackingStatus.ABSENT);
    assertThat(driver.killAndOpen().findable).containsOnlyKeys(key(2));
    assertThat(driver.closeAndOpen().findable).containsOnlyKeys(key(2));
  }
}
