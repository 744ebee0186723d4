package io.orbitkv.manager.live;

import java.util.List;
import java.util.Map;

/**
 * What was measured in one block. Immutable.
 *
 * @param index from 0
 * @param same whether both variants ran A
 * @param swapped whether they had changed their places
 * @param afterRestart whether it is the first one after a start of the Manager: it tells of an
 *     empty cache
 * @param settling whether caches still held what other policies had left
 * @param voids why it does not count, by variant
 * @param arms of each variant that ran in it
 */
record Block(
    int index,
    boolean same,
    boolean swapped,
    boolean afterRestart,
    boolean settling,
    List<String> voids,
    Map<Arm, Figures> arms) {
  /** One that does not settle. */
  Block(
      int index,
      boolean same,
      boolean swapped,
      boolean afterRestart,
      List<String> voids,
      Map<Arm, Figures> arms) {
    this(index, same, swapped, afterRestart, false, voids, arms);
  }

  Block {
    voids = List.copyOf(voids);
    arms = Map.copyOf(arms);
  }

  /**
   * Of one variant.
   *
   * @param sums those that are known
   * @param waits queries by the upper end of their wait in nanoseconds
   */
  record Figures(Map<Column, Long> sums, Map<Long, Integer> waits) {
    Figures {
      sums = Map.copyOf(sums);
      waits = Map.copyOf(waits);
    }
  }
}
