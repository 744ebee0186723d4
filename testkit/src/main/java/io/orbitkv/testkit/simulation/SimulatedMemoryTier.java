package io.orbitkv.testkit.simulation;

import io.orbitkv.api.memory.HostChunk;
import io.orbitkv.api.memory.MemoryTier;
import io.orbitkv.api.memory.MemoryUsage;
import io.orbitkv.api.page.SlotLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * A memory tier without memory: addresses are numbers that point nowhere, and each run carries one
 * {@link #tag} in the place of its bytes. Deterministic: the same calls give the same handles.
 *
 * <p>It watches the life of runs. A run that a {@link SimulatedCopier} reads or writes cannot be
 * freed, two copies cannot write to one run, none can read what another writes, and a copy cannot
 * begin on memory that is not allocated: each ends with an {@link AssertionError} that says who.
 *
 * <p>Handles count up and are never used twice. One thread, except {@link #chunks}.
 */
public final class SimulatedMemoryTier implements MemoryTier {
  /** Tag of a run that nobody wrote to since its allocation. */
  public static final long UNWRITTEN = 0;

  private static final long GRANULE = SlotLayout.RUN_ALIGNMENT;

  /** Far from anything that is mapped, so that a use as an address faults. */
  private static final long BASE_ADDRESS = 1L << 52;

  private final List<HostChunk> chunks = new ArrayList<>();
  private final boolean[] announced;
  private final boolean[] active;
  private final TreeMap<Long, Run> runsByAddress = new TreeMap<>();
  private final Map<Long, Run> runsByHandle = new TreeMap<>();
  private final TreeMap<Long, Long> freeBytesByAddress = new TreeMap<>();
  private boolean automatic = true;
  private @Nullable ChunkListener listener;
  private int failNext;
  private long nextHandle;
  private long allocationFailures;
  private boolean closed;

  /**
   * @param chunkBytes size of each chunk, a multiple of 4 KiB, at most 1 GiB
   * @param chunksOfNode number of chunks on node 0, 1, …
   */
  public SimulatedMemoryTier(long chunkBytes, int... chunksOfNode) {
    if (chunkBytes <= 0 || chunkBytes % GRANULE != 0 || chunkBytes > HostChunk.MAX_BYTES) {
      throw new IllegalArgumentException("chunks of [" + chunkBytes + "] bytes");
    }
    for (int node = 0; node < chunksOfNode.length; node++) {
      for (int i = 0; i < chunksOfNode[node]; i++) {
        // One granule apart, so that a run that leaves its chunk is never one of the next.
        long address = BASE_ADDRESS + chunks.size() * (chunkBytes + GRANULE);
        chunks.add(new HostChunk(chunks.size(), address, chunkBytes, node));
      }
    }
    announced = new boolean[chunks.size()];
    active = new boolean[chunks.size()];
  }

  // ---- what the test controls ------------------------------------------------------------------

  /** Makes {@link #prepare} announce nothing; the test calls {@link #announce}. */
  public void announceByHand() {
    automatic = false;
  }

  /** Announces a chunk as touched, on this thread. */
  public void announce(int chunk) {
    announced[chunk] = true;
    listener().touched(chunks.get(chunk));
  }

  /** Announces a chunk as failed, on this thread. */
  public void announceFailure(int chunk, Throwable cause) {
    listener().failed(chunks.get(chunk), cause);
  }

  /** Makes the next {@code allocations} fail, whatever is free. */
  public void failAllocations(int allocations) {
    failNext = allocations;
  }

  /** What a run holds: the tag that was copied or set last, or {@link #UNWRITTEN}. */
  public long tag(long handle) {
    return run(handle).tag;
  }

  /** Writes to a run without a copy. */
  public void setTag(long handle, long tag) {
    run(handle).tag = tag;
  }

  /** The handles of all allocated runs, ascending. */
  public List<Long> allocated() {
    return List.copyOf(runsByHandle.keySet());
  }

  /**
   * Checks that everything was given back.
   *
   * @throws AssertionError naming the runs that are left
   */
  public void assertDrained() {
    if (!runsByHandle.isEmpty()) {
      throw new AssertionError("runs are still allocated: " + runsByHandle.values());
    }
  }

  // ---- the contract ----------------------------------------------------------------------------

  /** Announces every chunk before it returns, unless {@link #announceByHand} was called. */
  @Override
  public void prepare(ChunkListener chunkListener) {
    if (listener != null) {
      throw new IllegalStateException("prepared already");
    }
    listener = chunkListener;
    if (automatic) {
      for (HostChunk chunk : chunks) {
        announce(chunk.index());
      }
    }
  }

  @Override
  public void activate(HostChunk chunk) {
    int index = chunk.index();
    if (index < 0
        || index >= chunks.size()
        || !chunks.get(index).equals(chunk)
        || !announced[index]
        || active[index]) {
      throw new IllegalStateException(chunk + " was not announced, or is active already");
    }
    active[index] = true;
    freeBytesByAddress.put(chunk.address(), chunk.bytes());
  }

  /** The first run in order of address that is large enough. Not O(1), unlike a real tier. */
  @Override
  public long allocate(long bytes, int numaNode) {
    if (bytes <= 0) {
      throw new IllegalArgumentException("a run of [" + bytes + "] bytes");
    }
    Map.Entry<Long, Long> found = failNext > 0 ? null : firstFit(bytes, numaNode);
    failNext = Math.max(0, failNext - 1);
    if (found == null) {
      allocationFailures++;
      return NO_MEMORY;
    }
    long address = found.getKey();
    long taken = Math.ceilDiv(bytes, GRANULE) * GRANULE;
    freeBytesByAddress.remove(address);
    if (found.getValue() > taken) {
      freeBytesByAddress.put(address + taken, found.getValue() - taken);
    }
    Run run = new Run(nextHandle++, address, taken);
    runsByHandle.put(run.handle, run);
    runsByAddress.put(address, run);
    return run.handle;
  }

  @Override
  public void free(long handle) {
    Run run = run(handle);
    if (run.readers > 0 || run.writer) {
      throw new AssertionError(run + " is freed under a copy");
    }
    runsByHandle.remove(handle);
    runsByAddress.remove(run.address);
    long address = run.address;
    long bytes = run.bytes;
    // Chunks lie apart, so that neighbours are always of one chunk.
    Long after = freeBytesByAddress.remove(address + bytes);
    bytes += after == null ? 0 : after;
    Map.Entry<Long, Long> before = freeBytesByAddress.lowerEntry(address);
    if (before != null && before.getKey() + before.getValue() == address) {
      address = before.getKey();
      bytes += before.getValue();
    }
    freeBytesByAddress.put(address, bytes);
  }

  @Override
  public long address(long handle) {
    return run(handle).address;
  }

  @Override
  public long allocatedBytes(long handle) {
    return run(handle).bytes;
  }

  @Override
  public List<HostChunk> chunks() {
    return List.copyOf(chunks);
  }

  @Override
  public MemoryUsage usage() {
    long activeBytes = 0;
    for (HostChunk chunk : chunks) {
      activeBytes += active[chunk.index()] ? chunk.bytes() : 0;
    }
    long free = freeBytesByAddress.values().stream().mapToLong(Long::longValue).sum();
    return new MemoryUsage(
        chunks.stream().mapToLong(HostChunk::bytes).sum(),
        activeBytes,
        activeBytes - free,
        freeBytesByAddress.values().stream().mapToLong(Long::longValue).max().orElse(0),
        free,
        allocationFailures,
        -1);
  }

  /**
   * @throws AssertionError when a copy still works on a run
   */
  @Override
  public void close() {
    for (Run run : runsByHandle.values()) {
      if (run.readers > 0 || run.writer) {
        throw new AssertionError("the tier is closed while a copy works on " + run);
      }
    }
    closed = true;
  }

  /** Whether {@link #close} was called. */
  public boolean isClosed() {
    return closed;
  }

  // ---- for the simulated copier ----------------------------------------------------------------

  /** A copy begins on the run that starts at an address. */
  Run begin(long address, long bytes, boolean write) {
    Run run = runsByAddress.get(address);
    if (run == null || run.bytes < bytes) {
      throw new AssertionError(
          "a copy of ["
              + bytes
              + "] bytes begins at ["
              + Long.toHexString(address)
              + "], where "
              + (run == null ? "no run is allocated" : run + " is too short"));
    }
    if (run.writer || (write && run.readers > 0)) {
      throw new AssertionError(run + " gets a second copy beside a writing one");
    }
    if (write) {
      run.writer = true;
    } else {
      run.readers++;
    }
    return run;
  }

  private ChunkListener listener() {
    ChunkListener present = listener;
    if (present == null) {
      throw new IllegalStateException("prepare was not called");
    }
    return present;
  }

  private Map.@Nullable Entry<Long, Long> firstFit(long bytes, int numaNode) {
    for (Map.Entry<Long, Long> free : freeBytesByAddress.entrySet()) {
      if (free.getValue() >= bytes && (numaNode < 0 || nodeOf(free.getKey()) == numaNode)) {
        return Map.entry(free.getKey(), free.getValue());
      }
    }
    return null;
  }

  private int nodeOf(long address) {
    for (HostChunk chunk : chunks) {
      if (chunk.address() <= address && address < chunk.address() + chunk.bytes()) {
        return chunk.numaNode();
      }
    }
    throw new AssertionError("address [" + Long.toHexString(address) + "] is in no chunk");
  }

  private Run run(long handle) {
    Run run = runsByHandle.get(handle);
    if (run == null) {
      throw new IllegalArgumentException("handle [" + handle + "] names no allocated run");
    }
    return run;
  }

  /** An allocated run. */
  static final class Run {
    private final long handle;
    private final long address;
    private final long bytes;
    private long tag = UNWRITTEN;
    private int readers;
    private boolean writer;

    private Run(long handle, long address, long bytes) {
      this.handle = handle;
      this.address = address;
      this.bytes = bytes;
    }

    long tag() {
      return tag;
    }

    void setTag(long newTag) {
      tag = newTag;
    }

    /** The copy that began is over. */
    void end(boolean write) {
      if (write) {
        writer = false;
      } else {
        readers--;
      }
    }

    @Override
    public String toString() {
      return "run "
          + handle
          + " ["
          + Long.toHexString(address)
          + ", "
          + bytes
          + " bytes, "
          + readers
          + " readers"
          + (writer ? ", a writer" : "")
          + "]";
    }
  }
}
