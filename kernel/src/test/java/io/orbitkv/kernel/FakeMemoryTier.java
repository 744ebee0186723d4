package io.orbitkv.kernel;

import io.orbitkv.api.memory.HostChunk;
import io.orbitkv.api.memory.MemoryTier;
import io.orbitkv.api.memory.MemoryUsage;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Memory without bytes: one chunk a node, first fit, and a loud complaint about a run that is freed
 * twice or used after it was freed.
 */
public final class FakeMemoryTier implements MemoryTier {
  static final long ALIGNMENT = 4096;

  private final List<HostChunk> chunks = new ArrayList<>();
  private final Set<HostChunk> active = new HashSet<>();
  private final List<TreeMap<Long, Long>> free = new ArrayList<>();
  private final Map<Long, Run> runs = new HashMap<>();
  private LongConsumer onFree = address -> {};
  private long nextHandle;
  private long allocatedBytes;
  private long failures;

  private record Run(int chunk, long address, long bytes) {}

  /** A tier with the nodes 0, 1, … of so many bytes each; every chunk still has to be activated. */
  public FakeMemoryTier(long... nodeBytes) {
    for (int node = 0; node < nodeBytes.length; node++) {
      chunks.add(new HostChunk(node, (node + 1L) << 40, nodeBytes[node], node));
      free.add(new TreeMap<>());
    }
  }

  /** Told of the address of each freed run. */
  void onFree(LongConsumer listener) {
    onFree = listener;
  }

  @Override
  public void prepare(ChunkListener listener) {
    chunks.forEach(listener::touched);
  }

  @Override
  public void activate(HostChunk chunk) {
    if (!chunks.contains(chunk) || !active.add(chunk)) {
      throw new IllegalStateException("chunk [" + chunk + "] is unknown or active");
    }
    free.get(chunk.index()).put(chunk.address(), chunk.bytes());
  }

  @Override
  public long allocate(long bytes, int numaNode) {
    if (bytes <= 0) {
      throw new IllegalArgumentException("[" + bytes + "] bytes");
    }
    long rounded = Math.ceilDiv(bytes, ALIGNMENT) * ALIGNMENT;
    for (HostChunk chunk : chunks) {
      TreeMap<Long, Long> gaps = free.get(chunk.index());
      Map.Entry<Long, Long> gap =
          numaNode >= 0 && chunk.numaNode() != numaNode ? null : firstFit(gaps, rounded);
      if (gap != null) {
        long address = gap.getKey();
        long rest = gap.getValue() - rounded;
        gaps.remove(address);
        if (rest > 0) {
          gaps.put(address + rounded, rest);
        }
        allocatedBytes += rounded;
        runs.put(++nextHandle, new Run(chunk.index(), address, rounded));
        return nextHandle;
      }
    }
    failures++;
    return NO_MEMORY;
  }

  private static Map.@Nullable Entry<Long, Long> firstFit(Map<Long, Long> gaps, long bytes) {
    for (Map.Entry<Long, Long> gap : gaps.entrySet()) {
      if (gap.getValue() >= bytes) {
        return gap;
      }
    }
    return null;
  }

  @Override
  public void free(long handle) {
    Run run = run(handle);
    onFree.accept(run.address());
    runs.remove(handle);
    allocatedBytes -= run.bytes();
    TreeMap<Long, Long> gaps = free.get(run.chunk());
    long start = run.address();
    long length = run.bytes();
    Map.Entry<Long, Long> before = gaps.lowerEntry(start);
    if (before != null && before.getKey() + before.getValue() == start) {
      start = before.getKey();
      length += before.getValue();
    }
    Long after = gaps.remove(run.address() + run.bytes());
    gaps.put(start, length + (after == null ? 0 : after));
  }

  @Override
  public long address(long handle) {
    return run(handle).address();
  }

  @Override
  public long allocatedBytes(long handle) {
    return run(handle).bytes();
  }

  /** The node on which an address lies. */
  int node(long address) {
    return (int) (address >>> 40) - 1;
  }

  /** Runs that are allocated. */
  int runs() {
    return runs.size();
  }

  private Run run(long handle) {
    Run run = runs.get(handle);
    if (run == null) {
      throw new IllegalArgumentException("handle [" + handle + "] names no allocated run");
    }
    return run;
  }

  @Override
  public List<HostChunk> chunks() {
    return List.copyOf(chunks);
  }

  @Override
  public MemoryUsage usage() {
    long capacity = chunks.stream().mapToLong(HostChunk::bytes).sum();
    long activeBytes = active.stream().mapToLong(HostChunk::bytes).sum();
    long largest =
        free.stream()
            .flatMap(gaps -> gaps.values().stream())
            .mapToLong(Long::longValue)
            .max()
            .orElse(0);
    return new MemoryUsage(
        capacity, activeBytes, allocatedBytes, largest, activeBytes - allocatedBytes, failures, -1);
  }

  @Override
  public void close() {}
}
