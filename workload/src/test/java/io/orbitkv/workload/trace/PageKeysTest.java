package io.orbitkv.workload.trace;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Arrays;
import java.util.HashSet;
import java.util.Set;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;
import org.junit.jupiter.api.Test;

class PageKeysTest {
  @Test
  void of_partialLastBlock_namesCompletePagesOnly() {
    assertThat(PageKeys.of(request(600, 1, 2), 64)).hasSize(2 * 9);
    assertThat(PageKeys.of(request(63, 1), 64)).isEmpty();
    assertThat(PageKeys.count(request(640, 1, 2), 64)).isEqualTo(10);
  }

  @Test
  void of_pagesOfOneBlock_areAllDifferent() {
    long[] keys = PageKeys.of(request(1024, 5, 5), 64);
    Set<Object> distinct = new HashSet<>();
    for (int page = 0; page < 16; page++) {
      distinct.add(PageKeys.at(keys, page));
    }

    assertThat(distinct).hasSize(16);
  }

  @Test
  void of_pageSizeThatDoesNotDivideABlock_isRefused() {
    assertThatThrownBy(() -> PageKeys.of(request(600, 1, 2), 60))
        .hasMessageContaining("page of [60] tokens");
  }

  @Property(tries = 200)
  void of_keysAreEqualExactlyAsFarAsThePrefixIs(
      @ForAll @Size(6) long[] blocks, @ForAll @IntRange(max = 5) int change) {
    long[] first = Arrays.stream(blocks).map(block -> block & Long.MAX_VALUE).toArray();
    long[] second = first.clone();
    second[change] = second[change] == 0 ? 1 : second[change] - 1;

    long[] left = PageKeys.of(request(first.length * 512, first), 64);
    long[] right = PageKeys.of(request(second.length * 512, second), 64);

    for (int page = 0; page < first.length * 8; page++) {
      assertThat(PageKeys.at(left, page).equals(PageKeys.at(right, page)))
          .isEqualTo(page < change * 8);
    }
  }

  private static TraceRequest request(int tokens, long... blocks) {
    return new TraceRequest(0, 0, tokens, 0, blocks);
  }
}
