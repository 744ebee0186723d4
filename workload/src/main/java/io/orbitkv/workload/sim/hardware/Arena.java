package io.orbitkv.workload.sim.hardware;

import io.orbitkv.api.memory.HostChunk;
import io.orbitkv.api.memory.MemoryTier;
import io.orbitkv.api.memory.MemoryUsage;
import io.orbitkv.api.page.SlotLayout;
import io.orbitkv.workload.sim.rule.Invariant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BooleanSupplier;

/**
 * A simulated memory tier whose runs carry one tag instead of bytes. It knows which transfers touch
 * a run: one writer and nobody else, or any number of readers; a run is never freed while touched,
 * and its tag never changes from its one write to its end.
 *
 * <p>Frames of 4 KiB, first fit: small, so that a search costs nothing.
 */
public final class Arena implements MemoryTier {
  /** Bytes of a frame. */
  public static final long FRAME_BYTES = SlotLayout.RUN_ALIGNMENT;

  /** Tags below this are of bytes that nobody may ever see. */
  public static final long GARBAGE = 0;

  /** The tag of a run that nobody wrote. */
  public static final long NO_TAG = Long.MIN_VALUE;

  private static final int NODE_SHIFT = 40;

  private final Checks checks;
  private final BooleanSupplier fragmented;
  private final List<HostChunk> chunks = new ArrayList<>();
  private final List<Chunk> frames = new ArrayList<>();
  private final Map<Long, Run> byHandle = new HashMap<>();
  private final Map<Long, Run> byAddress = new HashMap<>();
  private final Set<Integer> active = new HashSet<>();
  private long nextHandle;
  private long allocatedBytes;
  private long failures;

  private record Chunk(boolean[] taken, long address) {}

  private static final class Run {
    final int chunk;
    final int frame;
    final int frames;
    long tag = NO_TAG;
    long writer;
    int readers;
    boolean quarantined;

    Run(int chunk, int frame, int frames) {
      this.chunk = chunk;
      this.frame = frame;
      this.frames = frames;
    }
  }

  /**
   * @param fragmented asked at each allocation; true makes it fail
   * @param nodeFrames frames of the nodes 0, 1, …
   */
  public Arena(Checks checks, BooleanSupplier fragmented, int... nodeFrames) {
    this.checks = checks;
    this.fragmented = fragmented;
    for (int node = 0; node < nodeFrames.length; node++) {
      long address = (node + 1L) << NODE_SHIFT;
      chunks.add(new HostChunk(node, address, nodeFrames[node] * FRAME_BYTES, node));
      frames.add(new Chunk(new boolean[nodeFrames[node]], address));
    }
  }

  // ---- the tier --------------------------------------------------------------------------------

  @Override
  public void prepare(ChunkListener listener) {
    chunks.forEach(listener::touched);
  }

  @Override
  public void activate(HostChunk chunk) {
    if (!chunks.contains(chunk) || !active.add(chunk.index())) {
      throw new IllegalStateException("chunk [" + chunk + "] is unknown or active");
    }
  }

  @Override
  public long allocate(long bytes, int numaNode) {
    if (bytes <= 0) {
      throw new IllegalArgumentException("[" + bytes + "] bytes");
    }
    int wanted = Math.toIntExact(Math.ceilDiv(bytes, FRAME_BYTES));
    if (!fragmented.getAsBoolean()) {
      for (HostChunk chunk : chunks) {
        if (active.contains(chunk.index()) && (numaNode < 0 || chunk.numaNode() == numaNode)) {
          int frame = firstFit(frames.get(chunk.index()).taken(), wanted);
          if (frame >= 0) {
            return take(chunk.index(), frame, wanted);
          }
        }
      }
    }
    failures++;
    return NO_MEMORY;
  }

  private long take(int chunk, int frame, int count) {
    Chunk within = frames.get(chunk);
    Arrays.fill(within.taken(), frame, frame + count, true);
    Run run = new Run(chunk, frame, count);
    byHandle.put(++nextHandle, run);
    byAddress.put(within.address() + frame * FRAME_BYTES, run);
    allocatedBytes += count * FRAME_BYTES;
    return nextHandle;
  }

  private static int firstFit(boolean[] taken, int wanted) {
    int free = 0;
    for (int i = 0; i < taken.length; i++) {
      free = taken[i] ? 0 : free + 1;
      if (free == wanted) {
        return i - wanted + 1;
      }
    }
    return -1;
  }

  @Override
  public void free(long handle) {
    Run run = run(handle);
    long address = address(run);
    checks.require(
        Invariant.QUARANTINE_IS_FINAL,
        !run.quarantined,
        () -> "run [" + Long.toHexString(address) + "] is freed after an unknown outcome");
    checks.require(
        Invariant.NO_REUSE_BEFORE_END,
        run.writer == 0 && run.readers == 0,
        () -> "run [" + Long.toHexString(address) + "] is freed under a transfer");
    byHandle.remove(handle);
    byAddress.remove(address);
    Arrays.fill(frames.get(run.chunk).taken(), run.frame, run.frame + run.frames, false);
    allocatedBytes -= run.frames * FRAME_BYTES;
  }

  @Override
  public long address(long handle) {
    return address(run(handle));
  }

  private long address(Run run) {
    return frames.get(run.chunk).address() + run.frame * FRAME_BYTES;
  }

  @Override
  public long allocatedBytes(long handle) {
    return run(handle).frames * FRAME_BYTES;
  }

  private Run run(long handle) {
    Run run = byHandle.get(handle);
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
    long capacity = 0;
    long activeBytes = 0;
    int largest = 0;
    for (HostChunk chunk : chunks) {
      capacity += chunk.bytes();
      if (active.contains(chunk.index())) {
        activeBytes += chunk.bytes();
        largest = Math.max(largest, largestFree(frames.get(chunk.index()).taken()));
      }
    }
    return new MemoryUsage(
        capacity,
        activeBytes,
        allocatedBytes,
        largest * FRAME_BYTES,
        activeBytes - allocatedBytes,
        failures,
        -1);
  }

  private static int largestFree(boolean[] taken) {
    int largest = 0;
    int free = 0;
    for (boolean frame : taken) {
      free = frame ? 0 : free + 1;
      largest = Math.max(largest, free);
    }
    return largest;
  }

  @Override
  public void close() {}

  // ---- transfers -------------------------------------------------------------------------------

  /** The node on which an address lies. */
  public static int node(long address) {
    return (int) (address >>> NODE_SHIFT) - 1;
  }

  /** Frames that no run has. */
  public long freeBytes() {
    return usage().freeBytes();
  }

  /** Bytes in runs. */
  public long usedBytes() {
    return allocatedBytes;
  }

  /** Bytes of runs that an unknown outcome keeps. */
  public long quarantinedBytes() {
    return byHandle.values().stream()
        .filter(run -> run.quarantined)
        .mapToLong(run -> run.frames * FRAME_BYTES)
        .sum();
  }

  private Run touched(long address) {
    Run run = byAddress.get(address);
    checks.require(
        Invariant.NO_REUSE_BEFORE_END,
        run != null,
        () -> "a transfer touches [" + Long.toHexString(address) + "], which is no run");
    if (run == null) {
      throw new IllegalStateException("unreachable");
    }
    return run;
  }

  /**
   * A transfer begins to write a run.
   *
   * @param writer names the transfer, not 0
   */
  public void beginWrite(long address, long writer) {
    Run run = touched(address);
    checks.require(
        Invariant.ONE_WRITER_OR_READERS,
        run.writer == 0 && run.readers == 0,
        () -> "run [" + Long.toHexString(address) + "] is written while it is in use");
    checks.require(
        Invariant.CONTENT_CONSTANT,
        run.tag == NO_TAG || run.tag < GARBAGE,
        () -> "run [" + Long.toHexString(address) + "] is written again before it was freed");
    checks.require(
        Invariant.QUARANTINE_IS_FINAL,
        !run.quarantined,
        () -> "run [" + Long.toHexString(address) + "] is written after an unknown outcome");
    run.writer = writer;
  }

  /** A transfer wrote a run and is done with it. */
  public void endWrite(long address, long writer, long tag) {
    Run run = touched(address);
    checks.require(
        Invariant.ONE_WRITER_OR_READERS,
        run.writer == writer,
        () -> "run [" + Long.toHexString(address) + "] changed hands under its writer");
    run.writer = 0;
    run.tag = tag;
  }

  /**
   * A transfer begins to read a run; returns its tag. A run that another reader left in quarantine
   * has its bytes still.
   */
  public long beginRead(long address) {
    Run run = touched(address);
    checks.require(
        Invariant.ONE_WRITER_OR_READERS,
        run.writer == 0,
        () -> "run [" + Long.toHexString(address) + "] is read while it is written");
    run.readers++;
    return run.tag;
  }

  /** A transfer read a run and is done with it; returns the tag that it saw. */
  public long endRead(long address) {
    Run run = touched(address);
    checks.require(
        Invariant.ONE_WRITER_OR_READERS,
        run.readers > 0 && run.writer == 0,
        () -> "run [" + Long.toHexString(address) + "] changed hands under its reader");
    run.readers--;
    return run.tag;
  }

  /** Nobody knows whether a transfer still touches a run: it counts as touched for ever. */
  public void quarantine(long address) {
    touched(address).quarantined = true;
  }
}
