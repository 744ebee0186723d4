package io.orbitkv.kernel.residency;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class PageIndexTest {
  private static final int DOMAIN = 3;

  private final PageTable table = new PageTable(100_000);
  private final PageIndex index = new PageIndex(table, 4);

  @Test
  void findBlock_emptyIndex_findsNothing() {
    assertThat(block(new long[] {1, 2, 3, 4})).containsExactly(PageTable.NONE, PageTable.NONE);
  }

  @Test
  void findBlock_anyKeys_agreesWithFind() {
    SplittableRandom random = new SplittableRandom(11);
    long[] names = new long[20_000];
    for (int i = 0; i < names.length; i++) {
      names[i] = random.nextLong();
      add(names[i]);
    }
    for (int page = 0; page < names.length; page += 3) {
      index.remove(page);
    }
    for (int round = 0; round < 500; round++) {
      int count = random.nextInt(1, PageIndex.BLOCK + 1);
      long[] keys = new long[2 * count];
      for (int i = 0; i < count; i++) {
        long name =
            random.nextInt(4) == 0 ? random.nextLong() : names[random.nextInt(names.length)];
        keys[2 * i] = name;
        keys[2 * i + 1] = ~name;
      }
      int[] pages = block(keys);
      for (int i = 0; i < count; i++) {
        assertThat(pages[i]).isEqualTo(index.find(DOMAIN, keys[2 * i], keys[2 * i + 1]));
      }
    }
  }

  @Test
  void findBlock_tagOfAnotherKey_looksFurther() {
    // These halves cancel out in the sum that is hashed: two keys, one hash.
    long high = 12345;
    long low = 67890;
    long otherHigh = high + 1;
    long otherLow = Long.rotateRight(Long.rotateLeft(low, 29) - 0x9E3779B97F4A7C15L, 29);
    int page = add(high, low);

    assertThat(block(new long[] {otherHigh, otherLow})).containsExactly(PageTable.NONE);

    int other = add(otherHigh, otherLow);

    assertThat(block(new long[] {high, low, otherHigh, otherLow})).containsExactly(page, other);
  }

  private int add(long name) {
    return add(name, ~name);
  }

  private int add(long high, long low) {
    int page = table.allocate();
    table.setIdentity(page, DOMAIN, high, low);
    index.add(page);
    return page;
  }

  private int[] block(long[] keys) {
    int[] pages = new int[keys.length / 2 + 1];
    index.findBlock(DOMAIN, keys, 0, keys.length / 2, pages, 1);
    int[] found = new int[keys.length / 2];
    System.arraycopy(pages, 1, found, 0, found.length);
    return found;
  }
}
