package io.orbitkv.dram;

import io.orbitkv.api.memory.HostChunk;
import io.orbitkv.api.memory.MemoryTier;
import io.orbitkv.api.memory.MemoryTierFactory;
import io.orbitkv.api.memory.MemoryUsage;
import io.orbitkv.api.plugin.Meters;
import io.orbitkv.api.plugin.PluginContext;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.System.Logger.Level;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * Host memory on NUMA nodes. One {@link RunAllocator} a node; a handle is {@code chunk << 18 |
 * granule}, with chunks counted over all nodes in order of address.
 *
 * <p>Allocation on a named node is strict: it fails although another node has room. A node on which
 * the tier has no memory has no room either. Without a node, the node with most free bytes among
 * those that can serve the request is taken.
 *
 * <p>Chunks are touched round robin over the nodes, so that each node has memory soon. {@link
 * #close} stops that; a chunk that was not announced then is announced never.
 */
final class DramTier implements MemoryTier {
  private static final int HANDLE_GRANULE_BITS = 18;
  private static final long HANDLE_GRANULE_MASK = (1L << HANDLE_GRANULE_BITS) - 1;
  private static final long HUGE_PAGE_BYTES = 2L << 20;
  private static final long UNKNOWN = -1;

  // States of a chunk; 0 until it is touched.
  private static final int TOUCHED = 1;
  private static final int ACTIVE = 2;

  private final DramSettings settings;
  private final PluginContext context;
  private final PageMemory memory;
  private final List<NodeArena> arenas;
  private final List<HostChunk> chunks;
  private final NodePool[] pools;
  private final NodePool[] poolOfChunk;
  private final AtomicIntegerArray states;
  private final ChunkToucher toucher;
  private final long capacityBytes;
  private final AtomicBoolean prepared = new AtomicBoolean();
  private final Meters.Counter failureCounter;
  private boolean closed;

  // Written by the dispatcher, read by whoever asks for a meter.
  private final AtomicLong activeBytes = new AtomicLong();
  private final AtomicLong allocatedBytes = new AtomicLong();
  private final AtomicLong largestFreeBytes = new AtomicLong();
  private final AtomicLong failures = new AtomicLong();
  private volatile long hugePageBytes = UNKNOWN;

  private DramTier(
      DramSettings settings,
      MemoryTierFactory.Request request,
      PluginContext context,
      PageMemory memory,
      List<NodeArena> arenas) {
    this.settings = settings;
    this.context = context;
    this.memory = memory;
    this.arenas =
        arenas.stream().sorted(Comparator.comparingLong(a -> a.mapping().address())).toList();
    chunks = new ArrayList<>();
    pools = new NodePool[arenas.size()];
    List<NodePool> owners = new ArrayList<>();
    for (int i = 0; i < pools.length; i++) {
      int firstChunk = chunks.size();
      cut(this.arenas.get(i), settings.chunkSize().bytes(), chunks);
      pools[i] =
          new NodePool(
              this.arenas.get(i).node(), firstChunk, chunks.subList(firstChunk, chunks.size()));
      while (owners.size() < chunks.size()) {
        owners.add(pools[i]);
      }
    }
    poolOfChunk = owners.toArray(NodePool[]::new);
    states = new AtomicIntegerArray(chunks.size());
    capacityBytes = chunks.stream().mapToLong(HostChunk::bytes).sum();
    for (HostChunk chunk : chunks) {
      request.topology().bind(chunk.address(), chunk.bytes(), chunk.numaNode());
    }
    toucher =
        new ChunkToucher(
            touchOrder(),
            memory,
            context,
            c -> states.set(c.index(), TOUCHED),
            this::readHugePages);
    Meters meters = context.meters();
    failureCounter =
        meters.counter("allocation_failures_total", "Allocations that found no free run");
    meters.gauge("capacity_bytes", "Bytes of all chunks", () -> capacityBytes);
    meters.gauge("active_bytes", "Bytes of the chunks in use", activeBytes::get);
    meters.gauge("allocated_bytes", "Bytes in allocated runs", allocatedBytes::get);
    meters.gauge("largest_free_bytes", "Bytes of the largest free run", largestFreeBytes::get);
    meters.gauge(
        "huge_page_bytes",
        "Bytes obtained as huge pages once every chunk was touched, -1 before",
        () -> hugePageBytes);
  }

  /**
   * Maps, advises and binds; touches nothing.
   *
   * @throws IllegalStateException when the system refuses; nothing stays mapped
   * @throws IllegalArgumentException when the request cannot be met
   */
  static DramTier create(
      DramSettings settings,
      MemoryTierFactory.Request request,
      PluginContext context,
      PageMemory memory) {
    long nodeBytes = nodeBytes(settings, request);
    List<NodeArena> arenas = new ArrayList<>();
    boolean made = false;
    try {
      for (int node : request.nodes()) {
        long alignment =
            settings.hugePages() && nodeBytes >= HUGE_PAGE_BYTES
                ? HUGE_PAGE_BYTES
                : RunAllocator.GRANULE_BYTES;
        PageMemory.Mapping mapping = memory.map(nodeBytes, alignment);
        arenas.add(new NodeArena(node, mapping));
        advise(settings, context, memory, mapping);
      }
      DramTier tier = new DramTier(settings, request, context, memory, arenas);
      made = true;
      return tier;
    } finally {
      if (!made) {
        arenas.forEach(arena -> memory.unmap(arena.mapping()));
      }
    }
  }

  private static long nodeBytes(DramSettings settings, MemoryTierFactory.Request request) {
    List<Integer> nodes = request.nodes();
    if (nodes.isEmpty() || nodes.stream().distinct().count() != nodes.size()) {
      throw new IllegalArgumentException(
          "nodes " + nodes + " for the pool: name each node once, and at least one");
    }
    if (!request.topology().nodes().containsAll(nodes)) {
      throw new IllegalArgumentException(
          "nodes " + nodes + " for the pool: this machine has " + request.topology().nodes());
    }
    long granules = request.capacityBytes() / nodes.size() / RunAllocator.GRANULE_BYTES;
    if (granules < 1) {
      throw new IllegalArgumentException(
          "a pool of ["
              + request.capacityBytes()
              + "] bytes over "
              + nodes.size()
              + " nodes: at least 4kb a node are needed; make memory.pool-size larger");
    }
    long bytes = granules * RunAllocator.GRANULE_BYTES;
    if (Math.ceilDiv(bytes, settings.chunkSize().bytes()) > NodePool.MAX_CHUNKS) {
      throw new IllegalArgumentException(
          "chunk-size ["
              + settings.chunkSize()
              + "] cuts ["
              + bytes
              + "] bytes of a node into more than "
              + NodePool.MAX_CHUNKS
              + " chunks: make it larger");
    }
    return bytes;
  }

  private static void advise(
      DramSettings settings, PluginContext context, PageMemory memory, PageMemory.Mapping mapping) {
    if (settings.hugePages()) {
      int error = memory.adviseHugePages(mapping.address(), mapping.bytes());
      if (error != 0) {
        context.log().log(
            Level.WARNING,
            "the system refuses huge pages for the pool (error {0}): copies cost more; set"
                + " /sys/kernel/mm/transparent_hugepage/enabled to madvise",
            error);
      }
    }
    int error = memory.leaveOutOfDumps(mapping.address(), mapping.bytes());
    if (error != 0) {
      context.log().log(
          Level.WARNING, "core dumps will hold the whole pool (madvise: error {0})", error);
    }
  }

  private static void cut(NodeArena arena, long chunkBytes, List<HostChunk> chunks) {
    long bytes = arena.mapping().bytes();
    for (long offset = 0; offset < bytes; offset += chunkBytes) {
      chunks.add(
          new HostChunk(
              chunks.size(),
              arena.mapping().address() + offset,
              Math.min(chunkBytes, bytes - offset),
              arena.node()));
    }
  }

  /** Round robin over the nodes. */
  private List<HostChunk> touchOrder() {
    List<HostChunk> order = new ArrayList<>(chunks);
    order.sort(
        Comparator.comparingInt(
                (HostChunk chunk) -> chunk.index() - poolOfChunk[chunk.index()].firstChunk())
            .thenComparingInt(HostChunk::index));
    return order;
  }

  @Override
  public void prepare(ChunkListener listener) {
    if (!prepared.compareAndSet(false, true)) {
      throw new IllegalStateException("the tier [dram] is prepared already");
    }
    toucher.start(settings.threads(), context, listener);
  }

  @Override
  public void activate(HostChunk chunk) {
    int index = chunk.index();
    if (index < 0 || index >= chunks.size() || !chunks.get(index).equals(chunk)) {
      throw new IllegalStateException(chunk + " is no chunk of this tier");
    }
    if (!states.compareAndSet(index, TOUCHED, ACTIVE)) {
      throw new IllegalStateException(
          chunk + (states.get(index) == ACTIVE ? " is active already" : " was not announced"));
    }
    poolOfChunk[index].activate(chunk);
    activeBytes.setRelease(activeBytes.getPlain() + chunk.bytes());
    publishLargest();
  }

  @Override
  public long allocate(long bytes, int numaNode) {
    if (bytes <= 0) {
      throw new IllegalArgumentException("a run of [" + bytes + "] bytes: must be positive");
    }
    NodePool pool = bytes <= HostChunk.MAX_BYTES ? choose(bytes, numaNode) : null;
    if (pool == null) {
      failures.setRelease(failures.getPlain() + 1);
      failureCounter.add(1);
      return NO_MEMORY;
    }
    int granules = granules(bytes);
    int place = pool.runs().allocate(granules);
    allocatedBytes.setRelease(
        allocatedBytes.getPlain() + (long) granules * RunAllocator.GRANULE_BYTES);
    publishLargest();
    int chunk = pool.firstChunk() + pool.runs().chunkOf(place);
    return ((long) chunk << HANDLE_GRANULE_BITS) | pool.runs().granuleOf(place);
  }

  /** The pool that serves a request, or null. */
  private @Nullable NodePool choose(long bytes, int numaNode) {
    int granules = granules(bytes);
    NodePool best = null;
    for (NodePool pool : pools) {
      boolean wanted = numaNode < 0 || pool.node() == numaNode;
      if (wanted
          && pool.runs().largestFree() >= granules
          && (best == null || pool.runs().freeGranules() > best.runs().freeGranules())) {
        best = pool;
      }
    }
    return best;
  }

  @Override
  public void free(long handle) {
    NodePool pool = poolOf(handle);
    int place = place(handle, pool);
    long bytes = (long) pool.runs().granules(place) * RunAllocator.GRANULE_BYTES;
    pool.runs().free(place);
    allocatedBytes.setRelease(allocatedBytes.getPlain() - bytes);
    publishLargest();
  }

  @Override
  public long address(long handle) {
    NodePool pool = poolOf(handle);
    // Asked for its check only: the place must start an allocated run.
    var _ = pool.runs().granules(place(handle, pool));
    return chunks.get((int) (handle >>> HANDLE_GRANULE_BITS)).address()
        + (handle & HANDLE_GRANULE_MASK) * RunAllocator.GRANULE_BYTES;
  }

  @Override
  public long allocatedBytes(long handle) {
    NodePool pool = poolOf(handle);
    return (long) pool.runs().granules(place(handle, pool)) * RunAllocator.GRANULE_BYTES;
  }

  @Override
  public List<HostChunk> chunks() {
    return List.copyOf(chunks);
  }

  @Override
  public MemoryUsage usage() {
    long free = 0;
    for (NodePool pool : pools) {
      free += pool.runs().freeGranules() * RunAllocator.GRANULE_BYTES;
    }
    return new MemoryUsage(
        capacityBytes,
        activeBytes.getPlain(),
        allocatedBytes.getPlain(),
        largestFreeBytes.getPlain(),
        free,
        failures.getPlain(),
        hugePageBytes);
  }

  @Override
  public void close() {
    if (closed) {
      return;
    }
    closed = true;
    prepared.set(true);
    toucher.stop();
    arenas.forEach(arena -> memory.unmap(arena.mapping()));
  }

  private NodePool poolOf(long handle) {
    long chunk = handle >>> HANDLE_GRANULE_BITS;
    if (handle < 0 || chunk >= poolOfChunk.length) {
      throw new IllegalArgumentException("handle [" + handle + "] is not of this tier");
    }
    return poolOfChunk[(int) chunk];
  }

  private int place(long handle, NodePool pool) {
    int chunk = (int) (handle >>> HANDLE_GRANULE_BITS);
    int granule = (int) (handle & HANDLE_GRANULE_MASK);
    if (granule >= chunks.get(chunk).bytes() / RunAllocator.GRANULE_BYTES) {
      throw new IllegalArgumentException("handle [" + handle + "] is not of this tier");
    }
    return pool.runs().place(chunk - pool.firstChunk(), granule);
  }

  private static int granules(long bytes) {
    return (int) Math.ceilDiv(bytes, RunAllocator.GRANULE_BYTES);
  }

  private void publishLargest() {
    int granules = 0;
    for (NodePool pool : pools) {
      granules = Math.max(granules, pool.runs().largestFree());
    }
    largestFreeBytes.setRelease((long) granules * RunAllocator.GRANULE_BYTES);
  }

  /**
   * Once, after the last chunk was touched, on a thread of the tier: the system walks its page
   * tables for it, which takes too long for the dispatcher.
   */
  private void readHugePages() {
    try (BufferedReader smaps = Files.newBufferedReader(Path.of("/proc/self/smaps"))) {
      hugePageBytes = HugePages.bytesOf(smaps, arenas.stream().map(NodeArena::range).toList());
    } catch (IOException | UncheckedIOException unreadable) {
      context.log().log(
          Level.WARNING, "how many huge pages the pool got is unknown: {0}", unreadable);
    }
  }
}
