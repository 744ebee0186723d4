package io.orbitkv.testkit;

import io.orbitkv.api.memory.NumaTopology;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

/**
 * A topology that pretends to have nodes and remembers what was bound to which, so that a machine
 * with one node can test two. Any thread.
 */
public final class RecordingTopology implements NumaTopology {
  /** Answer of {@link #nodeOf} for memory that is not bound as a whole. */
  public static final int UNBOUND = -1;

  private final List<Integer> nodes;
  private final List<Bind> binds = new ArrayList<>();

  /**
   * @param nodes the ids, ascending
   */
  public RecordingTopology(int... nodes) {
    this.nodes = IntStream.of(nodes).boxed().toList();
  }

  /** One call of {@link #bind}. */
  public record Bind(long address, long bytes, int node) {}

  @Override
  public List<Integer> nodes() {
    return nodes;
  }

  @Override
  public synchronized void bind(long address, long bytes, int node) {
    if (!nodes.contains(node) || bytes <= 0 || address % 4096 != 0 || bytes % 4096 != 0) {
      throw new IllegalArgumentException(
          "bind of [" + bytes + "] bytes at [" + address + "] to node [" + node + "]");
    }
    binds.add(new Bind(address, bytes, node));
  }

  /** What was bound, in order. */
  public synchronized List<Bind> binds() {
    return List.copyOf(binds);
  }

  /** The node that a whole range was bound to, or {@link #UNBOUND}. */
  public synchronized int nodeOf(long address, long bytes) {
    for (Bind bind : binds) {
      if (bind.address() <= address && address + bytes <= bind.address() + bind.bytes()) {
        return bind.node();
      }
    }
    return UNBOUND;
  }
}
