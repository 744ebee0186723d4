package io.orbitkv.hostcopy;

import io.orbitkv.api.copy.CopyPlan;
import io.orbitkv.api.page.SlotLayout;
import java.lang.foreign.MemorySegment;

/**
 * Moves the bytes of slices. One a thread; nothing is allocated for a page or a fragment.
 *
 * <p>Addresses were checked before. The bytes go through one segment over all of memory, so that no
 * object is needed for a run.
 */
final class SliceCopier implements SlotLayout.FragmentVisitor {
  /**
   * Most bytes moved by one call. A call is one uninterrupted loop for the virtual machine, and a
   * pause for its collector waits for the end of it: 512 KiB take some 50 to 100 microseconds.
   */
  private static final long CALL_BYTES = 512 << 10;

  private final MemorySegment everything = everything();
  private boolean toHost;
  private long hostAddress;
  private long deviceAddress;
  private long from;
  private long to;

  SliceCopier() {}

  /** Copies the payload of a plan from byte {@code from} to before byte {@code to}. */
  void copy(CopyPlan plan, SharedMapping memory, long sliceFrom, long sliceTo) {
    SlotLayout slot = plan.slot();
    long pageBytes = slot.payloadBytes();
    toHost = plan.direction() == CopyPlan.Direction.DEVICE_TO_HOST;
    deviceAddress = memory.address();
    for (long page = sliceFrom / pageBytes; page * pageBytes < sliceTo; page++) {
      hostAddress = plan.hostAddress((int) page);
      from = Math.max(0, sliceFrom - page * pageBytes);
      to = Math.min(pageBytes, sliceTo - page * pageBytes);
      slot.forEachFragment(plan.devicePage((int) page), this);
    }
  }

  /** Copies what the slice has of a fragment. */
  @Override
  public void fragment(long runOffset, long deviceOffset, long bytes) {
    long start = Math.max(runOffset, from);
    long end = Math.min(runOffset + bytes, to);
    for (long offset = start; offset < end; offset += CALL_BYTES) {
      long length = Math.min(CALL_BYTES, end - offset);
      long host = hostAddress + offset;
      long device = deviceAddress + deviceOffset + (offset - runOffset);
      if (toHost) {
        MemorySegment.copy(everything, device, everything, host, length);
      } else {
        MemorySegment.copy(everything, host, everything, device, length);
      }
    }
  }

  @SuppressWarnings("restricted")
  private static MemorySegment everything() {
    return MemorySegment.NULL.reinterpret(Long.MAX_VALUE);
  }
}
