package io.orbitkv.cuda;

import com.sun.jna.NativeLibrary;
import io.orbitkv.cuda.handle.IpcHandle;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;

/** The CUDA driver of this machine, through JNA. See {@link Cuda}. */
public final class CudaDriver implements Cuda {
  /** The library that every driver installs. */
  public static final String LIBRARY = "libcuda.so.1";

  private static final int CONTEXT_BLOCKING_SYNC = 4;
  private static final int HOST_REGISTER_PORTABLE = 1;
  private static final int IPC_LAZY_PEER_ACCESS = 1;
  private static final int STREAM_NON_BLOCKING = 1;
  private static final int EVENT_BLOCKING_SYNC = 1;
  private static final int EVENT_NO_TIMING = 2;
  private static final int EVENT_INTERPROCESS = 4;

  /** Of a CUmemcpyAttributes: order of access, two location hints of two numbers each, flags. */
  private static final int ATTRIBUTE_BYTES = 24;

  private static final int ACCESS_IN_STREAM_ORDER = 1;
  private static final int MAX_NAME = 256;

  private final boolean batchCopies;
  private final MemorySegment attributes;
  private final MemorySegment attributeIndices;

  private CudaDriver(boolean batchCopies) {
    this.batchCopies = batchCopies;
    // Of the driver's life, which is that of the process.
    Arena process = Arena.global();
    attributes = process.allocate(ATTRIBUTE_BYTES, 8);
    attributes.set(ValueLayout.JAVA_INT, 0, ACCESS_IN_STREAM_ORDER);
    attributeIndices = process.allocate(ValueLayout.JAVA_LONG, 0L);
  }

  /**
   * Loads the driver's library and starts it.
   *
   * @throws CudaUnavailableException when there is none, it is too old, or it finds no device
   */
  public static CudaDriver load() throws CudaUnavailableException {
    NativeLibrary library;
    try {
      library = NativeLibrary.getInstance(LIBRARY);
      DriverCalls.bind(library);
    } catch (UnsatisfiedLinkError missing) {
      throw new CudaUnavailableException(
          "no CUDA driver: "
              + firstLine(missing)
              + "; install NVIDIA's driver (580 or newer is tried), or in a container pass the GPU"
              + " through (--gpus all)",
          missing);
    }
    try {
      check("cuInit", DriverCalls.cuInit(0));
    } catch (CudaException refused) {
      throw new CudaUnavailableException(
          "the CUDA driver does not start: " + refused.getMessage(), refused);
    }
    boolean batchCopies = true;
    try {
      BatchCalls.bind(library);
    } catch (UnsatisfiedLinkError older) {
      batchCopies = false;
    }
    return new CudaDriver(batchCopies);
  }

  private static String firstLine(Throwable thrown) {
    String message = String.valueOf(thrown.getMessage());
    String first = message.lines().findFirst().orElse(message);
    return first.endsWith(":") ? first.substring(0, first.length() - 1) : first;
  }

  @Override
  public int driverVersion() {
    return number("cuDriverGetVersion", DriverCalls::cuDriverGetVersion);
  }

  @Override
  public List<CudaDevice> devices() {
    int count = number("cuDeviceGetCount", DriverCalls::cuDeviceGetCount);
    List<CudaDevice> devices = new ArrayList<>(count);
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment uuid = arena.allocate(16, 8);
      MemorySegment name = arena.allocate(MAX_NAME);
      MemorySegment bytes = arena.allocate(ValueLayout.JAVA_LONG);
      for (int i = 0; i < count; i++) {
        int ordinal = i;
        int device = number("cuDeviceGet", out -> DriverCalls.cuDeviceGet(out, ordinal));
        check("cuDeviceGetUuid", DriverCalls.cuDeviceGetUuid_v2(uuid.address(), device));
        check("cuDeviceGetName", DriverCalls.cuDeviceGetName(name.address(), MAX_NAME, device));
        check("cuDeviceTotalMem", DriverCalls.cuDeviceTotalMem_v2(bytes.address(), device));
        devices.add(
            new CudaDevice(
                device,
                uuidText(uuid.toArray(ValueLayout.JAVA_BYTE)),
                name.getString(0, StandardCharsets.UTF_8),
                bytes.get(ValueLayout.JAVA_LONG, 0)));
      }
    }
    return List.copyOf(devices);
  }

  /** As the driver's tools print it. */
  static String uuidText(byte[] uuid) {
    String hex = HexFormat.of().formatHex(uuid);
    return "GPU-"
        + String.join(
            "-",
            hex.substring(0, 8),
            hex.substring(8, 12),
            hex.substring(12, 16),
            hex.substring(16, 20),
            hex.substring(20));
  }

  @Override
  public long retainContext(int device) {
    // Whoever waits for a stream sleeps. A context that somebody made before keeps its own flags.
    var _ = DriverCalls.cuDevicePrimaryCtxSetFlags_v2(device, CONTEXT_BLOCKING_SYNC);
    return address(
        "cuDevicePrimaryCtxRetain", out -> DriverCalls.cuDevicePrimaryCtxRetain(out, device));
  }

  @Override
  public void releaseContext(int device) {
    check("cuDevicePrimaryCtxRelease", DriverCalls.cuDevicePrimaryCtxRelease_v2(device));
  }

  @Override
  public void makeCurrent(long context) {
    check("cuCtxSetCurrent", DriverCalls.cuCtxSetCurrent(context));
  }

  @Override
  public long allocate(long bytes) {
    return address("cuMemAlloc", out -> DriverCalls.cuMemAlloc_v2(out, bytes));
  }

  @Override
  public void free(long address) {
    check("cuMemFree", DriverCalls.cuMemFree_v2(address));
  }

  @Override
  public void registerHost(long address, long bytes) {
    check(
        "cuMemHostRegister",
        DriverCalls.cuMemHostRegister_v2(address, bytes, HOST_REGISTER_PORTABLE));
  }

  @Override
  public void unregisterHost(long address) {
    check("cuMemHostUnregister", DriverCalls.cuMemHostUnregister(address));
  }

  @Override
  public byte[] exportMemory(long base) {
    return handle("cuIpcGetMemHandle", out -> DriverCalls.cuIpcGetMemHandle(out, base));
  }

  @Override
  public long openMemory(byte[] handle) {
    IpcHandle byValue = IpcHandle.of(handle);
    return address(
        "cuIpcOpenMemHandle",
        out -> DriverCalls.cuIpcOpenMemHandle_v2(out, byValue, IPC_LAZY_PEER_ACCESS));
  }

  @Override
  public void closeMemory(long address) {
    check("cuIpcCloseMemHandle", DriverCalls.cuIpcCloseMemHandle(address));
  }

  @Override
  public long[] addressRange(long address) {
    return two(
        "cuMemGetAddressRange",
        (base, size) -> DriverCalls.cuMemGetAddressRange_v2(base, size, address));
  }

  @Override
  public long createStream() {
    int priority = highestPriority();
    return address(
        "cuStreamCreate",
        out -> DriverCalls.cuStreamCreateWithPriority(out, STREAM_NON_BLOCKING, priority));
  }

  private static int highestPriority() {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment range = arena.allocate(ValueLayout.JAVA_INT, 2);
      check(
          "cuCtxGetStreamPriorityRange",
          DriverCalls.cuCtxGetStreamPriorityRange(
              range.address(), range.address() + Integer.BYTES));
      return range.getAtIndex(ValueLayout.JAVA_INT, 1);
    }
  }

  @Override
  public void destroyStream(long stream) {
    check("cuStreamDestroy", DriverCalls.cuStreamDestroy_v2(stream));
  }

  @Override
  public void synchronizeStream(long stream) {
    check("cuStreamSynchronize", DriverCalls.cuStreamSynchronize(stream));
  }

  @Override
  public long createEvent() {
    return address(
        "cuEventCreate",
        out -> DriverCalls.cuEventCreate(out, EVENT_BLOCKING_SYNC | EVENT_NO_TIMING));
  }

  @Override
  public long createSharedEvent() {
    return address(
        "cuEventCreate",
        out -> DriverCalls.cuEventCreate(out, EVENT_INTERPROCESS | EVENT_NO_TIMING));
  }

  @Override
  public byte[] exportEvent(long event) {
    return handle("cuIpcGetEventHandle", out -> DriverCalls.cuIpcGetEventHandle(out, event));
  }

  @Override
  public void destroyEvent(long event) {
    check("cuEventDestroy", DriverCalls.cuEventDestroy_v2(event));
  }

  @Override
  public void recordEvent(long event, long stream) {
    check("cuEventRecord", DriverCalls.cuEventRecord(event, stream));
  }

  @Override
  public boolean isDone(long event) {
    int code = DriverCalls.cuEventQuery(event);
    if (code == CudaException.NOT_READY) {
      return false;
    }
    check("cuEventQuery", code);
    return true;
  }

  @Override
  public long openEvent(byte[] handle) {
    IpcHandle byValue = IpcHandle.of(handle);
    return address("cuIpcOpenEventHandle", out -> DriverCalls.cuIpcOpenEventHandle(out, byValue));
  }

  @Override
  public boolean hasBatchCopies() {
    return batchCopies;
  }

  @Override
  public void copy(CopyBatch batch, long stream) {
    if (batchCopies && batch.count() > 1) {
      copyAtOnce(batch, stream);
      return;
    }
    for (int i = 0; i < batch.count(); i++) {
      check(
          "cuMemcpyAsync",
          DriverCalls.cuMemcpyAsync(batch.target(i), batch.source(i), batch.size(i), stream));
    }
  }

  @Override
  public void copyRows(RowCopy rows, long stream) {
    check("cuMemcpy2DAsync", DriverCalls.cuMemcpy2DAsync_v2(rows.address(), stream));
  }

  private void copyAtOnce(CopyBatch batch, long stream) {
    // The index of a copy that was refused is of no use: others may be under way all the same.
    long failedIndex = batch.failedIndexAddress();
    check(
        "cuMemcpyBatchAsync",
        BatchCalls.cuMemcpyBatchAsync(
            batch.targetsAddress(),
            batch.sourcesAddress(),
            batch.sizesAddress(),
            batch.count(),
            attributes.address(),
            attributeIndices.address(),
            1,
            failedIndex,
            stream));
  }

  @Override
  public void fill(long address, byte value, long bytes, long stream) {
    check("cuMemsetD8Async", DriverCalls.cuMemsetD8Async(address, value, bytes, stream));
  }

  // ---- results ---------------------------------------------------------------------------------

  /** A call that writes what it gives to an address. */
  @FunctionalInterface
  private interface Out {
    int call(long out);
  }

  /** A call that gives two values. */
  @FunctionalInterface
  private interface OutTwo {
    int call(long first, long second);
  }

  private static int number(String name, Out call) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment out = arena.allocate(ValueLayout.JAVA_INT);
      check(name, call.call(out.address()));
      return out.get(ValueLayout.JAVA_INT, 0);
    }
  }

  private static long address(String name, Out call) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment out = arena.allocate(ValueLayout.JAVA_LONG);
      check(name, call.call(out.address()));
      return out.get(ValueLayout.JAVA_LONG, 0);
    }
  }

  private static long[] two(String name, OutTwo call) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment out = arena.allocate(ValueLayout.JAVA_LONG, 2);
      check(name, call.call(out.address(), out.address() + Long.BYTES));
      return out.toArray(ValueLayout.JAVA_LONG);
    }
  }

  private static byte[] handle(String name, Out call) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment out = arena.allocate(HANDLE_BYTES, 8);
      check(name, call.call(out.address()));
      return out.toArray(ValueLayout.JAVA_BYTE);
    }
  }

  private static void check(String call, int code) {
    if (code != 0) {
      throw new CudaException(call, code, nameOf(code));
    }
  }

  @SuppressWarnings("restricted")
  private static String nameOf(int code) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment out = arena.allocate(ValueLayout.JAVA_LONG);
      if (DriverCalls.cuGetErrorName(code, out.address()) != 0) {
        return "an error that the driver has no name for";
      }
      return MemorySegment.ofAddress(out.get(ValueLayout.JAVA_LONG, 0))
          .reinterpret(MAX_NAME)
          .getString(0, StandardCharsets.UTF_8);
    }
  }
}
