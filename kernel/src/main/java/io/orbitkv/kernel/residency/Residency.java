package io.orbitkv.kernel.residency;

import io.orbitkv.api.memory.MemoryTier;
import io.orbitkv.api.page.WorkerLayout;
import io.orbitkv.kernel.BrokenInvariant;
import io.orbitkv.kernel.KernelCounter;
import io.orbitkv.kernel.step.Counters;
import io.orbitkv.kernel.table.BlockTable;
import java.util.Arrays;

/**
 * All pages in host memory: their states, references, runs, and who is evicted. Dispatcher.
 *
 * <p>A page owns one run for each rank. Its runs are allocated together when the first rank
 * publishes it, so that a page has either all of its memory or none; they are freed together when
 * nothing can touch any of them.
 *
 * <p>References: a lease holds one on each of its pages, a publish copy one on each page it writes.
 * Restore copies need none of their own, since they hold their lease.
 */
public final class Residency {
  /** No page. */
  public static final int NONE = PageTable.NONE;

  /** Most pages evicted before an allocation is tried again. */
  private static final int EVICTION_BATCH = 512;

  /**
   * What the allocation of one page may evict, unless four such pages are more. Evicting more than
   * that without finding a run means that the free bytes lie apart, and that going on would cost
   * the whole cache for one page.
   */
  static final long EVICTION_LIMIT_BYTES = 64L << 20;

  private static final int EVICTION_LIMIT_PAGES = 4;

  private static final int INDEX_PART_BITS = 10;

  private final MemoryTier memory;
  private final Counters counters;
  private final PageTable table;
  private final PoolShape shape;
  private final NodeSets nodeSets;
  private final PageIndex index;
  private final EvictionLists lists;
  private final BlockTable furtherRuns = new BlockTable(WorkerLayout.MAX_RANKS);
  private final BlockTable claims = new BlockTable(WorkerLayout.MAX_RANKS);
  private final long[] newRuns = new long[WorkerLayout.MAX_RANKS];
  private final long[] bytes = new long[PageState.COUNT];
  private final int[] pages = new int[PageState.COUNT];
  private long allocatedBytes;
  private long evictableBytes;

  /**
   * @param memory called on the dispatcher; stays the caller's to close
   * @param maxPages most pages in all states
   */
  public Residency(MemoryTier memory, int maxPages, Counters counters) {
    this.memory = memory;
    this.counters = counters;
    this.table = new PageTable(maxPages);
    this.shape = new PoolShape(memory.chunks());
    this.nodeSets = new NodeSets(memory);
    this.index = new PageIndex(table, INDEX_PART_BITS);
    this.lists = new EvictionLists(table, nodeSets);
  }

  // ---- lookup and references -------------------------------------------------------------------

  /** The resident page, or {@link #NONE}. */
  public int find(int domain, long keyHigh, long keyLow) {
    return index.find(domain, keyHigh, keyLow);
  }

  /** A resident page was used. Call for a chain from its tail to its head. */
  public void touch(int page) {
    if (table.listed(page)) {
      lists.remove(page);
      lists.addYoungest(page);
    } else {
      table.setLastUse(page, lists.nextUse());
    }
  }

  /** Takes a reference on a resident page for a lease and counts as a use. */
  public void lease(int page) {
    table.addReferences(page, 1);
    if (table.listed(page)) {
      lists.remove(page);
    }
    table.setLastUse(page, lists.nextUse());
  }

  /** Takes a reference on an unsealed page for a copy. */
  public void holdForCopy(int page) {
    table.addReferences(page, 1);
  }

  /** Gives a reference back; the page is evictable or freed with the last one. */
  public void letGo(int page) {
    int references = table.addReferences(page, -1);
    switch (table.state(page)) {
      case RESIDENT -> {
        if (references == 0 && table.children(page) == 0) {
          lists.addYoungest(page);
        } else {
          table.setLastUse(page, lists.nextUse());
        }
      }
      case ORPHAN -> {
        if (references == 0) {
          free(page);
        }
      }
      case UNSEALED, QUARANTINED -> {}
      case FREE ->
          throw new BrokenInvariant("a reference on the free page [" + page + "] was given back");
    }
    if (references < 0) {
      throw new BrokenInvariant("page [" + page + "] has [" + references + "] references");
    }
  }

  /** The state of a page. */
  public PageState state(int page) {
    return table.state(page);
  }

  /** The native address of a rank's run. */
  public long address(int page, int rank) {
    return memory.address(run(page, rank));
  }

  // ---- unsealed pages --------------------------------------------------------------------------

  /** The pool, full or not. */
  public PoolShape shape() {
    return shape;
  }

  /** An index for the unsealed pages of one instance generation. */
  public PageIndex newInFlightIndex() {
    return new PageIndex(table, 0);
  }

  /** The unsealed page, or {@link #NONE}. */
  public int findInFlight(PageIndex inFlight, int domain, long keyHigh, long keyLow) {
    return inFlight.find(domain, keyHigh, keyLow);
  }

  /**
   * Allocates an unsealed page with a run for each rank. Evicts when it must, but never more than
   * {@link #EVICTION_LIMIT_BYTES} or four times the page.
   *
   * @param runBytes by rank
   * @param nodes by rank: the NUMA node, or -1 for any
   * @return the page, or {@link #NONE} when memory is short; then an allocation failure is counted
   */
  public int allocate(
      PageIndex inFlight, int domain, long keyHigh, long keyLow, long[] runBytes, int[] nodes) {
    int ranks = runBytes.length;
    evictableBytes =
        Math.max(EVICTION_LIMIT_BYTES, EVICTION_LIMIT_PAGES * Arrays.stream(runBytes).sum());
    int page = table.allocate();
    while (page == NONE && evictSome(-1, 1)) {
      page = table.allocate();
    }
    if (page == NONE) {
      counters.add(KernelCounter.ALLOCATION_FAILURES, 1);
      return NONE;
    }
    long nodeBits = 0;
    for (int rank = 0; rank < ranks; rank++) {
      long run = allocateRun(runBytes[rank], nodeSets.usable(nodes[rank]));
      if (run == MemoryTier.NO_MEMORY) {
        for (int taken = 0; taken < rank; taken++) {
          freeRun(newRuns[taken]);
        }
        table.release(page);
        counters.add(KernelCounter.ALLOCATION_FAILURES, 1);
        return NONE;
      }
      newRuns[rank] = run;
      nodeBits |= nodeSets.bitOf(memory.address(run));
    }
    table.setIdentity(page, domain, keyHigh, keyLow);
    table.setRanks(page, ranks);
    table.setRetention(page, RetentionClass.PROBATIONARY);
    table.setNodeSet(page, nodeSets.number(nodeBits));
    table.setFirstRun(page, newRuns[0]);
    if (ranks > 1) {
      int block = furtherRuns.allocate(ranks - 1);
      table.setOverflow(page, block);
      for (int rank = 1; rank < ranks; rank++) {
        furtherRuns.set(block, rank - 1, newRuns[rank]);
      }
    }
    table.setClaims(page, claims.allocate(ranks));
    table.setState(page, PageState.UNSEALED);
    account(page, PageState.UNSEALED, 1);
    inFlight.add(page);
    return page;
  }

  /** Whether a rank's slot of an unsealed page belongs to a publish. */
  public boolean claimed(int page, int rank) {
    return (table.claimedRanks(page) & 1 << rank) != 0;
  }

  /** Gives a rank's slot of an unsealed page to a publish. */
  public void claim(int page, int rank, long publish) {
    table.setClaimedRanks(page, table.claimedRanks(page) | 1 << rank);
    claims.set(table.claims(page), rank, publish);
  }

  /** The ranks whose slots are claimed, as bits. */
  public int claimedRanks(int page) {
    return table.claimedRanks(page);
  }

  /** The publish to which a rank's claimed slot belongs. */
  public long claimant(int page, int rank) {
    return claims.get(table.claims(page), rank);
  }

  /** Whether the page is unsealed and the rank's slot still belongs to the publish. */
  public boolean belongsTo(int page, int rank, long publish) {
    return table.state(page) == PageState.UNSEALED
        && claimed(page, rank)
        && claimant(page, rank) == publish;
  }

  /** A rank's slot has its bytes. */
  public void copied(int page, int rank) {
    table.setCopiedRanks(page, table.copiedRanks(page) | 1 << rank);
  }

  /** A rank's client vouches for its slot. */
  public void committed(int page, int rank) {
    table.setCommittedRanks(page, table.committedRanks(page) | 1 << rank);
  }

  /** Whether each rank's slot is copied and committed. */
  public boolean complete(int page) {
    int all = (int) ((1L << table.ranks(page)) - 1);
    return table.copiedRanks(page) == all && table.committedRanks(page) == all;
  }

  /**
   * Makes a complete page findable. The caller has looked that no other page has its key.
   *
   * @param parent the resident page before it on its chain, or {@link #NONE}
   */
  public void seal(PageIndex inFlight, int page, int parent) {
    leaveInFlight(inFlight, page);
    move(page, PageState.RESIDENT);
    index.add(page);
    if (parent != NONE) {
      table.setParent(page, parent);
      table.addChildren(parent, 1);
      if (table.listed(parent)) {
        lists.remove(parent);
      }
    }
    if (table.references(page) != 0) {
      throw new BrokenInvariant("page [" + page + "] seals while a copy runs on it");
    }
    lists.addYoungest(page);
  }

  /** Gives an unsealed page up. Its runs are freed as soon as no copy touches them. */
  public void discard(PageIndex inFlight, int page) {
    leaveInFlight(inFlight, page);
    if (table.references(page) == 0) {
      free(page);
    } else {
      move(page, PageState.ORPHAN);
    }
  }

  /** Takes an unsealed page's runs out of use until the process ends. */
  public void quarantineUnsealed(PageIndex inFlight, int page) {
    leaveInFlight(inFlight, page);
    move(page, PageState.QUARANTINED);
  }

  /** Takes the runs of a page that is not unsealed out of use until the process ends. */
  public void quarantine(int page) {
    switch (table.state(page)) {
      case RESIDENT -> {
        leaveResidency(page);
        move(page, PageState.QUARANTINED);
      }
      case ORPHAN -> move(page, PageState.QUARANTINED);
      case QUARANTINED -> {}
      case UNSEALED, FREE ->
          throw new BrokenInvariant("page [" + page + "] is quarantined as " + table.state(page));
    }
  }

  // ---- eviction --------------------------------------------------------------------------------

  /**
   * Evicts every unreferenced page that has no referenced descendant.
   *
   * @return bytes of their runs
   */
  public long evictAll() {
    long freed = 0;
    for (int page = lists.victim(-1); page != NONE; page = lists.victim(-1)) {
      freed += evict(page);
    }
    return freed;
  }

  private long allocateRun(long runBytes, int node) {
    long run = memory.allocate(runBytes, node);
    while (run == MemoryTier.NO_MEMORY && evictSome(node, runBytes)) {
      run = memory.allocate(runBytes, node);
    }
    if (run != MemoryTier.NO_MEMORY) {
      allocatedBytes += memory.allocatedBytes(run);
    }
    return run;
  }

  private boolean evictSome(int node, long wantedBytes) {
    long freed = 0;
    int evicted = 0;
    while (freed < wantedBytes && evicted < EVICTION_BATCH && evictableBytes > 0) {
      int page = lists.victim(node);
      if (page == NONE) {
        break;
      }
      long bytesOfPage = evict(page);
      freed += bytesOfPage;
      evictableBytes -= bytesOfPage;
      evicted++;
    }
    return evicted > 0;
  }

  private long evict(int page) {
    long freed = pageBytes(page);
    leaveResidency(page);
    free(page);
    counters.add(KernelCounter.EVICTED_PAGES, 1);
    counters.add(KernelCounter.EVICTED_BYTES, freed);
    return freed;
  }

  private void leaveResidency(int page) {
    index.remove(page);
    if (table.listed(page)) {
      lists.remove(page);
    }
    int parent = table.parent(page);
    if (parent != NONE) {
      table.setParent(page, NONE);
      int children = table.addChildren(parent, -1);
      if (children == 0
          && table.state(parent) == PageState.RESIDENT
          && table.references(parent) == 0) {
        lists.addByAge(parent);
      }
    }
  }

  private void leaveInFlight(PageIndex inFlight, int page) {
    if (table.state(page) != PageState.UNSEALED) {
      throw new BrokenInvariant("page [" + page + "] is " + table.state(page) + ", not UNSEALED");
    }
    inFlight.remove(page);
    claims.free(table.claims(page), table.ranks(page));
    table.setClaims(page, BlockTable.NONE);
    table.setClaimedRanks(page, 0);
  }

  private void free(int page) {
    account(page, table.state(page), -1);
    int ranks = table.ranks(page);
    for (int rank = 0; rank < ranks; rank++) {
      freeRun(run(page, rank));
    }
    if (ranks > 1) {
      furtherRuns.free(table.overflow(page), ranks - 1);
    }
    table.release(page);
  }

  private void freeRun(long run) {
    allocatedBytes -= memory.allocatedBytes(run);
    memory.free(run);
  }

  private void move(int page, PageState to) {
    account(page, table.state(page), -1);
    table.setState(page, to);
    account(page, to, 1);
  }

  private void account(int page, PageState state, int sign) {
    pages[state.code] += sign;
    bytes[state.code] += sign * pageBytes(page);
  }

  private long pageBytes(int page) {
    long sum = 0;
    for (int rank = 0; rank < table.ranks(page); rank++) {
      sum += memory.allocatedBytes(run(page, rank));
    }
    return sum;
  }

  private long run(int page, int rank) {
    return rank == 0 ? table.firstRun(page) : furtherRuns.get(table.overflow(page), rank - 1);
  }

  // ---- books -----------------------------------------------------------------------------------

  /** Pages in a state. */
  public int pages(PageState state) {
    return pages[state.code];
  }

  /** Bytes of the runs of the pages in a state. */
  public long bytes(PageState state) {
    return bytes[state.code];
  }

  /** Pages that were ever in use have lower numbers. */
  public int highWater() {
    return table.highWater();
  }

  /** The cheap check of every step: bytes by state against bytes allocated. */
  public void check() {
    long sum = 0;
    int count = 0;
    for (int state = 0; state < bytes.length; state++) {
      sum += bytes[state];
      count += pages[state];
    }
    if (sum != allocatedBytes
        || count != table.pages()
        || index.size() != pages(PageState.RESIDENT)) {
      throw new BrokenInvariant(
          "pages by state have ["
              + sum
              + "] bytes in ["
              + count
              + "] pages, allocated are ["
              + allocatedBytes
              + "] bytes in ["
              + table.pages()
              + "] pages, findable ["
              + index.size()
              + "]");
    }
  }

  /**
   * The deep check.
   *
   * @param references what the holders say, by page
   * @throws IllegalStateException naming what does not hold
   */
  public void verify(int[] references) {
    new ResidencyAudit(table, index, lists, memory, furtherRuns, claims)
        .run(references, bytes, pages);
    if (memory.usage().allocatedBytes() != allocatedBytes) {
      throw new IllegalStateException(
          "the memory tier has ["
              + memory.usage().allocatedBytes()
              + "] bytes allocated, the kernel ["
              + allocatedBytes
              + "]");
    }
  }
}
