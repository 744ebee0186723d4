package io.orbitkv.kernel.residency;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.orbitkv.api.memory.HostChunk;
import io.orbitkv.api.policy.Facts;
import io.orbitkv.api.policy.PageBatch.Origin;
import io.orbitkv.kernel.BrokenInvariant;
import io.orbitkv.kernel.FakeMemoryTier;
import io.orbitkv.kernel.KernelCounter;
import io.orbitkv.kernel.step.Counters;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** References on pages, what they keep, and in which order pages go when memory is short. */
class ResidencyTest {
  private static final int PAGES = 4;
  private static final long PAGE_BYTES = 4096;
  private static final int RANK = 0;
  private static final long PUBLISH = 1;
  private static final long[] RUN = {PAGE_BYTES};
  private static final int[] ANY_NODE = {-1};
  private static final Residency.Place UNKNOWN_PLACE =
      new Residency.Place(Origin.DEMAND, 0, Facts.UNKNOWN);

  private final Counters counters = new Counters();
  private final FakeMemoryTier memory = new FakeMemoryTier(PAGES * PAGE_BYTES);
  private final Residency residency = new Residency(memory, 2 * PAGES, counters);
  private long newcomer = 100;
  private final PageIndex inFlight = residency.newInFlightIndex();

  @BeforeEach
  void activateMemory() {
    for (HostChunk chunk : memory.chunks()) {
      memory.activate(chunk);
    }
  }

  private int sealed(long name, int parent) {
    int page = residency.allocate(inFlight, 0, name, name, RUN, ANY_NODE);
    assertFalse(page == Residency.NONE, "memory is short");
    residency.claim(page, RANK, PUBLISH);
    residency.copied(page, RANK);
    residency.committed(page, RANK);
    residency.seal(inFlight, page, parent);
    return page;
  }

  private int sealed(long name) {
    return sealed(name, Residency.NONE);
  }

  private int read(long name, RetentionClass retention) {
    int page = residency.allocateForRead(0, name, name, RUN, ANY_NODE);
    residency.read(page, retention, false, UNKNOWN_PLACE);
    return page;
  }

  /** Names below 100 of the next pages that go, one after another, when others come. */
  private List<Long> evicted(int count) {
    List<Long> gone = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      List<Long> before = names();
      // Nobody gives it up, so that it is no victim itself.
      residency.hold(sealed(++newcomer));
      before.removeAll(names());
      gone.addAll(before);
    }
    return gone;
  }

  private List<Long> names() {
    List<Long> names = new ArrayList<>();
    for (long name = 1; name <= PAGES; name++) {
      if (residency.find(0, name, name) != Residency.NONE) {
        names.add(name);
      }
    }
    return names;
  }

  private void verify(int... held) {
    int[] references = new int[residency.highWater()];
    for (int page : held) {
      references[page]++;
    }
    residency.verify(references);
    residency.check();
  }

  // ---- writes ----------------------------------------------------------------------------------

  @Test
  void pageThatIsWritten_isNoVictim() {
    int written = sealed(1);
    sealed(2);
    sealed(3);
    sealed(4);
    residency.hold(written);
    verify(written);
    assertEquals(List.of(2L, 3L, 4L), evicted(3));
  }

  @Test
  void allPagesHeld_aFurtherOneFindsNoMemory() {
    for (long name = 1; name <= PAGES; name++) {
      residency.hold(sealed(name));
    }
    assertEquals(Residency.NONE, residency.allocate(inFlight, 0, 9, 9, RUN, ANY_NODE));
    assertEquals(1, counters.get(KernelCounter.ALLOCATION_FAILURES));
    assertEquals(0, counters.get(KernelCounter.EVICTED_PAGES));
  }

  @Test
  void endOfAWrite_isNoUseOfThePage() {
    int written = sealed(1);
    sealed(2);
    sealed(3);
    sealed(4);
    residency.hold(written);
    residency.letGoOfWrite(written);
    verify();
    assertEquals(List.of(1L, 2L), evicted(2));
  }

  @Test
  void endOfAWrite_ofAPageUsedSince_keepsThePlaceOfThatUse() {
    int written = sealed(1);
    int second = sealed(2);
    sealed(3);
    sealed(4);
    residency.hold(written);
    residency.touch(second);
    residency.touch(written);
    residency.letGoOfWrite(written);
    verify();
    assertEquals(List.of(3L, 4L, 2L, 1L), evicted(4));
  }

  @Test
  void endOfACopy_isAUseOfThePage() {
    int copied = sealed(1);
    sealed(2);
    sealed(3);
    sealed(4);
    residency.hold(copied);
    residency.letGo(copied);
    verify();
    assertEquals(List.of(2L, 3L, 4L, 1L), evicted(4));
  }

  @Test
  void endOfAWrite_ofALeasedPage_leavesItToTheLease() {
    int page = sealed(1);
    sealed(2);
    sealed(3);
    sealed(4);
    residency.lease(page);
    residency.hold(page);
    assertEquals(2, residency.references(page));
    residency.letGoOfWrite(page);
    verify(page);
    assertEquals(List.of(2L), evicted(1));
    residency.letGo(page);
    assertEquals(0, residency.references(page));
    assertEquals(List.of(3L, 4L, 1L), evicted(3));
  }

  @Test
  void endOfAWrite_ofAPageThatAnotherFollows_makesItNoVictim() {
    int parent = sealed(1);
    int child = sealed(2, parent);
    residency.hold(parent);
    residency.hold(child);
    residency.letGoOfWrite(parent);
    sealed(3);
    sealed(4);
    verify(child);
    assertEquals(List.of(3L, 4L), evicted(2));
    residency.letGoOfWrite(child);
    assertEquals(List.of(2L, 1L), evicted(2));
  }

  @Test
  void endOfAWrite_ofAPageThatLeft_freesItsMemory() {
    int page = sealed(1);
    residency.hold(page);
    assertEquals(0, residency.evictRange(0, residency.highWater()));
    assertEquals(Residency.NONE, residency.find(0, 1, 1));
    assertEquals(PageState.ORPHAN, residency.state(page));
    assertEquals(PAGE_BYTES, memory.usage().allocatedBytes());
    verify(page);
    residency.letGoOfWrite(page);
    assertEquals(0, memory.usage().allocatedBytes());
    verify();
  }

  @Test
  void endOfAWrite_ofAQuarantinedPage_leavesItThere() {
    int page = sealed(1);
    residency.hold(page);
    residency.quarantine(page);
    residency.letGoOfWrite(page);
    assertEquals(PageState.QUARANTINED, residency.state(page));
    assertEquals(PAGE_BYTES, memory.usage().allocatedBytes());
    verify();
  }

  @Test
  void referenceGivenBackTwice_breaksAnInvariant() {
    int page = sealed(1);
    residency.hold(page);
    residency.letGo(page);
    BrokenInvariant broken = assertThrows(BrokenInvariant.class, () -> residency.letGo(page));
    assertTrue(broken.getMessage().contains("[-1] references"), broken::getMessage);
  }

  // ---- promotion -------------------------------------------------------------------------------

  @Test
  void reclaimablePages_goBeforeOlderOnes() {
    sealed(1);
    sealed(2);
    read(3, RetentionClass.RECLAIMABLE);
    read(4, RetentionClass.RECLAIMABLE);
    assertEquals(List.of(3L, 4L, 1L, 2L), evicted(4));
  }

  @Test
  void promotedPage_goesByItsUse() {
    int page = read(1, RetentionClass.RECLAIMABLE);
    sealed(2);
    sealed(3);
    sealed(4);
    residency.lease(page);
    residency.promote(page);
    residency.letGo(page);
    verify();
    assertEquals(List.of(2L, 3L, 4L, 1L), evicted(4));
  }

  @Test
  void promotion_ofAnOrdinaryPage_changesNothing() {
    int page = sealed(1);
    sealed(2);
    residency.promote(page);
    verify();
    sealed(3);
    sealed(4);
    assertEquals(List.of(1L, 2L), evicted(2));
  }

  @Test
  void promotion_withoutAReference_breaksAnInvariant() {
    int page = read(1, RetentionClass.RECLAIMABLE);
    BrokenInvariant broken = assertThrows(BrokenInvariant.class, () -> residency.promote(page));
    assertTrue(broken.getMessage().contains("without a reference"), broken::getMessage);
  }

  @Test
  void demotedPages_goFirstAndInTheOrderOfTheirUse() {
    sealed(1);
    int second = sealed(2);
    int third = sealed(3);
    sealed(4);
    assertTrue(residency.demote(third));
    assertTrue(residency.demote(second));
    verify();
    assertEquals(List.of(2L, 3L, 1L, 4L), evicted(4));
  }

  @Test
  void demotion_ofALeasedPage_countsFromTheEndOfTheLease() {
    sealed(1);
    sealed(2);
    int leased = sealed(3);
    residency.lease(leased);
    assertTrue(residency.demote(leased));
    assertFalse(residency.demote(leased));
    sealed(4);
    verify(leased);
    assertEquals(List.of(1L), evicted(1));
    residency.letGo(leased);
    assertEquals(List.of(3L, 2L), evicted(2));
  }

  // ---- order -----------------------------------------------------------------------------------

  @Test
  void pageWhoseLastFollowerWent_goesByItsOwnAge() {
    int parent = sealed(1);
    sealed(2, parent);
    sealed(3);
    sealed(4);
    residency.touch(parent);
    // The follower is older than 3 and 4, its parent was used after them.
    assertEquals(List.of(2L, 3L, 4L, 1L), evicted(4));
  }

  @Test
  void evictRange_countsOnlyWhatIsFreedAtOnce() {
    int held = sealed(1);
    sealed(2);
    sealed(3, held);
    residency.hold(held);
    assertEquals(2 * PAGE_BYTES, residency.evictRange(0, residency.highWater()));
    assertEquals(3, counters.get(KernelCounter.EVICTED_PAGES));
    assertEquals(1, residency.pages(PageState.ORPHAN));
    residency.letGo(held);
    assertEquals(0, memory.usage().allocatedBytes());
    verify();
  }
}
