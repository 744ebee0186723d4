package io.orbitkv.api.page;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * What one worker (one rank of an engine instance) registers: its place in the instance, the
 * model's groups and the layers in its device memory.
 *
 * @param rank this worker's rank, from 0, below {@code worldSize}
 * @param worldSize number of workers of the instance
 * @param pageTokens tokens in a page
 * @param numaNode NUMA node next to the device, or -1 when unknown
 * @param groups the model's groups, dense from 0; equal on all ranks
 * @param layers the layers on this rank
 */
public record WorkerLayout(
    int rank,
    int worldSize,
    int pageTokens,
    int numaNode,
    List<GroupSpec> groups,
    List<LayerLayout> layers) {
  /** Largest number of ranks of one instance. */
  public static final int MAX_RANKS = 32;

  /** Largest number of layers on one rank. */
  public static final int MAX_LAYERS = 4096;

  /**
   * @throws IllegalArgumentException naming what does not fit
   */
  public WorkerLayout {
    groups = List.copyOf(groups);
    layers = List.copyOf(layers);
    if (worldSize < 1 || worldSize > MAX_RANKS) {
      throw new IllegalArgumentException(
          "world size [" + worldSize + "] is outside 1.." + MAX_RANKS);
    }
    if (rank < 0 || rank >= worldSize) {
      throw new IllegalArgumentException("rank [" + rank + "] is outside 0.." + (worldSize - 1));
    }
    if (pageTokens < 1 || pageTokens > 1 << 20) {
      throw new IllegalArgumentException(
          "page of [" + pageTokens + "] tokens: must be 1.." + (1 << 20));
    }
    if (layers.isEmpty() || layers.size() > MAX_LAYERS) {
      throw new IllegalArgumentException(
          "[" + layers.size() + "] layers: must be 1.." + MAX_LAYERS);
    }
    if (groups.isEmpty()) {
      throw new IllegalArgumentException("no groups: group 0 must be there");
    }
    for (int i = 0; i < groups.size(); i++) {
      if (groups.get(i).id() != i) {
        throw new IllegalArgumentException(
            "groups must be dense from 0: [" + groups.get(i).id() + "] at place " + i);
      }
      SlotLayout.of(i, layers);
    }
    Set<String> names = new HashSet<>();
    for (LayerLayout layer : layers) {
      if (!names.add(layer.name())) {
        throw new IllegalArgumentException("layer [" + layer.name() + "] is declared twice");
      }
      if (layer.group() >= groups.size()) {
        throw new IllegalArgumentException(
            "layer ["
                + layer.name()
                + "] belongs to group ["
                + layer.group()
                + "], which is not declared");
      }
    }
  }

  /** The slots of this rank, by group. */
  public List<SlotLayout> slots() {
    List<SlotLayout> slots = new ArrayList<>(groups.size());
    for (GroupSpec group : groups) {
      slots.add(SlotLayout.of(group.id(), layers));
    }
    return slots;
  }

  /**
   * First byte after the last layer in device memory: the device memory must have at least so many
   * bytes.
   */
  public long deviceBytes() {
    return layers.stream().mapToLong(LayerLayout::endOffset).max().orElseThrow();
  }
}
