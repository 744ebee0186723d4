package io.orbitkv.cudacopy;

import io.orbitkv.cuda.CopyBatch;
import io.orbitkv.cuda.Cuda;
import io.orbitkv.cuda.CudaDevice;
import io.orbitkv.cuda.CudaException;
import io.orbitkv.cuda.RowCopy;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * A driver whose GPU memory is host memory, for what no test machine has and for faults that none
 * shows on demand. Streams work lazily: each question about an event lets its stream do one more
 * thing. It refuses what a real driver refuses: calls on threads without a context, copies over two
 * registered ranges, memory that nobody exported.
 */
final class FakeCuda implements Cuda, AutoCloseable {
  static final String UUID = "GPU-00000000-0000-0000-0000-000000000001";

  private static final int INVALID_VALUE = 1;
  private static final int INVALID_CONTEXT = 201;

  private final Arena arena = Arena.ofShared();
  private final ThreadLocal<Long> current = ThreadLocal.withInitial(() -> 0L);
  private final TreeMap<Long, Long> allocations = new TreeMap<>();
  private final TreeMap<Long, Long> registered = new TreeMap<>();
  private final Map<Long, Integer> openMappings = new HashMap<>();
  private final Map<Long, ArrayDeque<Runnable>> streams = new HashMap<>();
  private final Map<Long, Event> events = new HashMap<>();
  private final Set<Long> contexts = new HashSet<>();
  private final List<Integer> callSizes = new ArrayList<>();
  private final List<Integer> rowCounts = new ArrayList<>();
  private boolean contextsRefused;
  private long nextHandle = 1;
  private int copiesUntilRefusal = -1;
  private @Nullable CudaException onSynchronize;
  private @Nullable CudaException onQuery;
  private boolean stalled;
  private boolean breakNext;

  /** Of a stream's work before it. */
  private static final class Event {
    private @Nullable ArrayDeque<Runnable> stream;
    private boolean done = true;
  }

  FakeCuda() {}

  // ---- what tests do ---------------------------------------------------------------------------

  /** After so many copies, one is refused; those before it are under way. */
  synchronized void refuseAfter(int copies) {
    copiesUntilRefusal = copies;
  }

  /** Streams cannot be waited for any more. */
  synchronized void loseContext() {
    onSynchronize = failure("cuStreamSynchronize", 700);
    onQuery = failure("cuEventQuery", 700);
  }

  /** One question about an event is answered with an error; the stream goes on. */
  synchronized void failOneQuery() {
    onQuery = failure("cuEventQuery", INVALID_VALUE);
  }

  /** The next call throws what no driver does. */
  synchronized void breakNextCopy() {
    breakNext = true;
  }

  /** Nothing advances, however often it is asked for. */
  synchronized void stall(boolean stop) {
    stalled = stop;
  }

  /** Works on an event's stream until the event has happened, stalled or not. */
  synchronized void runUntil(long event) {
    Event wanted = event(event);
    while (!wanted.done) {
      ArrayDeque<Runnable> work = wanted.stream;
      if (work == null || work.isEmpty()) {
        throw new AssertionError("event [" + event + "] was not recorded");
      }
      work.remove().run();
    }
  }

  /** Events that were made and not destroyed. */
  synchronized int liveEvents() {
    return events.size();
  }

  /** An event of another process that has not happened yet. */
  synchronized long pendingEvent() {
    long event = nextHandle++;
    Event made = new Event();
    made.done = false;
    events.put(event, made);
    return event;
  }

  synchronized void happen(long event) {
    event(event).done = true;
  }

  synchronized List<Integer> callSizes() {
    return List.copyOf(callSizes);
  }

  /** No context from now on, as when other processes use up the GPU's memory. */
  synchronized void refuseContexts() {
    contextsRefused = true;
  }

  /** Rows of each copy in two dimensions. */
  synchronized List<Integer> rowCounts() {
    return List.copyOf(rowCounts);
  }

  synchronized int openMappings() {
    return openMappings.values().stream().mapToInt(Integer::intValue).sum();
  }

  synchronized int registeredRanges() {
    return registered.size();
  }

  synchronized int liveStreamsAndContexts() {
    return streams.size() + contexts.size();
  }

  // ---- the driver ------------------------------------------------------------------------------

  @Override
  public int driverVersion() {
    return 13_000;
  }

  @Override
  public List<CudaDevice> devices() {
    return List.of(new CudaDevice(0, UUID, "Pretended GPU", 1L << 30));
  }

  @Override
  public synchronized long retainContext(int device) {
    if (contextsRefused) {
      throw failure("cuDevicePrimaryCtxRetain", CudaException.OUT_OF_MEMORY);
    }
    contexts.add(77L);
    return 77;
  }

  @Override
  public synchronized void releaseContext(int device) {
    contexts.remove(77L);
  }

  @Override
  public void makeCurrent(long context) {
    current.set(context);
  }

  @Override
  public synchronized long allocate(long bytes) {
    long address = arena.allocate(bytes, 256).address();
    allocations.put(address, bytes);
    return address;
  }

  @Override
  public synchronized void free(long address) {
    allocations.remove(address);
  }

  @Override
  public synchronized void registerHost(long address, long bytes) {
    requireContext("cuMemHostRegister");
    registered.put(address, bytes);
  }

  @Override
  public synchronized void unregisterHost(long address) {
    requireContext("cuMemHostUnregister");
    registered.remove(address);
  }

  @Override
  public synchronized byte[] exportMemory(long base) {
    byte[] handle = new byte[HANDLE_BYTES];
    MemorySegment.ofArray(handle).set(ValueLayout.JAVA_LONG_UNALIGNED, 0, base);
    return handle;
  }

  @Override
  public synchronized long openMemory(byte[] handle) {
    requireContext("cuIpcOpenMemHandle");
    long base = MemorySegment.ofArray(handle).get(ValueLayout.JAVA_LONG_UNALIGNED, 0);
    if (!allocations.containsKey(base)) {
      throw failure("cuIpcOpenMemHandle", INVALID_VALUE);
    }
    openMappings.merge(base, 1, Integer::sum);
    return base;
  }

  @Override
  public synchronized void closeMemory(long address) {
    requireContext("cuIpcCloseMemHandle");
    if (openMappings.getOrDefault(address, 0) == 0) {
      throw failure("cuIpcCloseMemHandle", INVALID_VALUE);
    }
    openMappings.merge(address, -1, Integer::sum);
  }

  @Override
  public synchronized long[] addressRange(long address) {
    Map.Entry<Long, Long> below = allocations.floorEntry(address);
    if (below == null || address >= below.getKey() + below.getValue()) {
      throw failure("cuMemGetAddressRange", INVALID_VALUE);
    }
    return new long[] {below.getKey(), below.getValue()};
  }

  @Override
  public synchronized long createStream() {
    requireContext("cuStreamCreate");
    long stream = nextHandle++;
    streams.put(stream, new ArrayDeque<>());
    return stream;
  }

  @Override
  public synchronized void destroyStream(long stream) {
    streams.remove(stream);
  }

  @Override
  public synchronized void synchronizeStream(long stream) {
    if (onSynchronize != null) {
      throw onSynchronize;
    }
    ArrayDeque<Runnable> work = stream(stream);
    while (!work.isEmpty()) {
      work.remove().run();
    }
  }

  @Override
  public synchronized long createEvent() {
    requireContext("cuEventCreate");
    long event = nextHandle++;
    events.put(event, new Event());
    return event;
  }

  @Override
  public synchronized long createSharedEvent() {
    return createEvent();
  }

  @Override
  public synchronized void destroyEvent(long event) {
    events.remove(event);
  }

  @Override
  public synchronized void recordEvent(long event, long stream) {
    Event recorded = event(event);
    recorded.done = false;
    recorded.stream = stream(stream);
    stream(stream).add(() -> recorded.done = true);
  }

  @Override
  public synchronized boolean isDone(long event) {
    requireContext("cuEventQuery");
    CudaException failing = onQuery;
    if (failing != null && onSynchronize == null) {
      onQuery = null;
    }
    if (failing != null) {
      throw failing;
    }
    Event asked = event(event);
    ArrayDeque<Runnable> work = asked.stream;
    if (!asked.done && !stalled && work != null && !work.isEmpty()) {
      work.remove().run();
    }
    return asked.done;
  }

  @Override
  public synchronized byte[] exportEvent(long event) {
    byte[] handle = new byte[HANDLE_BYTES];
    MemorySegment.ofArray(handle).set(ValueLayout.JAVA_LONG_UNALIGNED, 0, event);
    return handle;
  }

  @Override
  public synchronized long openEvent(byte[] handle) {
    long event = MemorySegment.ofArray(handle).get(ValueLayout.JAVA_LONG_UNALIGNED, 0);
    event(event);
    return event;
  }

  @Override
  public boolean hasBatchCopies() {
    return true;
  }

  @Override
  public synchronized void copy(CopyBatch batch, long stream) {
    requireContext("cuMemcpyBatchAsync");
    if (breakNext) {
      breakNext = false;
      throw new IllegalStateException("no such call");
    }
    callSizes.add(batch.count());
    for (int i = 0; i < batch.count(); i++) {
      if (copiesUntilRefusal == 0) {
        copiesUntilRefusal = -1;
        throw failure("cuMemcpyBatchAsync", INVALID_VALUE);
      }
      copiesUntilRefusal = Math.max(-1, copiesUntilRefusal - 1);
      long target = batch.target(i);
      long source = batch.source(i);
      long size = batch.size(i);
      if (within(allocations, target, size) == within(allocations, source, size)
          || within(registered, target, size) == within(registered, source, size)) {
        throw failure("cuMemcpyBatchAsync", INVALID_VALUE);
      }
      stream(stream).add(() -> move(source, target, size));
    }
  }

  @Override
  public synchronized void copyRows(RowCopy rows, long stream) {
    requireContext("cuMemcpy2DAsync");
    rowCounts.add(rows.rows());
    int last = rows.rows() - 1;
    long targetBytes = rows.target(last) + rows.rowBytes() - rows.target(0);
    long sourceBytes = rows.source(last) + rows.rowBytes() - rows.source(0);
    // As the driver does: no copy crosses from one allocation or registered range to another.
    if (within(allocations, rows.target(0), targetBytes)
            == within(allocations, rows.source(0), sourceBytes)
        || within(registered, rows.target(0), targetBytes)
            == within(registered, rows.source(0), sourceBytes)) {
      throw failure("cuMemcpy2DAsync", INVALID_VALUE);
    }
    for (int row = 0; row < rows.rows(); row++) {
      long target = rows.target(row);
      long source = rows.source(row);
      long bytes = rows.rowBytes();
      stream(stream).add(() -> move(source, target, bytes));
    }
  }

  @Override
  public void fill(long address, byte value, long bytes, long stream) {
    everything().asSlice(address, bytes).fill(value);
  }

  @Override
  public void close() {
    arena.close();
  }

  private static boolean within(NavigableMap<Long, Long> ranges, long address, long bytes) {
    Map.Entry<Long, Long> below = ranges.floorEntry(address);
    return below != null && address + bytes <= below.getKey() + below.getValue();
  }

  private static void move(long source, long target, long size) {
    MemorySegment.copy(everything(), source, everything(), target, size);
  }

  @SuppressWarnings("restricted")
  private static MemorySegment everything() {
    return MemorySegment.NULL.reinterpret(Long.MAX_VALUE);
  }

  private void requireContext(String call) {
    if (current.get() == 0) {
      throw failure(call, INVALID_CONTEXT);
    }
  }

  private ArrayDeque<Runnable> stream(long stream) {
    ArrayDeque<Runnable> work = streams.get(stream);
    if (work == null) {
      throw failure("of a stream that there is not", INVALID_VALUE);
    }
    return work;
  }

  private Event event(long event) {
    Event known = events.get(event);
    if (known == null) {
      throw failure("of an event that there is not", INVALID_VALUE);
    }
    return known;
  }

  private static CudaException failure(String call, int code) {
    return new CudaException(call, code, "CUDA_ERROR_" + code);
  }
}
