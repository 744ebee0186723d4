package io.orbitkv.dram;

import io.orbitkv.api.memory.HostChunk;
import java.util.List;

/**
 * The chunks of one NUMA node with their allocator. Dispatcher.
 *
 * @param node the node
 * @param firstChunk index of its first chunk among those of the tier
 * @param runs the allocator; its chunk 0 is {@code firstChunk}
 */
record NodePool(int node, int firstChunk, RunAllocator runs) {
  /** So that the granules of a node have numbers of 31 bits even when its chunks have 1 GiB. */
  static final int MAX_CHUNKS = (1 << 13) - 1;

  NodePool(int node, int firstChunk, List<HostChunk> chunks) {
    this(node, firstChunk, new RunAllocator(chunks.size(), granules(chunks.getFirst())));
  }

  void activate(HostChunk chunk) {
    runs.activate(chunk.index() - firstChunk, granules(chunk));
  }

  private static int granules(HostChunk chunk) {
    return (int) (chunk.bytes() / RunAllocator.GRANULE_BYTES);
  }
}
