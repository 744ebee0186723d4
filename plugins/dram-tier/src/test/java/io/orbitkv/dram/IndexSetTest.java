package io.orbitkv.dram;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.TreeSet;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;
import org.junit.jupiter.api.Test;

class IndexSetTest {
  @Property(tries = 300)
  void searches_afterAnyChanges_agreeWithASortedSet(
      @ForAll @IntRange(min = 1, max = 300_000) int bound,
      @ForAll @Size(max = 200) List<@IntRange(min = 0, max = 299_999) Integer> changes) {
    IndexSet set = new IndexSet(bound);
    TreeSet<Integer> model = new TreeSet<>();
    for (int change : changes) {
      int member = change % bound;
      if (model.remove(member)) {
        set.remove(member);
      } else {
        model.add(member);
        set.add(member);
      }
      int from = (int) (change * 31L % bound);
      Integer ceiling = model.ceiling(from);
      assertThat(set.ceiling(from)).isEqualTo(ceiling == null ? IndexSet.NONE : ceiling);
      assertThat(set.last()).isEqualTo(model.isEmpty() ? IndexSet.NONE : model.last());
    }
  }

  @Test
  void searches_atTheBorders_findFirstAndLast() {
    for (int bound : new int[] {1, 2, 63, 64, 65, 4096, 4097, 1 << 18, (1 << 18) + 1, 1 << 24}) {
      IndexSet set = new IndexSet(bound);
      assertThat(set.ceiling(0)).isEqualTo(IndexSet.NONE);
      assertThat(set.last()).isEqualTo(IndexSet.NONE);
      set.add(bound - 1);
      assertThat(set.ceiling(0)).isEqualTo(bound - 1);
      assertThat(set.ceiling(bound - 1)).isEqualTo(bound - 1);
      assertThat(set.ceiling(bound)).isEqualTo(IndexSet.NONE);
      set.add(0);
      assertThat(set.ceiling(0)).isZero();
      assertThat(set.last()).isEqualTo(bound - 1);
    }
  }
}
