package io.orbitkv.cudacopy;

import io.orbitkv.api.copy.CopyPlan;
import io.orbitkv.api.copy.HostRanges;
import io.orbitkv.api.page.SlotLayout;
import io.orbitkv.cuda.Cuda;
import io.orbitkv.cuda.RowCopy;
import java.util.Arrays;

/**
 * Copies stretches of pages that follow each other at equal distances on both sides, as the pages
 * of a prompt often do: each fragment of a page becomes one copy in two dimensions with a row for
 * each page, wherever the layers lie. One lane's thread; its arrays grow to the fragments of a
 * page.
 */
final class PageRows implements SlotLayout.FragmentVisitor {
  private final Cuda cuda;
  private final long stream;
  private final HostRanges ranges;
  private final RowCopy rows;
  private final int minPages;

  // Of the stretch's first page, and the distance of its fragments to those of the second.
  private long[] runOffsets = new long[128];
  private long[] deviceOffsets = new long[128];
  private long[] lengths = new long[128];
  private long[] pitches = new long[128];
  private int count;
  private boolean isSecond;
  private boolean isEven;

  /**
   * @param rows of the lane
   * @param minPages fewest pages of a stretch
   */
  PageRows(Cuda cuda, long stream, HostRanges ranges, RowCopy rows, int minPages) {
    this.cuda = cuda;
    this.stream = stream;
    this.ranges = ranges;
    this.rows = rows;
    this.minPages = minPages;
  }

  /**
   * Submits the pages from {@code first} on that form such a stretch, none at or after {@code end}.
   *
   * @param rowLimit shortest fragments that are not worth it
   * @return their number; 0 when there are too few, or when a fragment of theirs crosses from one
   *     allocation or chunk into another, and nothing was submitted
   * @throws io.orbitkv.cuda.CudaException when the driver refused a call; others are under way
   */
  int submit(CopyPlan plan, CudaMemory memory, int first, int end, long rowLimit) {
    int pages = stretch(plan, first, end);
    if (pages < minPages || !collect(plan, first)) {
      return 0;
    }
    long hostPitch = plan.hostAddress(first + 1) - plan.hostAddress(first);
    if (isOnePiece(hostPitch) || longest() >= rowLimit) {
      return 0;
    }
    for (int i = 0; i < count; i++) {
      if (!isAllowed(plan, memory, first, pages, i, hostPitch)) {
        return 0;
      }
    }
    boolean toHost = plan.direction() == CopyPlan.Direction.DEVICE_TO_HOST;
    for (int i = 0; i < count; i++) {
      long host = plan.hostAddress(first) + runOffsets[i];
      long device = memory.address(memory.allocationOf(deviceOffsets[i]), deviceOffsets[i]);
      rows.set(
          toHost ? host : device,
          toHost ? hostPitch : pitches[i],
          toHost ? device : host,
          toHost ? pitches[i] : hostPitch,
          lengths[i],
          pages);
      cuda.copyRows(rows, stream);
    }
    return pages;
  }

  private static int stretch(CopyPlan plan, int first, int end) {
    if (end - first < 2) {
      return 0;
    }
    long hostStep = plan.hostAddress(first + 1) - plan.hostAddress(first);
    int pageStep = plan.devicePage(first + 1) - plan.devicePage(first);
    if (hostStep <= 0 || pageStep <= 0) {
      return 0;
    }
    int next = first + 2;
    while (next < end
        && plan.hostAddress(next) - plan.hostAddress(next - 1) == hostStep
        && plan.devicePage(next) - plan.devicePage(next - 1) == pageStep) {
      next++;
    }
    return next - first;
  }

  /** Whether the first two pages consist of the same fragments; those between and after do then. */
  private boolean collect(CopyPlan plan, int first) {
    count = 0;
    isSecond = false;
    isEven = true;
    plan.slot().forEachFragment(plan.devicePage(first), this);
    int found = count;
    count = 0;
    isSecond = true;
    plan.slot().forEachFragment(plan.devicePage(first + 1), this);
    return isEven && count == found;
  }

  @Override
  public void fragment(long runOffset, long deviceOffset, long bytes) {
    if (isSecond) {
      isEven &= count < lengths.length && lengths[count] == bytes;
      if (isEven) {
        isEven = runOffsets[count] == runOffset;
        pitches[count] = deviceOffset - deviceOffsets[count];
      }
    } else {
      if (count == lengths.length) {
        runOffsets = Arrays.copyOf(runOffsets, 2 * count);
        deviceOffsets = Arrays.copyOf(deviceOffsets, 2 * count);
        lengths = Arrays.copyOf(lengths, 2 * count);
        pitches = Arrays.copyOf(pitches, 2 * count);
      }
      runOffsets[count] = runOffset;
      deviceOffsets[count] = deviceOffset;
      lengths[count] = bytes;
    }
    count++;
  }

  private long longest() {
    long longest = 0;
    for (int i = 0; i < count; i++) {
      longest = Math.max(longest, lengths[i]);
    }
    return longest;
  }

  /** Whether the pages are one line of bytes on both sides, which is one plain copy. */
  private boolean isOnePiece(long hostPitch) {
    return count == 1 && hostPitch == lengths[0] && pitches[0] == lengths[0];
  }

  private boolean isAllowed(
      CopyPlan plan, CudaMemory memory, int first, int pages, int i, long hostPitch) {
    long lastDevice = deviceOffsets[i] + (pages - 1L) * pitches[i] + lengths[i];
    return RowCopy.isPitch(hostPitch, lengths[i])
        && RowCopy.isPitch(pitches[i], lengths[i])
        && lastDevice <= memory.endOf(memory.allocationOf(deviceOffsets[i]))
        && ranges.inOneChunk(
            plan.hostAddress(first) + runOffsets[i], (pages - 1L) * hostPitch + lengths[i]);
  }
}
