package io.orbitkv.ssd.sim.run;

import io.orbitkv.api.backing.HostRun;
import io.orbitkv.ssd.device.Span;
import io.orbitkv.ssd.sim.disk.NativeBytes;
import java.lang.foreign.Arena;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Native memory in frames of 4 KiB, each owned by one operation or by nobody. Frames of nobody hold
 * poison, so that a transfer which comes late or early is seen in the bytes too.
 */
final class Memory implements AutoCloseable {
  static final int FRAME_BYTES = 4096;

  /** Owner of frames that an unknown outcome keeps for good. */
  static final long QUARANTINED = -1;

  private static final long NOBODY = 0;
  private static final byte POISON = (byte) 0xDB;

  private final Arena arena = Arena.ofShared();
  private final long address;
  private final long[] owners;
  private int next;

  Memory(int frames) {
    owners = new long[frames];
    address = arena.allocate((long) frames * FRAME_BYTES, FRAME_BYTES).address();
    NativeBytes.fill(address, (long) frames * FRAME_BYTES, POISON);
  }

  /** Runs for a page, which belong to the operation; empty when there are not enough frames. */
  List<HostRun> allocate(PageShape shape, long owner) {
    List<HostRun> runs = new ArrayList<>();
    for (int payload : shape.payloads()) {
      int frames = Math.ceilDiv(payload, FRAME_BYTES);
      int first = find(frames);
      if (first < 0) {
        runs.forEach(this::release);
        return List.of();
      }
      Arrays.fill(owners, first, first + frames, owner);
      runs.add(
          new HostRun(address + (long) first * FRAME_BYTES, payload, (long) frames * FRAME_BYTES));
    }
    return runs;
  }

  private int find(int frames) {
    for (int attempt = 0; attempt < 2; attempt++) {
      int free = 0;
      for (int i = next; i < owners.length; i++) {
        free = owners[i] == NOBODY ? free + 1 : 0;
        if (free == frames) {
          next = i + 1;
          return i - frames + 1;
        }
      }
      next = 0;
    }
    return -1;
  }

  /** The operation is over. */
  void release(HostRun run) {
    NativeBytes.fill(run.address(), run.runBytes(), POISON);
    own(run, NOBODY);
  }

  /** Nobody knows whether a device still touches it. */
  void quarantine(HostRun run) {
    own(run, QUARANTINED);
  }

  private void own(HostRun run, long owner) {
    int first = frame(run.address());
    Arrays.fill(owners, first, first + (int) (run.runBytes() / FRAME_BYTES), owner);
  }

  /** Everything is free again. */
  void reset() {
    Arrays.fill(owners, NOBODY);
    next = 0;
    NativeBytes.fill(address, (long) owners.length * FRAME_BYTES, POISON);
  }

  /** Whether the span lies in this memory, not in the store's own. */
  boolean holds(Span span) {
    return span.address() >= address
        && span.address() < address + (long) owners.length * FRAME_BYTES;
  }

  /** The operation that owns all of a span of this memory, or 0. */
  long owner(Span span) {
    int first = frame(span.address());
    long owner = owners[first];
    for (int i = first; i < first + span.bytes() / FRAME_BYTES; i++) {
      if (i >= owners.length || owners[i] != owner) {
        return NOBODY;
      }
    }
    return owner;
  }

  private int frame(long at) {
    return (int) ((at - address) / FRAME_BYTES);
  }

  @Override
  public void close() {
    arena.close();
  }
}
