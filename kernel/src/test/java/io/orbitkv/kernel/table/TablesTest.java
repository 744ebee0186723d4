package io.orbitkv.kernel.table;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class TablesTest {
  @Test
  void longMap_underRandomChanges_agreesWithAHashMap() {
    SplittableRandom random = new SplittableRandom(3);
    LongMap<Long> map = new LongMap<>();
    Map<Long, Long> model = new HashMap<>();
    for (long i = 0; i < 50_000; i++) {
      long key = random.nextInt(3) == 0 ? random.nextLong(400) << 32 : random.nextLong(400);
      if (random.nextInt(5) < 3) {
        assertEquals(model.put(key, i), map.put(key, i));
      } else {
        assertEquals(model.remove(key), map.remove(key));
      }
      assertEquals(model.size(), map.size());
    }
    model.forEach((key, value) -> assertEquals(value, map.get(key)));
    assertEquals(new HashSet<>(model.values()), new HashSet<>(map.values()));
    assertNull(map.get(-1));
  }

  @Test
  void blockTable_givesDistinctClearedBlocksAndReusesThem() {
    SplittableRandom random = new SplittableRandom(4);
    BlockTable table = new BlockTable(32);
    Map<Integer, Integer> live = new HashMap<>();
    int largest = 0;
    for (int i = 0; i < 30_000; i++) {
      if (live.size() < 1_000 || random.nextBoolean()) {
        int size = 1 + random.nextInt(32);
        int block = table.allocate(size);
        for (int j = 0; j < size; j++) {
          assertEquals(0, table.get(block, j));
          table.set(block, j, block * 100L + j);
        }
        assertNull(live.put(block, size));
        largest = Math.max(largest, block);
      } else {
        int block = live.keySet().iterator().next();
        int size = live.remove(block);
        for (int j = 0; j < size; j++) {
          assertEquals(block * 100L + j, table.get(block, j));
        }
        table.free(block, size);
      }
      assertEquals(live.size(), table.blocks());
    }
    assertTrue(largest < 4_000 * 32, "freed blocks are not used again");
  }

  @Test
  void longLongMap_underRandomChanges_agreesWithAHashMap() {
    SplittableRandom random = new SplittableRandom(5);
    LongLongMap map = new LongLongMap();
    Map<Long, Long> model = new HashMap<>();
    for (long i = 0; i < 50_000; i++) {
      long key = random.nextInt(3) == 0 ? random.nextLong(400) << 32 : random.nextLong(400);
      if (random.nextInt(5) < 3) {
        map.put(key, i);
        model.put(key, i);
      } else {
        map.remove(key);
        model.remove(key);
      }
      assertEquals(model.size(), map.size());
      assertEquals(model.getOrDefault(key, LongLongMap.ABSENT), map.get(key));
    }
    model.forEach((key, value) -> assertEquals(value, map.get(key)));
    assertEquals(LongLongMap.ABSENT, map.get(-1));
  }

  private static final class Weighed extends MaxHeap.Element {
    final long age;
    long weight;

    Weighed(long age, long weight) {
      this.age = age;
      this.weight = weight;
    }

    @Override
    protected long weight() {
      return weight;
    }

    @Override
    protected long age() {
      return age;
    }
  }

  @Test
  void maxHeap_underRandomChanges_hasTheHeaviestAndOfThoseTheYoungestFirst() {
    SplittableRandom random = new SplittableRandom(6);
    MaxHeap<Weighed> heap = new MaxHeap<>();
    Set<Weighed> model = new LinkedHashSet<>();
    assertNull(heap.peek());
    for (int i = 0; i < 5_000; i++) {
      int what = random.nextInt(5);
      if (what < 2 || model.isEmpty()) {
        Weighed element = new Weighed(i, random.nextInt(20));
        assertFalse(element.listed());
        heap.add(element);
        model.add(element);
      } else {
        Weighed element =
            model.stream().skip(random.nextInt(model.size())).findFirst().orElseThrow();
        if (what == 2) {
          heap.remove(element);
          model.remove(element);
          assertFalse(element.listed());
        } else {
          element.weight = random.nextInt(20);
          heap.changed(element);
          assertTrue(element.listed());
        }
      }
      assertEquals(model.size(), heap.size());
      assertEquals(
          model.stream()
              .max(Comparator.<Weighed>comparingLong(e -> e.weight).thenComparingLong(e -> e.age))
              .orElse(null),
          heap.peek());
    }
  }
}
