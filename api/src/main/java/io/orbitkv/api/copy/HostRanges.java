package io.orbitkv.api.copy;

import io.orbitkv.api.memory.HostChunk;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * The chunks of host memory that a copier has registered, by address. Written by the Manager's
 * registration thread, read by any: the sorted list is replaced as a whole.
 */
public final class HostRanges {
  private volatile List<HostChunk> chunks = List.of();

  /** None is registered. */
  public HostRanges() {}

  /**
   * Registration thread. Adds a chunk.
   *
   * @throws IllegalStateException when the chunk overlaps one that is registered
   */
  public synchronized void add(HostChunk chunk) {
    List<HostChunk> grown = new ArrayList<>(chunks);
    for (HostChunk known : grown) {
      if (known.address() < chunk.address() + chunk.bytes()
          && chunk.address() < known.address() + known.bytes()) {
        throw new IllegalStateException(chunk + " overlaps " + known + ", which is registered");
      }
    }
    grown.add(chunk);
    grown.sort(Comparator.comparingLong(HostChunk::address));
    chunks = List.copyOf(grown);
  }

  /** Whether all bytes of a run lie in one registered chunk. */
  public boolean inOneChunk(long address, long bytes) {
    List<HostChunk> sorted = chunks;
    int low = 0;
    int high = sorted.size() - 1;
    while (low <= high) {
      int middle = (low + high) >>> 1;
      HostChunk chunk = sorted.get(middle);
      if (address < chunk.address()) {
        high = middle - 1;
      } else if (address >= chunk.address() + chunk.bytes()) {
        low = middle + 1;
      } else {
        // Both differences are small, so nothing overflows whatever the plan says.
        return bytes <= chunk.bytes() - (address - chunk.address());
      }
    }
    return false;
  }

  /** Bytes of all chunks. */
  public long bytes() {
    return chunks.stream().mapToLong(HostChunk::bytes).sum();
  }

  /** The chunks, by address. */
  public List<HostChunk> chunks() {
    return chunks;
  }
}
