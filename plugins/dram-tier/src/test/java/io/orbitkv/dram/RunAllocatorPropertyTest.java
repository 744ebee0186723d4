package io.orbitkv.dram;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.stream.IntStream;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;

/** The allocator against a model that keeps one bit a granule and searches it from end to end. */
class RunAllocatorPropertyTest {
  @Property(tries = 300)
  void anyCalls_agreeWithTheModel(
      @ForAll @Size(min = 1, max = 5) List<@IntRange(min = 1, max = 90) Integer> chunkGranules,
      @ForAll @Size(max = 250) List<@IntRange(min = 0, max = 9_999) Integer> calls) {
    List<Integer> chunks = chunkGranules.stream().sorted((a, b) -> b - a).toList();
    RunAllocator runs = new RunAllocator(chunks.size(), chunks.getFirst());
    Model model = new Model(chunks);
    for (int chunk = 0; chunk < chunks.size(); chunk++) {
      runs.activate(chunk, chunks.get(chunk));
    }
    List<Run> live = new ArrayList<>();

    for (int call : calls) {
      if (call % 5 < 2 && !live.isEmpty()) {
        Run run = live.remove(call % live.size());
        assertThat(runs.granules(run.place())).isEqualTo(run.granules());
        runs.free(run.place());
        model.free(run.chunk(), run.granule(), run.granules());
      } else {
        // Mostly small, sometimes as large as a chunk and larger.
        int granules = call % 7 == 0 ? 1 + call % 120 : 1 + call % 9;
        int fit = model.bestFit(granules);
        int place = runs.allocate(granules);
        if (fit == 0) {
          assertThat(place).isEqualTo(RunAllocator.NONE);
        } else {
          assertThat(place).isNotEqualTo(RunAllocator.NONE);
          Run run = new Run(place, runs.chunkOf(place), runs.granuleOf(place), granules);
          assertThat(model.freeRunAt(run.chunk(), run.granule())).isEqualTo(fit);
          model.take(run.chunk(), run.granule(), granules);
          live.add(run);
        }
      }
      assertThat(runs.freeGranules()).isEqualTo(model.freeGranules());
      assertThat(runs.largestFree()).isEqualTo(model.largestFree());
    }

    live.forEach(run -> runs.free(run.place()));
    assertThat(runs.freeGranules()).isEqualTo(chunks.stream().mapToInt(Integer::intValue).sum());
    for (int granules : chunks) {
      // One free run a chunk again: each chunk can be taken as a whole.
      assertThat(runs.allocate(granules)).isNotEqualTo(RunAllocator.NONE);
    }
    assertThat(runs.freeGranules()).isZero();
  }

  private record Run(int place, int chunk, int granule, int granules) {}

  /** One bit a granule, set when free. */
  private static final class Model {
    private final List<BitSet> chunks = new ArrayList<>();

    Model(List<Integer> granules) {
      for (int size : granules) {
        BitSet free = new BitSet(size);
        free.set(0, size);
        chunks.add(free);
      }
    }

    void take(int chunk, int granule, int granules) {
      BitSet free = chunks.get(chunk);
      assertThat(free.nextClearBit(granule)).isGreaterThanOrEqualTo(granule + granules);
      free.clear(granule, granule + granules);
    }

    void free(int chunk, int granule, int granules) {
      BitSet free = chunks.get(chunk);
      assertThat(free.get(granule, granule + granules).isEmpty()).isTrue();
      free.set(granule, granule + granules);
    }

    /** Length of the maximal free run that starts at a granule, 0 when none starts there. */
    int freeRunAt(int chunk, int granule) {
      BitSet free = chunks.get(chunk);
      boolean starts = free.get(granule) && (granule == 0 || !free.get(granule - 1));
      return starts ? free.nextClearBit(granule) - granule : 0;
    }

    int bestFit(int granules) {
      return lengths().filter(length -> length >= granules).min().orElse(0);
    }

    int largestFree() {
      return lengths().max().orElse(0);
    }

    int freeGranules() {
      return chunks.stream().mapToInt(BitSet::cardinality).sum();
    }

    private IntStream lengths() {
      return IntStream.range(0, chunks.size())
          .flatMap(chunk ->
              IntStream.range(0, chunks.get(chunk).length())
                  .map(granule -> freeRunAt(chunk, granule))
                  .filter(length -> length > 0));
    }
  }
}
