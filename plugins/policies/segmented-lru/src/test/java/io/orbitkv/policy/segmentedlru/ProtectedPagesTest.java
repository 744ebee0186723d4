package io.orbitkv.policy.segmentedlru;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class ProtectedPagesTest {
  @Test
  void operations_atRandom_areThoseOfALinkedMap() {
    SplittableRandom random = new SplittableRandom(1);
    ProtectedPages pages = new ProtectedPages();
    Map<Long, Long> expected = new LinkedHashMap<>();

    for (int step = 0; step < 200_000; step++) {
      long id = random.nextLong(5_000);
      switch (random.nextInt(5)) {
        case 0 -> {
          pages.remove(id);
          expected.remove(id);
        }
        case 1 -> {
          pages.removeOldest();
          if (!expected.isEmpty()) {
            expected.remove(expected.keySet().iterator().next());
          }
        }
        default -> {
          long bytes = random.nextLong(100);
          pages.use(id, bytes);
          expected.remove(id);
          expected.put(id, bytes);
        }
      }
      long probe = random.nextLong(5_000);
      assertThat(pages.contains(probe)).isEqualTo(expected.containsKey(probe));
      assertThat(pages.size()).isEqualTo(expected.size());
    }
    assertThat(pages.totalBytes())
        .isEqualTo(expected.values().stream().mapToLong(Long::longValue).sum());
  }

  @Test
  void pages_beyondTheBound_letTheOldestGo() {
    ProtectedPages pages = new ProtectedPages();
    for (long id = 0; id <= ProtectedPages.MOST_PAGES; id++) {
      pages.use(id, 1);
    }

    assertThat(pages.size()).isEqualTo(ProtectedPages.MOST_PAGES);
    assertThat(pages.contains(0)).isFalse();
    assertThat(pages.contains(1)).isTrue();
  }
}
