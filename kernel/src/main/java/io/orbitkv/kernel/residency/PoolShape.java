package io.orbitkv.kernel.residency;

import io.orbitkv.api.memory.HostChunk;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What the memory pool could hold if it were empty. Immutable. */
public final class PoolShape {
  private static final int ANY_NODE = -1;

  private final List<HostChunk> chunks;

  PoolShape(List<HostChunk> chunks) {
    this.chunks = List.copyOf(chunks);
  }

  /**
   * Why a page could never be allocated, even in an empty pool, or null when nothing speaks against
   * it.
   *
   * @param runBytes of the ranks that are known
   * @param nodes of the same ranks: the NUMA node, or -1 for any
   */
  public @Nullable String misfit(long[] runBytes, int[] nodes) {
    long pageBytes = 0;
    for (int rank = 0; rank < runBytes.length; rank++) {
      int node = usable(nodes[rank]);
      long largest = largestChunkBytes(node);
      if (runBytes[rank] > largest) {
        return "a page takes a run of ["
            + runBytes[rank]
            + "] bytes, and the largest chunk of the memory pool"
            + where(node)
            + " has ["
            + largest
            + "] bytes";
      }
      pageBytes += runBytes[rank];
      long nodeBytes = 0;
      for (int other = 0; other <= rank; other++) {
        nodeBytes += usable(nodes[other]) == node ? runBytes[other] : 0;
      }
      if (nodeBytes > capacityBytes(node)) {
        return tooMuch(nodeBytes, node);
      }
    }
    return pageBytes > capacityBytes(ANY_NODE) ? tooMuch(pageBytes, ANY_NODE) : null;
  }

  private String tooMuch(long bytes, int node) {
    return "a page takes ["
        + bytes
        + "] bytes over its ranks, and the memory pool"
        + where(node)
        + " has ["
        + capacityBytes(node)
        + "] bytes";
  }

  private static String where(int node) {
    return node == ANY_NODE ? "" : " on NUMA node [" + node + "]";
  }

  /** As {@link NodeSets#usable}: a run whose node has no chunk may lie anywhere. */
  private int usable(int wished) {
    return chunks.stream().anyMatch(chunk -> chunk.numaNode() == wished) ? wished : ANY_NODE;
  }

  private long largestChunkBytes(int node) {
    return chunks.stream()
        .filter(chunk -> node == ANY_NODE || chunk.numaNode() == node)
        .mapToLong(HostChunk::bytes)
        .max()
        .orElse(0);
  }

  private long capacityBytes(int node) {
    return chunks.stream()
        .filter(chunk -> node == ANY_NODE || chunk.numaNode() == node)
        .mapToLong(HostChunk::bytes)
        .sum();
  }
}
