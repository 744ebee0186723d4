package io.orbitkv.kernel.residency;

import io.orbitkv.api.memory.MemoryTier;
import io.orbitkv.api.page.WorkerLayout;
import io.orbitkv.api.policy.Facts;
import io.orbitkv.api.policy.PageBatch.Origin;
import io.orbitkv.kernel.BrokenInvariant;
import io.orbitkv.kernel.KernelCounter;
import io.orbitkv.kernel.policy.PageIds;
import io.orbitkv.kernel.step.Counters;
import io.orbitkv.kernel.table.BlockTable;
import org.jspecify.annotations.Nullable;

/**
 * All pages in host memory: their states, references, runs, and who is evicted. Dispatcher.
 *
 * <p>A page owns one run for each rank. Its runs are allocated together when the first rank
 * publishes it or a read begins, so that a page has either all of its memory or none; they are
 * freed together when nothing can touch any of them.
 *
 * <p>References: a lease, a read or a preparation holds one on each of its pages, a publish copy
 * one on each page it writes, a write to the backing tier one on its page. Restore copies need none
 * of their own, since they hold their lease.
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
  private static final int NO_DOMAIN = -1;

  private final Counters counters;
  private final PageTable table;
  private final PoolShape shape;
  private final NodeSets nodeSets;
  private final PageMemory memory;
  private final PageIndex index;
  private final PageIndex reading;
  private final EvictionLists lists;
  private final BlockTable claims = new BlockTable(WorkerLayout.MAX_RANKS);
  private final long[] bytes = new long[PageState.COUNT];
  private final int[] pages = new int[PageState.COUNT];
  private final PageMemory.Evictor evictor = this::evictSome;
  private final long nearlyFullBytes;
  private final int nearlyFullPages;
  private @Nullable Retention watch;
  private long evictableBytes;
  private long speculatedBytes;

  /**
   * @param memory called on the dispatcher; stays the caller's to close
   * @param maxPages most pages in all states
   */
  public Residency(MemoryTier memory, int maxPages, Counters counters) {
    this.counters = counters;
    this.table = new PageTable(maxPages);
    this.shape = new PoolShape(memory.chunks());
    this.nodeSets = new NodeSets(memory);
    this.memory = new PageMemory(memory, table, nodeSets);
    this.index = new PageIndex(table, INDEX_PART_BITS);
    this.reading = new PageIndex(table, 0);
    this.lists = new EvictionLists(table, nodeSets);
    this.nearlyFullBytes = memory.usage().capacityBytes() / 8 * 7;
    this.nearlyFullPages = (int) (maxPages / 8 * 7L);
  }

  // ---- retention -------------------------------------------------------------------------------

  /** Who hears of pages and names victims; null: nobody, and the built-in LRU holds. */
  void watch(@Nullable Retention watching) {
    watch = watching;
  }

  PageTable table() {
    return table;
  }

  EvictionLists lists() {
    return lists;
  }

  PageMemory memory() {
    return memory;
  }

  NodeSets nodeSets() {
    return nodeSets;
  }

  /** Whether more than seven eighths of the memory or of the table are in use. */
  boolean nearlyFull() {
    return memory.allocatedBytes() > nearlyFullBytes || table.pages() > nearlyFullPages;
  }

  // ---- lookup and references -------------------------------------------------------------------

  /** The resident page, or {@link #NONE}. */
  public int find(int domain, long keyHigh, long keyLow) {
    return index.find(domain, keyHigh, keyLow);
  }

  /** Whether a page number still names the resident page of a key. */
  public boolean is(int page, int domain, long keyHigh, long keyLow) {
    return table.state(page) == PageState.RESIDENT && table.is(page, domain, keyHigh, keyLow);
  }

  /**
   * The resident pages of the longest prefix of a chain that has them all. Much faster than one
   * {@link #find} after another.
   *
   * @param keys halves of keys, as (high, low)
   * @param place of the first key
   * @param into gets the pages; what lies behind the prefix in it is undefined
   * @param at where in it the first page goes
   * @return length of the prefix
   */
  public int findPrefix(int domain, long[] keys, int place, int count, int[] into, int at) {
    for (int done = 0; done < count; done += PageIndex.BLOCK) {
      int block = Math.min(PageIndex.BLOCK, count - done);
      index.findBlock(domain, keys, place + done, block, into, at + done);
      for (int i = done; i < done + block; i++) {
        if (into[at + i] == NONE) {
          return i;
        }
      }
    }
    return count;
  }

  /** A resident page was used. Call for a chain from its tail to its head. */
  public void touch(int page) {
    if (table.listed(page)) {
      lists.remove(page);
      lists.addYoungest(page);
    } else {
      table.setLastUse(page, lists.nextUse());
    }
    if (watch != null) {
      watch.touched(page);
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

  /** Foreground work uses a page: what was read ahead is an ordinary page from now on. */
  public void promote(int page) {
    if (table.retention(page) == RetentionClass.RECLAIMABLE) {
      if (table.listed(page)) {
        throw new BrokenInvariant("page [" + page + "] is promoted without a reference");
      }
      table.setRetention(page, RetentionClass.PROBATIONARY);
    }
  }

  /** Foreground work is granted pages, on which it has references: a use of each. */
  public void used(int[] used) {
    if (watch != null) {
      watch.used(used);
    }
  }

  /**
   * A resident page that was read is not to stay: it is evicted first as soon as nobody refers to
   * it.
   *
   * @return whether it was to stay before
   */
  public boolean demote(int page) {
    if (table.retention(page) != RetentionClass.PROBATIONARY) {
      return false;
    }
    boolean listed = table.listed(page);
    if (listed) {
      lists.remove(page);
    }
    table.setRetention(page, RetentionClass.RECLAIMABLE);
    if (listed) {
      lists.addByAge(page);
    }
    return true;
  }

  /** Takes a reference on a page for a copy or a write, which is no use of it. */
  public void hold(int page) {
    if (table.listed(page)) {
      lists.remove(page);
    }
    table.addReferences(page, 1);
  }

  /** Gives a reference back; the page is evictable or freed with the last one. */
  public void letGo(int page) {
    int references = table.addReferences(page, -1);
    if (references < 0) {
      throw new BrokenInvariant("page [" + page + "] has [" + references + "] references");
    }
    switch (table.state(page)) {
      case RESIDENT -> {
        if (references == 0) {
          endSpeculation(page, KernelCounter.SPECULATED_UNUSED_BYTES);
        }
        if (references == 0 && table.children(page) == 0) {
          lists.addYoungest(page);
        } else {
          table.setLastUse(page, lists.nextUse());
        }
      }
      case ORPHAN -> {
        if (references == 0) {
          endSpeculation(page, KernelCounter.SPECULATED_UNUSED_BYTES);
        }
        freeIfLeft(page);
      }
      case UNSEALED, QUARANTINED -> {}
      case READING, FREE ->
          throw new BrokenInvariant(
              "a reference on the page ["
                  + page
                  + "], which is "
                  + table.state(page)
                  + ", was given back");
    }
  }

  /** Gives a write's reference back, which was no use of the page. */
  public void letGoOfWrite(int page) {
    if (table.state(page) == PageState.RESIDENT) {
      if (table.addReferences(page, -1) == 0 && table.children(page) == 0) {
        lists.addByAge(page);
      }
    } else {
      letGo(page);
    }
  }

  /** The state of a page. */
  public PageState state(int page) {
    return table.state(page);
  }

  /** References on a page. */
  public int references(int page) {
    return table.references(page);
  }

  /** The key space of a page. */
  public int domain(int page) {
    return table.domain(page);
  }

  /** First half of the key of a page. */
  public long keyHigh(int page) {
    return table.keyHigh(page);
  }

  /** Second half of the key of a page. */
  public long keyLow(int page) {
    return table.keyLow(page);
  }

  /** The resident page before a page on its chain, or {@link #NONE}. */
  public int parent(int page) {
    return table.parent(page);
  }

  /** Whether a page that was published is the first one of its chain. */
  public boolean beginsChain(int page) {
    return table.first(page);
  }

  /** A sealed page is the first one of its chain. */
  public void beginChain(int page) {
    table.setFirst(page);
  }

  /** Number of runs of a page. */
  public int ranks(int page) {
    return table.ranks(page);
  }

  /** Bytes of the runs of a page. */
  public long bytes(int page) {
    return memory.bytes(page);
  }

  /** The native address of a rank's run. */
  public long address(int page, int rank) {
    return memory.address(page, rank);
  }

  // ---- speculation -----------------------------------------------------------------------------

  /** A page reached a device: if it was read ahead, that paid. */
  public void restored(int page) {
    endSpeculation(page, KernelCounter.SPECULATED_RESTORED_BYTES);
  }

  /** A page that was read ahead has come: without an owner it came in vain. */
  public void cameAhead(int page) {
    if (table.references(page) == 0) {
      endSpeculation(page, KernelCounter.SPECULATED_UNUSED_BYTES);
    }
  }

  private void endSpeculation(int page, KernelCounter end) {
    if (table.speculated(page)) {
      table.setSpeculated(page, false);
      long size = memory.bytes(page);
      speculatedBytes -= size;
      counters.add(end, size);
    }
  }

  /** Bytes that were read ahead and neither reached a device nor lost their last owner. */
  public long speculatedBytes() {
    return speculatedBytes;
  }

  // ---- pages being read ------------------------------------------------------------------------

  /** The page that a read fills, or {@link #NONE}. */
  public int findReading(int domain, long keyHigh, long keyLow) {
    return reading.find(domain, keyHigh, keyLow);
  }

  /**
   * Allocates a page for a read. Evicts when it must; see {@link #allocate}.
   *
   * @return the page, or {@link #NONE} when memory is short; then an allocation failure is counted
   */
  public int allocateForRead(int domain, long keyHigh, long keyLow, long[] runBytes, int[] nodes) {
    int page = allocatePage(domain, keyHigh, keyLow, runBytes, nodes);
    if (page != NONE) {
      table.setState(page, PageState.READING);
      account(page, PageState.READING, 1);
      reading.add(page);
    }
    return page;
  }

  /**
   * A read filled its page: it is findable. The caller has looked that no other page has its key.
   *
   * @param retention reclaimable when nobody but speculation waits for it
   * @param speculated whether speculation began the read
   * @param place where on its chain it is, for policies
   */
  public void read(int page, RetentionClass retention, boolean speculated, Place place) {
    leaveReading(page);
    move(page, PageState.RESIDENT);
    table.setRetention(page, retention);
    index.add(page);
    lists.addYoungest(page);
    if (speculated) {
      table.setSpeculated(page, true);
      long size = memory.bytes(page);
      speculatedBytes += size;
      counters.add(KernelCounter.SPECULATED_BYTES, size);
    }
    if (watch != null) {
      watch.inserted(page, place.origin(), place.depth(), place.parentId());
    }
  }

  /**
   * What is known of a page that was read.
   *
   * @param origin for whom it was read
   * @param depth pages before it
   * @param parentId the page before it, or {@link Facts#UNKNOWN}
   */
  public record Place(Origin origin, int depth, long parentId) {}

  /** A read failed, or its page came another way: its runs are free. */
  public void discardRead(int page) {
    leaveReading(page);
    free(page);
  }

  /** Nobody knows whether a read still writes: its runs stay out of use. */
  public void quarantineRead(int page) {
    leaveReading(page);
    quarantineUnnamed(page);
  }

  /** What may be written still is nobody's page: no proof may take it for one. */
  private void quarantineUnnamed(int page) {
    table.setIdentity(page, NO_DOMAIN, 0, 0);
    move(page, PageState.QUARANTINED);
  }

  /**
   * Remembers that a page follows another one on a chain, so that it is evicted first. Changes
   * nothing when the page has a predecessor or followers already: so the links never form a ring,
   * whatever keys a client asks for.
   */
  public void follow(int page, int parent) {
    if (page == parent
        || table.state(page) != PageState.RESIDENT
        || table.state(parent) != PageState.RESIDENT
        || table.parent(page) != NONE
        || table.children(page) != 0) {
      return;
    }
    link(page, parent);
  }

  private void leaveReading(int page) {
    if (table.state(page) != PageState.READING) {
      throw new BrokenInvariant("page [" + page + "] is " + table.state(page) + ", not READING");
    }
    reading.remove(page);
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
    int page = allocatePage(domain, keyHigh, keyLow, runBytes, nodes);
    if (page != NONE) {
      table.setClaims(page, claims.allocate(runBytes.length));
      table.setState(page, PageState.UNSEALED);
      account(page, PageState.UNSEALED, 1);
      inFlight.add(page);
    }
    return page;
  }

  private int allocatePage(int domain, long keyHigh, long keyLow, long[] runBytes, int[] nodes) {
    long pageBytes = 0;
    for (long bytesOfRank : runBytes) {
      pageBytes += bytesOfRank;
    }
    evictableBytes = Math.max(EVICTION_LIMIT_BYTES, EVICTION_LIMIT_PAGES * pageBytes);
    int page = table.allocate();
    while (page == NONE && evictSome(-1, 1)) {
      page = table.allocate();
    }
    if (page != NONE && !memory.allocate(page, runBytes, nodes, evictor)) {
      table.release(page);
      page = NONE;
    }
    if (page == NONE) {
      counters.add(KernelCounter.ALLOCATION_FAILURES, 1);
      return NONE;
    }
    table.setIdentity(page, domain, keyHigh, keyLow);
    table.setRetention(page, RetentionClass.PROBATIONARY);
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
      link(page, parent);
    }
    if (table.references(page) != 0) {
      throw new BrokenInvariant("page [" + page + "] seals while a copy runs on it");
    }
    lists.addYoungest(page);
    if (watch != null) {
      long parentId =
          parent == NONE ? Facts.UNKNOWN : PageIds.of(table.keyHigh(parent), table.keyLow(parent));
      watch.inserted(page, Origin.PUBLISH, -1, parentId);
    }
  }

  private void link(int page, int parent) {
    table.setParent(page, parent);
    table.addChildren(parent, 1);
    if (table.listed(parent)) {
      lists.remove(parent);
    }
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
    quarantineUnnamed(page);
  }

  /** Takes the runs of a page that is not unsealed out of use until the process ends. */
  public void quarantine(int page) {
    switch (table.state(page)) {
      case RESIDENT -> {
        leaveResidency(page);
        quarantineNamed(page);
      }
      case ORPHAN -> quarantineNamed(page);
      case QUARANTINED -> {}
      case UNSEALED, READING, FREE ->
          throw new BrokenInvariant("page [" + page + "] is quarantined as " + table.state(page));
    }
  }

  private void quarantineNamed(int page) {
    // Whether it reached a device nobody will ever know.
    endSpeculation(page, KernelCounter.SPECULATED_UNUSED_BYTES);
    move(page, PageState.QUARANTINED);
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

  // ---- eviction --------------------------------------------------------------------------------

  /**
   * Makes resident pages unfindable, whoever refers to them; those that nobody refers to are freed.
   *
   * @param from first page number to look at
   * @param to page number after the last one
   * @return bytes that were freed at once
   */
  public long evictRange(int from, int to) {
    long freed = 0;
    for (int page = from; page < to; page++) {
      if (table.state(page) == PageState.RESIDENT) {
        boolean unheld = table.references(page) == 0;
        long size = memory.bytes(page);
        leaveResidency(page);
        move(page, PageState.ORPHAN);
        freeIfLeft(page);
        counters.add(KernelCounter.EVICTED_PAGES, 1);
        counters.add(KernelCounter.EVICTED_BYTES, size);
        freed += unheld ? size : 0;
      }
    }
    return freed;
  }

  private boolean evictSome(int node, long wantedBytes) {
    long freed = 0;
    int evicted = 0;
    while (freed < wantedBytes && evicted < EVICTION_BATCH && evictableBytes > 0) {
      int page = watch == null ? lists.victim(node) : watch.victim(node);
      if (page == NONE) {
        break;
      }
      long bytesOfPage = evict(page);
      if (watch != null) {
        watch.evicted();
      }
      freed += bytesOfPage;
      evictableBytes -= bytesOfPage;
      evicted++;
    }
    return evicted > 0;
  }

  private long evict(int page) {
    long freed = memory.bytes(page);
    leaveResidency(page);
    free(page);
    counters.add(KernelCounter.EVICTED_PAGES, 1);
    counters.add(KernelCounter.EVICTED_BYTES, freed);
    return freed;
  }

  private void leaveResidency(int page) {
    if (watch != null) {
      watch.removed(page);
    }
    index.remove(page);
    if (table.listed(page)) {
      lists.remove(page);
    }
    int parent = table.parent(page);
    if (parent == NONE) {
      return;
    }
    table.setParent(page, NONE);
    int children = table.addChildren(parent, -1);
    if (children != 0) {
      return;
    }
    if (table.state(parent) == PageState.ORPHAN) {
      freeIfLeft(parent);
    } else if (table.state(parent) == PageState.RESIDENT && table.references(parent) == 0) {
      lists.addByAge(parent);
    }
  }

  /** Frees an orphan that nobody refers to and that nothing follows. */
  private void freeIfLeft(int page) {
    if (table.references(page) == 0 && table.children(page) == 0) {
      free(page);
    }
  }

  private void free(int page) {
    endSpeculation(page, KernelCounter.SPECULATED_UNUSED_BYTES);
    account(page, table.state(page), -1);
    memory.free(page);
    table.release(page);
  }

  private void move(int page, PageState to) {
    account(page, table.state(page), -1);
    table.setState(page, to);
    account(page, to, 1);
  }

  private void account(int page, PageState state, int sign) {
    pages[state.code] += sign;
    bytes[state.code] += sign * memory.bytes(page);
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
    if (sum != memory.allocatedBytes()
        || count != table.pages()
        || index.size() != pages(PageState.RESIDENT)
        || reading.size() != pages(PageState.READING)) {
      throw new BrokenInvariant(
          "pages by state have ["
              + sum
              + "] bytes in ["
              + count
              + "] pages, allocated are ["
              + memory.allocatedBytes()
              + "] bytes in ["
              + table.pages()
              + "] pages, findable ["
              + index.size()
              + "], being read ["
              + reading.size()
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
    new ResidencyAudit(table, index, reading, lists, memory, claims).run(references, bytes, pages);
    long speculated = 0;
    for (int page = 0; page < table.highWater(); page++) {
      if (table.state(page) != PageState.FREE && table.speculated(page)) {
        speculated += memory.bytes(page);
      }
    }
    if (speculated != speculatedBytes) {
      throw new IllegalStateException(
          "pages read ahead have [" + speculated + "] bytes, booked are [" + speculatedBytes + "]");
    }
    if (memory.tierBytes() != memory.allocatedBytes()) {
      throw new IllegalStateException(
          "the memory tier has ["
              + memory.tierBytes()
              + "] bytes allocated, the kernel ["
              + memory.allocatedBytes()
              + "]");
    }
  }
}
