package io.orbitkv.api.page;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * How one rank's part of a page of one group lies in host memory: the segments of its layers, in
 * the order of the layer names (numbers in them by value), one after another in one contiguous run.
 * The run is the unit of allocation, of an SSD extent and of a copy plan.
 *
 * @param group the group
 * @param layers the layers of the group, sorted by name, numbers in names by value
 * @param payloadBytes bytes of the segments together
 */
public record SlotLayout(int group, List<LayerLayout> layers, long payloadBytes) {
  /** Alignment and granularity of a run in host memory and on SSD, in bytes. */
  public static final int RUN_ALIGNMENT = 4096;

  /** Largest run, in bytes: a run never crosses a chunk border and chunks have at most 1 GiB. */
  public static final long MAX_RUN_BYTES = 1L << 30;

  /** Copies and sorts the layers. */
  public SlotLayout {
    layers =
        layers.stream()
            .sorted(Comparator.comparing(LayerLayout::name, LayerOrder.BY_NAME))
            .toList();
  }

  /**
   * The slot of {@code group} in a worker's layers.
   *
   * @throws IllegalArgumentException when the group has no layer, the layers differ in their number
   *     of pages, or the run would be larger than {@link #MAX_RUN_BYTES}
   */
  public static SlotLayout of(int group, List<LayerLayout> workerLayers) {
    List<LayerLayout> layers = new ArrayList<>();
    long payload = 0;
    for (LayerLayout layer : workerLayers) {
      if (layer.group() == group) {
        if (!layers.isEmpty() && layers.getFirst().pages() != layer.pages()) {
          throw new IllegalArgumentException(
              "layers ["
                  + layers.getFirst().name()
                  + "] and ["
                  + layer.name()
                  + "] of group ["
                  + group
                  + "] differ in their number of pages");
        }
        layers.add(layer);
        payload += layer.pageBytes();
      }
    }
    if (layers.isEmpty()) {
      throw new IllegalArgumentException("group [" + group + "] has no layer");
    }
    if (payload > MAX_RUN_BYTES) {
      throw new IllegalArgumentException(
          "a page of group ["
              + group
              + "] has ["
              + payload
              + "] bytes on one rank: at most "
              + MAX_RUN_BYTES);
    }
    return new SlotLayout(group, layers, payload);
  }

  /** Bytes that the run takes in host memory: the payload rounded up to {@link #RUN_ALIGNMENT}. */
  public long runBytes() {
    return Math.ceilDiv(payloadBytes, RUN_ALIGNMENT) * RUN_ALIGNMENT;
  }

  /** Number of device pages that the group has on this rank. */
  public int devicePages() {
    return layers.getFirst().pages();
  }

  /**
   * Visits the fragments of one page: maximal pieces that are contiguous in the run and in device
   * memory.
   *
   * @param devicePage below {@link #devicePages()}
   * @param visitor called once a fragment, in the order of the run
   */
  public void forEachFragment(int devicePage, FragmentVisitor visitor) {
    long run = 0;
    long pendingRun = 0;
    long pendingDevice = 0;
    long pendingBytes = 0;
    for (LayerLayout layer : layers) {
      for (int segment = 0; segment < layer.segments(); segment++) {
        long device = layer.offset(devicePage, segment);
        if (pendingBytes > 0 && pendingDevice + pendingBytes == device) {
          pendingBytes += layer.segmentBytes();
        } else {
          if (pendingBytes > 0) {
            visitor.fragment(pendingRun, pendingDevice, pendingBytes);
          }
          pendingRun = run;
          pendingDevice = device;
          pendingBytes = layer.segmentBytes();
        }
        run += layer.segmentBytes();
      }
    }
    visitor.fragment(pendingRun, pendingDevice, pendingBytes);
  }

  /** Receives the fragments of a page. */
  @FunctionalInterface
  public interface FragmentVisitor {
    /**
     * Takes one fragment.
     *
     * @param runOffset offset in the host run, in bytes
     * @param deviceOffset offset in the worker's device memory, in bytes
     * @param bytes length, positive
     */
    void fragment(long runOffset, long deviceOffset, long bytes);
  }
}
