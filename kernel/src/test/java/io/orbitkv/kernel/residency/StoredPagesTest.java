package io.orbitkv.kernel.residency;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.orbitkv.kernel.KernelCounter;
import io.orbitkv.kernel.step.Counters;
import java.util.HashSet;
import java.util.Set;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** The set of pages that the backing tier has. */
class StoredPagesTest {
  private final StoredPages pages = new StoredPages(1 << 16, new Counters());

  private record Page(int domain, long high, long low) {}

  @Test
  void page_addedTwice_isThereOnce() {
    assertTrue(pages.add(0, 1, 2));
    assertFalse(pages.add(0, 1, 2));
    assertEquals(1, pages.size());
    assertTrue(pages.contains(0, 1, 2));
  }

  @Test
  void pageBeyondTheLimit_isNotRememberedAndCounted() {
    Counters counters = new Counters();
    StoredPages few = new StoredPages(2, counters);
    few.add(0, 1, 1);
    few.add(0, 2, 2);
    assertFalse(few.add(0, 3, 3));
    assertFalse(few.contains(0, 3, 3));
    assertEquals(1, counters.get(KernelCounter.STORED_PAGES_FORGOTTEN));
    few.remove(0, 1, 1);
    assertTrue(few.add(0, 3, 3));
  }

  @Test
  void page_ofAnotherDomainOrKey_isAnotherPage() {
    pages.add(0, 1, 2);
    assertFalse(pages.contains(1, 1, 2));
    assertFalse(pages.contains(0, 2, 2));
    assertFalse(pages.contains(0, 1, 1));
  }

  @Test
  void page_thatIsNotThere_isNotRemoved() {
    assertFalse(pages.remove(0, 1, 2));
    pages.add(0, 1, 2);
    assertTrue(pages.remove(0, 1, 2));
    assertFalse(pages.remove(0, 1, 2));
    assertEquals(0, pages.size());
  }

  @Test
  void pages_addedAndRemovedAtRandom_areThoseOfASet() {
    SplittableRandom random = new SplittableRandom(11);
    Set<Page> expected = new HashSet<>();
    for (int i = 0; i < 200_000; i++) {
      Page page = new Page(random.nextInt(3), random.nextInt(200), random.nextInt(200));
      boolean changed;
      if (random.nextInt(3) == 0) {
        changed = pages.remove(page.domain(), page.high(), page.low());
        assertEquals(expected.remove(page), changed);
      } else {
        changed = pages.add(page.domain(), page.high(), page.low());
        assertEquals(expected.add(page), changed);
      }
    }
    assertEquals(expected.size(), pages.size());
    for (int domain = 0; domain < 3; domain++) {
      for (int high = 0; high < 200; high++) {
        for (int low = 0; low < 200; low++) {
          assertEquals(
              expected.contains(new Page(domain, high, low)), pages.contains(domain, high, low));
        }
      }
    }
  }
}
