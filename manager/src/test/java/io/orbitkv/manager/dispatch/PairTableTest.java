package io.orbitkv.manager.dispatch;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

final class PairTableTest {
  private record Key(long first, long second) {}

  @Test
  void table_atRandom_behavesLikeAMap() {
    SplittableRandom random = new SplittableRandom(7);
    PairTable table = new PairTable(64, 2);
    Map<Key, Long> model = new HashMap<>();
    for (int i = 0; i < 200_000; i++) {
      Key key = new Key(random.nextInt(8), random.nextInt(1, 25));
      int row = table.find(key.first(), key.second());
      assertThat(row != PairTable.NONE).isEqualTo(model.containsKey(key));
      if (row != PairTable.NONE) {
        assertThat(table.get(row, 1)).isEqualTo(model.get(key));
        if (random.nextInt(3) > 0) {
          table.remove(row);
          model.remove(key);
        }
      } else {
        int added = table.add(key.first(), key.second());
        assertThat(added == PairTable.NONE).isEqualTo(model.size() == 64);
        if (added != PairTable.NONE) {
          assertThat(table.get(added, 1)).isZero();
          table.set(added, 1, i);
          model.put(key, (long) i);
        }
      }
      if (i % 5_000 == 0) {
        long session = random.nextInt(8);
        table.removeIf(each -> table.first(each) == session);
        model.keySet().removeIf(each -> each.first() == session);
      }
      assertThat(table.rows()).isEqualTo(model.size());
    }
    List<Key> left = new ArrayList<>(model.keySet());
    left.forEach(key -> assertThat(table.find(key.first(), key.second())).isNotNegative());
  }
}
