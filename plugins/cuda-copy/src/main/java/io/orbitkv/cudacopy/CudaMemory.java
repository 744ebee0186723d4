package io.orbitkv.cudacopy;

import io.orbitkv.api.copy.CopyPlan;
import io.orbitkv.api.copy.DeviceMemoryDescriptor.CudaIpc;
import io.orbitkv.api.copy.OpenPlans;
import io.orbitkv.api.copy.StagedMemory;
import io.orbitkv.api.page.WorkerLayout;
import io.orbitkv.cuda.Cuda;
import io.orbitkv.cuda.CudaException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/**
 * A worker's allocations, mapped into this process. The mapping stays valid when the worker dies;
 * it is closed when its last plan has reported.
 */
final class CudaMemory implements StagedMemory {
  /** Most events of a memory. */
  private static final int MAX_STAGE_EVENTS = 4096;

  private final CudaCopier owner;
  private final Gpu gpu;
  private final Lanes lanes;
  private final long bytes;

  /** First byte of each allocation in the line of bytes, and the end of the last one. */
  private final long[] starts;

  /** Address of that byte. */
  private final long[] addresses;

  /** What the driver mapped, to be closed. */
  private final long[] mapped;

  private final long[] events;

  /** Of staged restores: for each slot an event for each layer. */
  private final long[][] stageEvents;

  private final List<List<String>> stageHandles = new ArrayList<>();
  private final long maxStagedBytes;
  private final OpenPlans plans = new OpenPlans();

  private CudaMemory(
      CudaCopier owner,
      Gpu gpu,
      Lanes lanes,
      CudaIpc memory,
      int stageSlots,
      int layers,
      long maxStagedBytes) {
    this.owner = owner;
    this.gpu = gpu;
    this.lanes = lanes;
    bytes = memory.bytes();
    int count = memory.allocations().size();
    starts = new long[count + 1];
    addresses = new long[count];
    mapped = new long[count];
    events = new long[memory.events().size()];
    stageEvents = new long[stageSlots][layers];
    this.maxStagedBytes = maxStagedBytes;
  }

  /**
   * Device thread. Maps a worker's memory and opens its events.
   *
   * @throws IllegalArgumentException when the memory is not what the descriptor says
   * @throws IllegalStateException when the driver refuses
   */
  static CudaMemory open(
      CudaCopier owner,
      Gpu gpu,
      Lanes lanes,
      CudaIpc memory,
      WorkerLayout layout,
      CudaCopySettings settings) {
    if (memory.bytes() < layout.deviceBytes()) {
      throw new IllegalArgumentException(
          "the layers end at byte ["
              + layout.deviceBytes()
              + "] of the device memory, which is said to have ["
              + memory.bytes()
              + "]: register all allocations, or correct the layers' offsets");
    }
    int layers = layout.layers().size();
    CudaMemory opened =
        new CudaMemory(
            owner,
            gpu,
            lanes,
            memory,
            Math.min(settings.stageSlots(), MAX_STAGE_EVENTS / layers),
            layers,
            settings.stageBytes().bytes());
    try {
      opened.map(memory);
      return opened;
    } catch (CudaException refused) {
      throw opened.withoutMappings(
          new IllegalStateException(
              "the memory of GPU ["
                  + gpu.device().uuid()
                  + "] cannot be opened: "
                  + refused.getMessage(),
              refused));
    } catch (IllegalArgumentException wrong) {
      throw opened.withoutMappings(wrong);
    }
  }

  /** Undoes what was mapped; why it was not all of it stays the reason. */
  private RuntimeException withoutMappings(RuntimeException reason) {
    try {
      unmap();
    } catch (IllegalStateException further) {
      reason.addSuppressed(further);
    }
    return reason;
  }

  private void map(CudaIpc memory) {
    Cuda cuda = gpu.cuda();
    gpu.makeCurrent();
    List<CudaIpc.Allocation> allocations = memory.allocations();
    for (int i = 0; i < allocations.size(); i++) {
      CudaIpc.Allocation allocation = allocations.get(i);
      mapped[i] = cuda.openMemory(HexFormat.of().parseHex(allocation.handle()));
      long[] range = cuda.addressRange(mapped[i]);
      if (allocation.offset() > range[1] - allocation.bytes()) {
        throw new IllegalArgumentException(
            "allocation ["
                + i
                + "] has ["
                + range[1]
                + "] bytes, but ["
                + allocation.bytes()
                + "] from byte ["
                + allocation.offset()
                + "] on were registered: send offset and size as the driver tells them"
                + " (cuMemGetAddressRange)");
      }
      addresses[i] = mapped[i] + allocation.offset();
      starts[i + 1] = starts[i] + allocation.bytes();
    }
    for (int i = 0; i < events.length; i++) {
      events[i] = cuda.openEvent(HexFormat.of().parseHex(memory.events().get(i)));
    }
    for (long[] slot : stageEvents) {
      List<String> handles = new ArrayList<>(slot.length);
      for (int layer = 0; layer < slot.length; layer++) {
        slot[layer] = cuda.createSharedEvent();
        handles.add(HexFormat.of().formatHex(cuda.exportEvent(slot[layer])));
      }
      stageHandles.add(List.copyOf(handles));
    }
  }

  CudaCopier owner() {
    return owner;
  }

  Lanes lanes() {
    return lanes;
  }

  long bytes() {
    return bytes;
  }

  /** The allocation that a byte of the line lies in. */
  int allocationOf(long offset) {
    int low = 0;
    int high = addresses.length - 1;
    while (low < high) {
      int middle = (low + high + 1) >>> 1;
      if (starts[middle] <= offset) {
        low = middle;
      } else {
        high = middle - 1;
      }
    }
    return low;
  }

  /** First byte after an allocation, in the line. */
  long endOf(int allocation) {
    return starts[allocation + 1];
  }

  /** Address of a byte of the line that lies in an allocation. */
  long address(int allocation, long offset) {
    return addresses[allocation] + (offset - starts[allocation]);
  }

  /** Whether a plan's event is one that the worker registered, or none. */
  boolean knowsEvent(long waitEvent) {
    return waitEvent == CopyPlan.NO_EVENT || (waitEvent > 0 && waitEvent <= events.length);
  }

  int eventCount() {
    return events.length;
  }

  /** Lane. Whether an event that the memory knows has happened. */
  boolean happened(long waitEvent) {
    return waitEvent == CopyPlan.NO_EVENT || gpu.cuda().isDone(events[(int) waitEvent - 1]);
  }

  @Override
  public List<List<String>> stageEvents() {
    return List.copyOf(stageHandles);
  }

  @Override
  public long maxStagedBytes() {
    return maxStagedBytes;
  }

  /** The event behind a layer of a staged plan. */
  long stageEvent(int slot, int layer) {
    return stageEvents[slot][layer];
  }

  OpenPlans plans() {
    return plans;
  }

  /**
   * @throws IllegalStateException when a plan has not reported: nothing is unmapped
   */
  @Override
  public void close() {
    if (!plans.close()) {
      return;
    }
    owner.unmapped(bytes);
    unmap();
  }

  /** As often as it was opened; what fails hinders nothing else. */
  private void unmap() {
    gpu.makeCurrent();
    @Nullable CudaException failure = null;
    for (long event : events) {
      failure = attempt(failure, event, gpu.cuda()::destroyEvent);
    }
    for (long[] slot : stageEvents) {
      for (long event : slot) {
        failure = attempt(failure, event, gpu.cuda()::destroyEvent);
      }
    }
    for (long address : mapped) {
      failure = attempt(failure, address, gpu.cuda()::closeMemory);
    }
    if (failure != null) {
      throw new IllegalStateException(
          "device memory cannot be unmapped: " + failure.getMessage(), failure);
    }
  }

  private static @Nullable CudaException attempt(
      @Nullable CudaException before, long handle, LongConsumer call) {
    if (handle == 0) {
      return before;
    }
    try {
      call.accept(handle);
      return before;
    } catch (CudaException failed) {
      return before == null ? failed : before;
    }
  }
}
