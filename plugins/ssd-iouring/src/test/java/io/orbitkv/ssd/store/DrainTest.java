package io.orbitkv.ssd.store;

import static io.orbitkv.ssd.store.StoreDriver.key;
import static org.assertj.core.api.Assertions.assertThat;

import io.orbitkv.api.backing.BackingStatus;
import io.orbitkv.ssd.device.Transfer;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class DrainTest {
  private static final int CAPACITY = 4 << 20;
  private static final long PAYLOAD = 5000;

  private StoreDriver driver = StoreDriver.open(new MemoryFile(CAPACITY));
  private long next = 100;

  /** Writes pages nobody reads until a condition holds. */
  private void fillUntil(java.util.function.BooleanSupplier condition) {
    for (int i = 0; i < 2000 && !condition.getAsBoolean(); i++) {
      driver.submitWrite(driver.filled(key(next++), PAYLOAD));
      while (!driver.queue.isEmpty() && !condition.getAsBoolean()) {
        driver.carryOut(driver.first());
      }
    }
    assertThat(condition.getAsBoolean()).isTrue();
  }

  private void fill(int pages) {
    for (int i = 0; i < pages; i++) {
      driver.write(next++, PAYLOAD);
    }
  }

  /** A hot page in a segment that is about to be a victim, read into the store's buffer. */
  private void beginMoving() {
    driver.write(1, PAYLOAD);
    driver.write(2, PAYLOAD);
    assertThat(driver.read(1, PAYLOAD)).isEqualTo(BackingStatus.DONE);
    fillUntil(() -> !driver.queued(Transfer.Kind.READ).isEmpty());
  }

  private void carryOut(Transfer.Kind kind) {
    driver.carryOut(driver.queued(kind).getFirst());
  }

  private Transfer copy() {
    return driver.queued(Transfer.Kind.WRITE).stream()
        .filter(each -> each.spans().size() == 2)
        .toList()
        .getLast();
  }

  @Test
  void victims_loseTheirColdPagesAndKeepTheirHotOnes() {
    driver.write(1, PAYLOAD);
    driver.write(2, PAYLOAD);
    for (int i = 0; i < 600; i++) {
      assertThat(driver.read(1, PAYLOAD)).as("round %d", i).isEqualTo(BackingStatus.DONE);
      fill(1);
    }
    assertThat(driver.lost).contains(key(2)).doesNotContain(key(1));
    assertThat(driver.store.usage().reinsertedBytes()).isPositive();
    assertThat(driver.store.usage().lostPages()).isEqualTo(driver.lost.size());
    StoreDriver again = driver.killAndOpen();
    assertThat(again.read(1, PAYLOAD)).isEqualTo(BackingStatus.DONE);
  }

  @Test
  void pagesWithHigherScores_areKeptLonger() {
    for (int i = 0; i < 20; i++) {
      driver.write(i, PAYLOAD);
    }
    for (int i = 0; i < 20; i++) {
      driver.store.score(key(i), 1_000_000);
    }
    fill(500);
    assertThat(driver.lost).doesNotContain(key(0), key(5), key(19));
  }

  @Test
  void victim_isOverwrittenOnlyAfterItsCopiesAndItsNewHeaderAreDurable() {
    beginMoving();
    carryOut(Transfer.Kind.READ);
    driver.check(0);
    Transfer copy = copy();
    assertThat(driver.lost).isEmpty();
    driver.carryOut(copy);
    assertThat(driver.lost).isEmpty();
    // A sync, then pages are told as lost, and the header is replaced.
    while (driver.lost.isEmpty()) {
      driver.carryOut(driver.first());
    }
    StoreDriver atLost = driver.killAndOpen();
    assertThat(atLost.read(1, PAYLOAD)).isEqualTo(BackingStatus.DONE);
    assertThat(atLost.read(2, PAYLOAD)).isEqualTo(BackingStatus.DONE);
    assertThat(atLost.store.usage().start().olderCopies()).isEqualTo(1);
    driver.settle();
    StoreDriver after = driver.killAndOpen();
    assertThat(after.read(1, PAYLOAD)).isEqualTo(BackingStatus.DONE);
    assertThat(after.read(2, PAYLOAD)).isEqualTo(BackingStatus.ABSENT);
  }

  @Test
  void copyOfWhichOnlyTheHeaderArrived_doesNotReplaceItsOriginal() {
    beginMoving();
    carryOut(Transfer.Kind.READ);
    driver.check(0);
    Transfer copy = copy();
    // All before it in its segment, too.
    driver.queued(Transfer.Kind.WRITE).forEach(driver::carryOut);
    MemoryFile after = driver.file.copy();
    // The power fails before the sync: the device kept the header and not the payload.
    int payload = (int) copy.offset() + 4096;
    java.util.Arrays.fill(after.bytes, payload, payload + 8192, (byte) 0);
    StoreDriver again = StoreDriver.open(after);
    assertThat(again.store.usage().start().olderCopies()).isEqualTo(1);
    assertThat(again.read(1, PAYLOAD)).isEqualTo(BackingStatus.DONE);
    assertThat(StoreDriver.open(after.copy()).read(1, PAYLOAD)).isEqualTo(BackingStatus.DONE);
  }

  @Test
  void read_ofAPageThatIsMovedMeanwhile_isDone() {
    beginMoving();
    long ticket = driver.submitRead(driver.blank(key(1), PAYLOAD), false);
    Transfer slow = driver.queued(Transfer.Kind.READ).getLast();
    while (driver.queue.size() > 1 || !driver.checks.isEmpty()) {
      if (!driver.checks.isEmpty()) {
        driver.check(0);
      } else {
        driver.carryOut(driver.queue.stream().filter(each -> each != slow).findFirst().get());
      }
      driver.store.hurry();
    }
    assertThat(driver.store.usage().reinsertedBytes()).isPositive();
    driver.settle();
    assertThat(driver.reads).containsEntry(ticket, BackingStatus.DONE);
  }

  @Test
  void evict_ofAPageThatIsMoved_holdsForBothCopiesAtEachStep() {
    for (int step = 0; step < 40; step++) {
      driver = StoreDriver.open(new MemoryFile(CAPACITY));
      beginMoving();
      for (int i = 0; i < step; i++) {
        if (!driver.checks.isEmpty()) {
          driver.check(0);
        } else if (!driver.queue.isEmpty()) {
          driver.carryOut(driver.first());
        }
      }
      driver.store.evict(99, key(1));
      while (!driver.evictions.contains(99L)) {
        if (!driver.checks.isEmpty()) {
          driver.check(0);
        } else {
          driver.carryOut(driver.first());
        }
      }
      assertThat(driver.killAndOpen().findable).as("step %d", step).doesNotContainKey(key(1));
      driver.settle();
      assertThat(driver.killAndOpen().findable).as("step %d", step).doesNotContainKey(key(1));
      assertThat(driver.read(1, PAYLOAD)).isEqualTo(BackingStatus.ABSENT);
    }
  }

  @Test
  void write_ofAPageThatWasJustLost_isNotUndoneByALaterEviction() {
    beginMoving();
    while (driver.lost.isEmpty()) {
      if (!driver.checks.isEmpty()) {
        driver.check(0);
      } else {
        driver.carryOut(driver.first());
      }
    }
    assertThat(driver.lost).contains(key(2));
    // Its old record is still on the device.
    long ticket = driver.submitWrite(driver.filled(key(2), PAYLOAD));
    driver.store.evict(99, key(2));
    List<Transfer> renewals = new ArrayList<>();
    while (!driver.evictions.contains(99L)) {
      Transfer transfer = driver.first();
      if (transfer.kind() == Transfer.Kind.WRITE && isSegmentHeader(transfer)) {
        renewals.add(transfer);
        driver.queue.removeFirst();
      } else {
        driver.carryOut(transfer);
      }
    }
    assertThat(renewals).isNotEmpty();
    assertThat(driver.killAndOpen().findable).doesNotContainKey(key(2));
    driver.queue.addAll(renewals);
    driver.settle();
    assertThat(driver.writes).containsEntry(ticket, BackingStatus.ABSENT);
  }

  private static boolean isSegmentHeader(Transfer transfer) {
    Layout layout = Layout.of(CAPACITY, 0, 4096, 1);
    return transfer.offset() >= layout.segment(0)
        && (transfer.offset() - layout.segment(0)) % layout.segmentBytes() == 0;
  }

  @Test
  void pageThatIsMoved_carriesItsChecksumAndIsDroppedWhenItDoesNotMatch() {
    driver.write(1, PAYLOAD);
    driver.submitRead(driver.blank(key(1), PAYLOAD), false);
    long offset = driver.queued(Transfer.Kind.READ).getFirst().offset();
    driver.settle();
    fillUntil(() -> !driver.queued(Transfer.Kind.READ).isEmpty());
    driver.file.bytes[(int) offset + 4096 + 10] ^= 1;
    driver.settle();
    assertThat(driver.lost).contains(key(1));
    assertThat(driver.store.usage().corruptPages()).isEqualTo(1);
    assertThat(driver.store.usage().reinsertedBytes()).isZero();
    assertThat(driver.read(1, PAYLOAD)).isEqualTo(BackingStatus.ABSENT);
  }

  @Test
  void copyThatFails_losesThePageAtMost() {
    beginMoving();
    carryOut(Transfer.Kind.READ);
    driver.check(0);
    driver.end(copy(), 5);
    driver.settle();
    assertThat(driver.lost).contains(key(1));
    assertThat(driver.store.idle()).isTrue();
    assertThat(driver.write(1, PAYLOAD)).isEqualTo(BackingStatus.DONE);
    assertThat(driver.read(1, PAYLOAD)).isEqualTo(BackingStatus.DONE);
  }
}
