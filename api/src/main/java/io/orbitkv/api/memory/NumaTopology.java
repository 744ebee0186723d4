package io.orbitkv.api.memory;

import java.util.List;

/**
 * The NUMA nodes that the Manager may use. Injected, so that a machine with one node can test two.
 */
public interface NumaTopology {
  /** Any thread. Node ids in ascending order, at least one. */
  List<Integer> nodes();

  /**
   * Any thread. Binds pages that are not touched yet to a node.
   *
   * @param address aligned to 4 KiB
   * @param bytes a multiple of 4 KiB
   * @param node one of {@link #nodes()}
   * @throws IllegalStateException with the system's reason when it refuses
   */
  void bind(long address, long bytes, int node);
}
