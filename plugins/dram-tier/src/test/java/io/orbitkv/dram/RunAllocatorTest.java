package io.orbitkv.dram;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class RunAllocatorTest {
  private static final long SEED = 20260101;

  @Test
  void allocate_exactlyTheLargestRun_succeedsForEverySize() {
    for (int size = 1; size <= 3000; size++) {
      RunAllocator runs = active(1, size);
      assertThat(runs.largestFree()).isEqualTo(size);
      assertThat(runs.allocate(size)).isZero();
      assertThat(runs.largestFree()).isZero();
      runs.free(0);
      assertThat(runs.largestFree()).isEqualTo(size);
    }
  }

  @Test
  void allocate_severalRunsFit_takesTheSmallestOfThem() {
    RunAllocator runs = active(1, 100);
    List<Integer> places = new ArrayList<>();
    for (int size : new int[] {10, 1, 6, 1, 8, 1, 73}) {
      places.add(runs.allocate(size));
    }
    runs.free(places.get(0));
    runs.free(places.get(2));
    runs.free(places.get(4));

    assertThat(runs.allocate(7)).isEqualTo(places.get(4));
    assertThat(runs.allocate(6)).isEqualTo(places.get(2));
    assertThat(runs.allocate(7)).isEqualTo(places.get(0));
  }

  @Test
  void allocate_chunkOfOneGranule_servesIt() {
    RunAllocator runs = active(3, 1);

    assertThat(runs.allocate(2)).isEqualTo(RunAllocator.NONE);
    assertThat(List.of(runs.allocate(1), runs.allocate(1), runs.allocate(1)))
        .containsExactly(0, 1, 2);
    assertThat(runs.allocate(1)).isEqualTo(RunAllocator.NONE);
    runs.free(1);
    assertThat(runs.allocate(1)).isEqualTo(1);
  }

  @Test
  void free_neighboursInOtherChunks_areNotMerged() {
    RunAllocator runs = active(2, 8);
    int first = runs.allocate(8);
    int second = runs.allocate(8);

    runs.free(first);
    runs.free(second);

    assertThat(runs.freeGranules()).isEqualTo(16);
    assertThat(runs.largestFree()).isEqualTo(8);
    assertThat(runs.allocate(9)).isEqualTo(RunAllocator.NONE);
  }

  @Test
  void free_betweenTwoFreeNeighbours_mergesAllThree() {
    for (int size = 1; size <= 6; size++) {
      RunAllocator runs = active(1, 3 * size);
      int[] places = {runs.allocate(size), runs.allocate(size), runs.allocate(size)};
      runs.free(places[0]);
      runs.free(places[2]);
      assertThat(runs.largestFree()).isEqualTo(size);
      runs.free(places[1]);
      assertThat(runs.largestFree()).isEqualTo(3 * size);
    }
  }

  @Test
  void free_placesThatNoAllocatedRunStartsAt_areAllRefused() {
    int granules = 512;
    RunAllocator runs = active(2, granules);
    Random random = new Random(SEED);
    List<Integer> live = new ArrayList<>();
    for (int step = 0; step < 2_000; step++) {
      if (!live.isEmpty() && random.nextBoolean()) {
        runs.free(live.remove(/* index */ random.nextInt(live.size())));
      } else {
        int place = runs.allocate(1 + random.nextInt(12));
        if (place != RunAllocator.NONE) {
          live.add(place);
        }
      }
    }
    long free = runs.freeGranules();

    for (int place = -3; place < 4 * granules; place++) {
      if (!live.contains(place)) {
        int wrong = place;
        assertThatThrownBy(() -> runs.free(wrong)).isInstanceOf(IllegalArgumentException.class);
      }
    }
    assertThat(runs.freeGranules()).isEqualTo(free);
    live.forEach(runs::free);
    assertThat(runs.largestFree()).isEqualTo(granules);
  }

  @Test
  void activate_twice_isRefused() {
    RunAllocator runs = active(1, 8);

    assertThatThrownBy(() -> runs.activate(0, 8)).isInstanceOf(IllegalStateException.class);
  }

  /**
   * Steps, not time: the number of index words a call visits has a bound that size leaves alone.
   */
  @Test
  void allocateAndFree_inAFragmentedPool_visitAFewWordsHoweverLargeItIs() {
    assertThat(mostWordsOfACall(1, 1 << 12)).isPositive().isLessThanOrEqualTo(64);
    assertThat(mostWordsOfACall(16, 1 << 18)).isPositive().isLessThanOrEqualTo(64);
  }

  private static long mostWordsOfACall(int chunks, int granules) {
    RunAllocator runs = active(chunks, granules);
    Random random = new Random(SEED);
    List<Integer> live = new ArrayList<>();
    long most = 0;
    for (int step = 0; step < 60_000; step++) {
      long before = runs.wordsVisited();
      if (step > 20_000 && !live.isEmpty() && random.nextInt(3) > 0) {
        int last = live.removeLast();
        int place = live.isEmpty() ? last : live.set(random.nextInt(live.size()), last);
        runs.free(place);
      } else {
        int place = runs.allocate(1 + random.nextInt(40));
        if (place != RunAllocator.NONE) {
          live.add(place);
        }
      }
      most = Math.max(most, runs.wordsVisited() - before);
    }
    return most;
  }

  private static RunAllocator active(int chunks, int granules) {
    RunAllocator runs = new RunAllocator(chunks, granules);
    for (int chunk = 0; chunk < chunks; chunk++) {
      runs.activate(chunk, granules);
    }
    return runs;
  }
}
