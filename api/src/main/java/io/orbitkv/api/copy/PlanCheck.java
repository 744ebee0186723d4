package io.orbitkv.api.copy;

import io.orbitkv.api.page.LayerLayout;
import io.orbitkv.api.page.SlotLayout;
import org.jspecify.annotations.Nullable;

/**
 * Looks at a plan before its first byte moves. The kernel checks all of this already; a copier
 * checks it once more because a wrong address would write over somebody's memory.
 */
public final class PlanCheck {
  private PlanCheck() {}

  /**
   * Any thread. What is wrong with a plan and what to do, or null.
   *
   * @param plan the plan
   * @param deviceBytes size of its device memory
   * @param ranges host memory that is registered
   */
  public static @Nullable String failure(CopyPlan plan, long deviceBytes, HostRanges ranges) {
    SlotLayout slot = plan.slot();
    long pageBytes = 0;
    for (LayerLayout layer : slot.layers()) {
      pageBytes += layer.pageBytes();
      if (layer.pages() != slot.devicePages()) {
        return "layer ["
            + layer.name()
            + "] has ["
            + layer.pages()
            + "] pages, but the first one has ["
            + slot.devicePages()
            + "]: register the worker anew";
      }
      if (layer.endOffset() > deviceBytes) {
        return "layer ["
            + layer.name()
            + "] ends at byte ["
            + layer.endOffset()
            + "], but the device memory has ["
            + deviceBytes
            + "]: register the worker anew";
      }
    }
    if (pageBytes != slot.payloadBytes()) {
      return "the layers of a page have ["
          + pageBytes
          + "] bytes, but the slot says ["
          + slot.payloadBytes()
          + "]: register the worker anew";
    }
    for (int i = 0; i < plan.pages(); i++) {
      int page = plan.devicePage(i);
      if (page < 0 || page >= slot.devicePages()) {
        return "device page ["
            + page
            + "] at place ["
            + i
            + "] is outside of 0.."
            + (slot.devicePages() - 1)
            + ": send pages of the registered layers";
      }
      if (!ranges.inOneChunk(plan.hostAddress(i), slot.payloadBytes())) {
        return "the run at ["
            + Long.toHexString(plan.hostAddress(i))
            + "] of ["
            + slot.payloadBytes()
            + "] bytes at place ["
            + i
            + "] does not lie in one registered chunk of host memory";
      }
    }
    return null;
  }
}
