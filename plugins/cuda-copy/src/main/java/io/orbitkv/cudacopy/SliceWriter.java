package io.orbitkv.cudacopy;

import io.orbitkv.api.copy.CopyPlan;
import io.orbitkv.api.copy.HostRanges;
import io.orbitkv.api.page.SlotLayout;
import io.orbitkv.cuda.CopyBatch;
import io.orbitkv.cuda.Cuda;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Turns slices of plans into calls of the driver. One lane's thread; nothing is allocated for a
 * page or a fragment. Fragments that are adjacent on both sides, in one allocation and in one
 * registered chunk, become one copy.
 */
final class SliceWriter implements SlotLayout.FragmentVisitor {
  /**
   * Copies of the first call on an idle stream. The GPU begins when a call ends, and a copy takes
   * the driver half a microsecond: the engine works on these while the rest is prepared.
   */
  static final int FIRST_CALL_COPIES = 8;

  private final Cuda cuda;
  private final long stream;
  private final HostRanges ranges;
  private final CopyBatch batch;
  private final int callCopies;

  private @Nullable CudaMemory memory;
  private boolean toHost;
  private long runAddress;
  private long from;
  private long to;
  private int callLimit;
  private long lastHostEnd;
  private int lastAllocation;
  private long joinedFrom;

  SliceWriter(Cuda cuda, long stream, HostRanges ranges, CopyBatch batch, int callCopies) {
    this.cuda = cuda;
    this.stream = stream;
    this.ranges = ranges;
    this.batch = batch;
    this.callCopies = callCopies;
  }

  /**
   * Submits the payload of a plan from byte {@code sliceFrom} to before byte {@code sliceTo}.
   *
   * @param idle whether the stream has nothing to do
   * @throws io.orbitkv.cuda.CudaException when the driver refused a call; others are under way
   */
  void submit(PlanRun run, long sliceFrom, long sliceTo, boolean idle) {
    CopyPlan plan = run.plan();
    SlotLayout slot = plan.slot();
    long pageBytes = slot.payloadBytes();
    memory = run.memory();
    toHost = plan.direction() == CopyPlan.Direction.DEVICE_TO_HOST;
    callLimit = idle ? Math.min(FIRST_CALL_COPIES, callCopies) : callCopies;
    lastHostEnd = 0;
    lastAllocation = -1;
    batch.clear();
    for (long page = sliceFrom / pageBytes; page * pageBytes < sliceTo; page++) {
      runAddress = plan.hostAddress((int) page);
      from = Math.max(0, sliceFrom - page * pageBytes);
      to = Math.min(pageBytes, sliceTo - page * pageBytes);
      slot.forEachFragment(plan.devicePage((int) page), this);
    }
    flush();
  }

  /** Adds what the slice has of a fragment. */
  @Override
  public void fragment(long runOffset, long deviceOffset, long bytes) {
    CudaMemory device = Objects.requireNonNull(memory);
    long start = Math.max(runOffset, from);
    long end = Math.min(runOffset + bytes, to);
    while (start < end) {
      long offset = deviceOffset + (start - runOffset);
      int allocation = device.allocationOf(offset);
      long length = Math.min(end - start, device.endOf(allocation) - offset);
      add(runAddress + start, device.address(allocation, offset), length, allocation);
      start += length;
    }
  }

  private void add(long host, long device, long length, int allocation) {
    boolean join =
        host == lastHostEnd
            && allocation == lastAllocation
            && ranges.inOneChunk(joinedFrom, host + length - joinedFrom);
    if (!join) {
      joinedFrom = host;
    }
    long target = toHost ? host : device;
    long source = toHost ? device : host;
    if (batch.count() >= callLimit || !batch.add(target, source, length, join)) {
      flush();
      joinedFrom = host;
      if (!batch.add(target, source, length, false)) {
        throw new IllegalStateException("an empty batch has no place for a copy");
      }
    }
    lastHostEnd = host + length;
    lastAllocation = allocation;
  }

  private void flush() {
    if (batch.count() > 0) {
      cuda.copy(batch, stream);
      batch.clear();
      callLimit = callCopies;
    }
  }
}
