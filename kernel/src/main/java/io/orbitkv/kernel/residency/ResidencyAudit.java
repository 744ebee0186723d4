package io.orbitkv.kernel.residency;

import io.orbitkv.kernel.table.BlockTable;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Set;

/** Counts everything in the residency anew and compares. */
final class ResidencyAudit {
  private final PageTable table;
  private final PageIndex index;
  private final PageIndex reading;
  private final EvictionLists lists;
  private final PageMemory memory;
  private final BlockTable claims;

  ResidencyAudit(
      PageTable table,
      PageIndex index,
      PageIndex reading,
      EvictionLists lists,
      PageMemory memory,
      BlockTable claims) {
    this.table = table;
    this.index = index;
    this.reading = reading;
    this.lists = lists;
    this.memory = memory;
    this.claims = claims;
  }

  void run(int[] references, long[] bytesByState, int[] pagesByState) {
    long[] bytes = new long[bytesByState.length];
    int[] pages = new int[pagesByState.length];
    int[] children = new int[table.highWater()];
    Set<Long> runs = new HashSet<>();
    int listed = 0;
    int runBlocks = 0;
    for (int page = 0; page < table.highWater(); page++) {
      PageState state = table.state(page);
      if (state == PageState.FREE) {
        require(references[page] == 0, "free page is referenced", page);
        continue;
      }
      pages[state.code]++;
      for (int rank = 0; rank < table.ranks(page); rank++) {
        long run = memory.run(page, rank);
        require(runs.add(run), "run belongs to two pages", page);
        bytes[state.code] += memory.allocatedBytes(run);
      }
      runBlocks += table.ranks(page) > 1 ? 1 : 0;
      require(
          table.references(page) == references[page], "references differ from the holders'", page);
      boolean evictable = false;
      switch (state) {
        case UNSEALED -> {
          int claimed = table.claimedRanks(page);
          require(claimed != 0, "unsealed page has no publish", page);
          require((table.copiedRanks(page) & ~claimed) == 0, "copied without a claim", page);
          require((table.committedRanks(page) & ~claimed) == 0, "committed without a claim", page);
        }
        case RESIDENT -> {
          int found = index.find(table.domain(page), table.keyHigh(page), table.keyLow(page));
          require(found == page, "resident page is not findable", page);
          int parent = table.parent(page);
          if (parent != PageTable.NONE) {
            children[parent]++;
          }
          evictable = references[page] == 0 && table.children(page) == 0;
          listed += evictable ? 1 : 0;
        }
        case ORPHAN ->
            require(
                references[page] > 0 || table.children(page) > 0, "orphan is not referenced", page);
        case READING -> {
          int found = reading.find(table.domain(page), table.keyHigh(page), table.keyLow(page));
          require(found == page, "page being read is not known as such", page);
        }
        case QUARANTINED -> {}
        case FREE -> throw new IllegalStateException("not reached");
      }
      require(
          state == PageState.UNSEALED || table.listed(page) == evictable,
          "eviction list and state disagree",
          page);
    }
    for (int page = 0; page < table.highWater(); page++) {
      if (table.state(page) != PageState.FREE) {
        require(table.children(page) == children[page], "children differ", page);
      }
    }
    require(Arrays.equals(bytes, bytesByState), "bytes by state differ", -1);
    require(Arrays.equals(pages, pagesByState), "pages by state differ", -1);
    require(index.size() == pages[PageState.RESIDENT.code], "index size differs", -1);
    require(lists.verify() == listed && lists.listed() == listed, "listed pages differ", -1);
    require(memory.blocks() == runBlocks, "blocks of runs leak", -1);
    require(claims.blocks() == pages[PageState.UNSEALED.code], "blocks of claims leak", -1);
  }

  private static void require(boolean holds, String invariant, int page) {
    if (!holds) {
      throw new IllegalStateException(
          "residency: " + invariant + (page < 0 ? "" : ", page [" + page + "]"));
    }
  }
}
