package io.orbitkv.kernel.residency;

import io.orbitkv.api.memory.MemoryTier;
import io.orbitkv.api.page.WorkerLayout;
import io.orbitkv.kernel.table.BlockTable;

/** The runs of pages: one for each rank, all of a page or none. Dispatcher. */
final class PageMemory {
  private final MemoryTier memory;
  private final PageTable table;
  private final NodeSets nodeSets;
  private final BlockTable furtherRuns = new BlockTable(WorkerLayout.MAX_RANKS);
  private final long[] newRuns = new long[WorkerLayout.MAX_RANKS];
  private long allocatedBytes;

  PageMemory(MemoryTier memory, PageTable table, NodeSets nodeSets) {
    this.memory = memory;
    this.table = table;
    this.nodeSets = nodeSets;
  }

  /** Makes room on a node when a run finds none. */
  @FunctionalInterface
  interface Evictor {
    /** Evicts something; false when there is nothing that may be evicted. */
    boolean evictSome(int node, long wantedBytes);
  }

  /**
   * Gives a page a run for each rank.
   *
   * @param runBytes by rank
   * @param nodes by rank: the NUMA node, or -1 for any
   * @return whether there was memory for all; otherwise nothing is allocated
   */
  boolean allocate(int page, long[] runBytes, int[] nodes, Evictor evictor) {
    int ranks = runBytes.length;
    long nodeBits = 0;
    for (int rank = 0; rank < ranks; rank++) {
      int node = nodeSets.usable(nodes[rank]);
      long run = memory.allocate(runBytes[rank], node);
      while (run == MemoryTier.NO_MEMORY && evictor.evictSome(node, runBytes[rank])) {
        run = memory.allocate(runBytes[rank], node);
      }
      if (run == MemoryTier.NO_MEMORY) {
        for (int taken = 0; taken < rank; taken++) {
          freeRun(newRuns[taken]);
        }
        return false;
      }
      allocatedBytes += memory.allocatedBytes(run);
      newRuns[rank] = run;
      nodeBits |= nodeSets.bitOf(memory.address(run));
    }
    table.setRanks(page, ranks);
    table.setNodeSet(page, nodeSets.number(nodeBits));
    table.setFirstRun(page, newRuns[0]);
    if (ranks > 1) {
      int block = furtherRuns.allocate(ranks - 1);
      table.setOverflow(page, block);
      for (int rank = 1; rank < ranks; rank++) {
        furtherRuns.set(block, rank - 1, newRuns[rank]);
      }
    }
    return true;
  }

  /** Frees all runs of a page. */
  void free(int page) {
    int ranks = table.ranks(page);
    for (int rank = 0; rank < ranks; rank++) {
      freeRun(run(page, rank));
    }
    if (ranks > 1) {
      furtherRuns.free(table.overflow(page), ranks - 1);
    }
  }

  private void freeRun(long run) {
    allocatedBytes -= memory.allocatedBytes(run);
    memory.free(run);
  }

  /** Bytes of all runs of a page. */
  long bytes(int page) {
    int ranks = table.ranks(page);
    long sum = 0;
    for (int rank = 0; rank < ranks; rank++) {
      sum += memory.allocatedBytes(run(page, rank));
    }
    return sum;
  }

  /** The handle of a rank's run. */
  long run(int page, int rank) {
    return rank == 0 ? table.firstRun(page) : furtherRuns.get(table.overflow(page), rank - 1);
  }

  /** The native address of a rank's run. */
  long address(int page, int rank) {
    return memory.address(run(page, rank));
  }

  /** Bytes of all runs of all pages. */
  long allocatedBytes() {
    return allocatedBytes;
  }

  /** Pages with more than one run. */
  int blocks() {
    return furtherRuns.blocks();
  }

  /** What the memory tier says of a run. For the deep check. */
  long allocatedBytes(long run) {
    return memory.allocatedBytes(run);
  }

  /** What the memory tier says of all. For the deep check. */
  long tierBytes() {
    return memory.usage().allocatedBytes();
  }
}
