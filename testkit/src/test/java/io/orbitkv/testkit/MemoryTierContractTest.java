package io.orbitkv.testkit;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.orbitkv.api.memory.HostChunk;
import io.orbitkv.api.memory.MemoryTier;
import io.orbitkv.api.memory.MemoryUsage;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/**
 * The kit finds the faults that it is there for: each is planted in a tier that is otherwise right.
 */
class MemoryTierContractTest {
  @Test
  void batchContiguousAllocator_isCaughtByTheTestOfKeptPages() {
    FaultyTierKit kit = new FaultyTierKit(BatchTier::new);
    kit.openScope();

    assertThatThrownBy(kit::allocate_largeBatchAfterOnePageOfEachOfManyBatchesStayed_findsRoom)
        .isInstanceOf(AssertionError.class)
        .hasMessageContaining("page 0 of 480");
    kit.closeTiersAndScope();
  }

  @Test
  void allocatorThatLeavesTheNode_isCaught() {
    FaultyTierKit kit =
        new FaultyTierKit(right ->
            new Delegate(right) {
              @Override
              public long allocate(long bytes, int numaNode) {
                return super.allocate(bytes, -1);
              }
            });
    kit.openScope();

    assertThatThrownBy(kit::allocate_onNamedNode_staysStrictlyThere)
        .isInstanceOf(AssertionError.class);
    kit.closeTiersAndScope();
  }

  @Test
  void allocatorThatAcceptsASecondFree_isCaught() {
    FaultyTierKit kit =
        new FaultyTierKit(right ->
            new Delegate(right) {
              @Override
              public void free(long handle) {
                if (handle >= 0) {
                  try {
                    super.free(handle);
                  } catch (IllegalArgumentException swallowed) {
                    return;
                  }
                }
              }
            });
    kit.openScope();

    assertThatThrownBy(kit::free_twiceOrUnknown_isRefusedAndChangesNothing)
        .isInstanceOf(AssertionError.class);
    kit.closeTiersAndScope();
  }

  @Test
  void allocatorThatIsSilentAboutFailures_isCaught() {
    FaultyTierKit kit =
        new FaultyTierKit(right ->
            new Delegate(right) {
              @Override
              public MemoryUsage usage() {
                MemoryUsage usage = super.usage();
                return new MemoryUsage(
                    usage.capacityBytes(),
                    usage.activeBytes(),
                    usage.allocatedBytes(),
                    usage.largestFreeBytes(),
                    usage.freeBytes(),
                    0,
                    usage.hugePageBytes());
              }
            });
    kit.openScope();

    assertThatThrownBy(kit::allocate_moreThanTheLargestFreeRun_failsAndIsCounted)
        .isInstanceOf(AssertionError.class);
    kit.closeTiersAndScope();
  }

  /** Gives memory back only when all pages of a batch of sixteen are free. */
  private static final class BatchTier extends Delegate {
    private static final int BATCH = 16;

    private final Map<Long, List<Long>> batchOfHandle = new HashMap<>();
    private final Map<List<Long>, Integer> freed = new HashMap<>();
    private List<Long> open = new ArrayList<>();

    BatchTier(MemoryTier right) {
      super(right);
    }

    @Override
    public long allocate(long bytes, int numaNode) {
      long handle = super.allocate(bytes, numaNode);
      if (handle != NO_MEMORY) {
        open.add(handle);
        if (open.size() == BATCH) {
          List<Long> batch = List.copyOf(open);
          batch.forEach(page -> batchOfHandle.put(page, batch));
          open = new ArrayList<>();
        }
      }
      return handle;
    }

    @Override
    public void free(long handle) {
      List<Long> batch = batchOfHandle.get(handle);
      if (batch != null && freed.merge(batch, 1, Integer::sum) == BATCH) {
        batch.forEach(super::free);
      }
    }
  }

  private static class Delegate implements MemoryTier {
    private final MemoryTier right;

    Delegate(MemoryTier right) {
      this.right = right;
    }

    @Override
    public void prepare(ChunkListener listener) {
      right.prepare(listener);
    }

    @Override
    public void activate(HostChunk chunk) {
      right.activate(chunk);
    }

    @Override
    public long allocate(long bytes, int numaNode) {
      return right.allocate(bytes, numaNode);
    }

    @Override
    public void free(long handle) {
      right.free(handle);
    }

    @Override
    public long address(long handle) {
      return right.address(handle);
    }

    @Override
    public long allocatedBytes(long handle) {
      return right.allocatedBytes(handle);
    }

    @Override
    public List<HostChunk> chunks() {
      return right.chunks();
    }

    @Override
    public MemoryUsage usage() {
      return right.usage();
    }

    @Override
    public void close() {
      right.close();
    }
  }
}
