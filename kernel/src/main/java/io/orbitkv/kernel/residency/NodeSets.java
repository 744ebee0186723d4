package io.orbitkv.kernel.residency;

import io.orbitkv.api.memory.HostChunk;
import io.orbitkv.api.memory.MemoryTier;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;

/**
 * On which NUMA nodes the runs of a page lie. The sets that occur are numbered; there are few of
 * them, since a set follows from an instance's devices.
 */
final class NodeSets {
  private static final int MAX_SETS = 255;
  private static final long UNKNOWN = 1L << 63;

  private final long[] chunkStarts;
  private final long[] chunkEnds;
  private final long[] chunkNodes;
  private final List<Integer> nodes = new ArrayList<>();
  private long[] sets = new long[4];
  private int count;

  NodeSets(MemoryTier memory) {
    List<HostChunk> chunks = new ArrayList<>(memory.chunks());
    chunks.sort(Comparator.comparingLong(HostChunk::address));
    chunkStarts = new long[chunks.size()];
    chunkEnds = new long[chunks.size()];
    chunkNodes = new long[chunks.size()];
    for (int i = 0; i < chunks.size(); i++) {
      HostChunk chunk = chunks.get(i);
      chunkStarts[i] = chunk.address();
      chunkEnds[i] = chunk.address() + chunk.bytes();
      if (chunk.numaNode() >= 0 && !nodes.contains(chunk.numaNode())) {
        nodes.add(chunk.numaNode());
      }
      chunkNodes[i] = bit(chunk.numaNode());
    }
  }

  /** The node to ask the memory tier for: the wished one, or -1 when the tier has nothing there. */
  int usable(int wished) {
    return nodes.contains(wished) ? wished : -1;
  }

  /** The set of one run, by its address. */
  long bitOf(long address) {
    int i = Arrays.binarySearch(chunkStarts, address);
    int chunk = i >= 0 ? i : -i - 2;
    return chunk >= 0 && address < chunkEnds[chunk] ? chunkNodes[chunk] : UNKNOWN;
  }

  /** The number of a set of nodes. */
  int number(long bits) {
    for (int i = 0; i < count; i++) {
      if (sets[i] == bits) {
        return i;
      }
    }
    if (count == MAX_SETS) {
      // Too many different sets: the last one takes everything and may lie anywhere.
      sets[count - 1] |= bits | UNKNOWN;
      return count - 1;
    }
    if (count == sets.length) {
      sets = Arrays.copyOf(sets, count * 2);
    }
    sets[count] = bits;
    return count++;
  }

  int count() {
    return count;
  }

  boolean mayLieOn(int set, int node) {
    return node < 0 || (sets[set] & (bit(node) | UNKNOWN)) != 0;
  }

  private long bit(int node) {
    int place = nodes.indexOf(node);
    return place < 0 || place >= 63 ? UNKNOWN : 1L << place;
  }
}
