package io.orbitkv.cudacopy;

import io.orbitkv.api.copy.DeviceMemoryDescriptor;
import io.orbitkv.api.copy.DeviceMemoryDescriptor.CudaIpc;
import io.orbitkv.testkit.memory.TestDevice;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;

/** A pretended worker's memory on a {@link FakeCuda}: some allocations, one after another. */
final class FakeGpuMemory implements TestDevice {
  /** Bytes before the shared part of each allocation: tensors seldom begin where those do. */
  private static final long LEAD = 512;

  private final FakeCuda cuda;
  private final List<Long> addresses = new ArrayList<>();
  private final List<Long> sizes = new ArrayList<>();
  private final List<Long> events;

  FakeGpuMemory(FakeCuda cuda, List<Long> sizes, List<Long> events) {
    this.cuda = cuda;
    this.sizes.addAll(sizes);
    this.events = List.copyOf(events);
    for (long size : sizes) {
      addresses.add(cuda.allocate(LEAD + size));
    }
  }

  @Override
  public DeviceMemoryDescriptor descriptor() {
    List<CudaIpc.Allocation> allocations = new ArrayList<>();
    for (int i = 0; i < sizes.size(); i++) {
      allocations.add(
          new CudaIpc.Allocation(
              HexFormat.of().formatHex(cuda.exportMemory(addresses.get(i))), LEAD, sizes.get(i)));
    }
    return new CudaIpc(
        FakeCuda.UUID,
        allocations,
        events.stream().map(event -> HexFormat.of().formatHex(cuda.exportEvent(event))).toList());
  }

  @Override
  public void write(long offset, MemorySegment source) {
    move(offset, source, true);
  }

  @Override
  public void read(long offset, MemorySegment target) {
    move(offset, target, false);
  }

  @SuppressWarnings("restricted")
  private void move(long offset, MemorySegment segment, boolean write) {
    long start = 0;
    for (int i = 0; i < sizes.size(); i++) {
      long from = Math.max(offset, start);
      long to = Math.min(offset + segment.byteSize(), start + sizes.get(i));
      if (from < to) {
        MemorySegment device =
            MemorySegment.ofAddress(addresses.get(i) + LEAD + (from - start))
                .reinterpret(to - from);
        MemorySegment part = segment.asSlice(from - offset, to - from);
        (write ? device : part).copyFrom(write ? part : device);
      }
      start += sizes.get(i);
    }
  }

  @Override
  public void close() {
    addresses.forEach(cuda::free);
  }
}
