package io.orbitkv.ssd.device;

import com.sun.jna.Native;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;

/**
 * A ring of io_uring for one file. The file and the event that wakes it are registered; memory is,
 * when asked for: {@link RegisteredBuffers}. Completions are worked off inside the waiting call
 * where the system can do that, which spares interrupts between processors.
 */
final class NativeRing implements SubmissionRing {
  /** Requests in flight; the wake has a place of its own. */
  static final int SLOTS = 126;

  private static final int ENTRIES = 128;

  // Flags of io_uring_setup.
  private static final int CLAMP = 1 << 4;
  private static final int COOPERATIVE = 1 << 8;
  private static final int SINGLE_ISSUER = 1 << 12;
  private static final int DEFERRED = 1 << 13;
  private static final int[] SETUP_FLAGS = {
    CLAMP | SINGLE_ISSUER | DEFERRED, CLAMP | COOPERATIVE, CLAMP
  };

  // Features that it needs: one mapping, no lost completion, a wait with a limit (Linux 5.11).
  private static final int FEATURES = 1 | 1 << 1 | 1 << 8;
  private static final int PARAMETER_FLAGS_AT = 8;
  private static final int PARAMETER_FEATURES_AT = 20;

  // Flags of io_uring_enter.
  private static final int GET_EVENTS = 1;
  private static final int EXTENDED_ARGUMENT = 1 << 3;

  // Operations of io_uring_register.
  private static final int REGISTER_FILES = 2;
  private static final int REGISTER_PROBE = 8;
  private static final int PROBED_OPERATIONS = 256;
  private static final int PROBE_HEADER_BYTES = 16;
  private static final int PROBE_ENTRY_BYTES = 8;
  private static final int PROBE_FLAGS_AT = 2;

  // Operations of a submission.
  private static final int READV = 1;
  private static final int WRITEV = 2;
  private static final int FSYNC = 3;
  private static final int READ_FIXED = 4;
  private static final int WRITE_FIXED = 5;
  private static final int READ = 22;
  private static final int WRITE = 23;

  /** Since Linux 6.15. */
  private static final int READV_FIXED = 60;

  private static final int WRITEV_FIXED = 61;
  private static final int[] NEEDED = {READV, WRITEV, FSYNC, READ, WRITE};
  private static final int DATA_ONLY = 1;
  private static final byte FIXED_FILE = 1;

  // Offsets in a submission.
  private static final int FLAGS_AT = 1;
  private static final int FILE_AT = 4;
  private static final int OFFSET_AT = 8;
  private static final int ADDRESS_AT = 16;
  private static final int LENGTH_AT = 24;
  private static final int OPERATION_FLAGS_AT = 28;
  private static final int NUMBER_AT = 32;
  private static final int BUFFER_AT = 40;

  private static final int DEVICE_FILE = 0;
  private static final int WAKE_FILE = 1;
  private static final int VECTOR_BYTES = 16;
  private static final int ARGUMENT_BYTES = 24;
  private static final long NANOS_PER_SECOND = 1_000_000_000L;
  private static final long BACK_OFF_NANOS = 1_000_000L;

  private final Arena arena;
  private final int ring;
  private final int event;
  private final RingMemory memory;
  private final MemorySegment vectors;
  private final MemorySegment eventValue;
  private final MemorySegment one;
  private final MemorySegment argument;
  private final MemorySegment timeout;
  private final Deque<Integer> slots = new ArrayDeque<>();
  private final RegisteredBuffers buffers;
  private final boolean vectoredFixed;
  private int unsubmitted;

  private NativeRing(
      Arena arena,
      int ring,
      int event,
      RingMemory memory,
      RegisteredBuffers buffers,
      boolean vectoredFixed) {
    this.arena = arena;
    this.ring = ring;
    this.event = event;
    this.memory = memory;
    this.buffers = buffers;
    this.vectoredFixed = vectoredFixed;
    vectors =
        arena.allocate((long) SLOTS * ThreadsDevice.MOST_VECTORS * VECTOR_BYTES, VECTOR_BYTES);
    eventValue = arena.allocate(ValueLayout.JAVA_LONG);
    one = arena.allocate(ValueLayout.JAVA_LONG);
    one.set(ValueLayout.JAVA_LONG, 0, 1);
    argument = arena.allocate(ARGUMENT_BYTES, Long.BYTES);
    timeout = arena.allocate(2L * Long.BYTES, Long.BYTES);
    argument.set(ValueLayout.JAVA_LONG, 2L * Long.BYTES, timeout.address());
    for (int i = 0; i < SLOTS; i++) {
      slots.add(i);
    }
  }

  /**
   * Sets a ring up for the thread that calls, which alone may use it.
   *
   * @param file descriptor of the device
   * @param buffers memory to register when it is first used; empty for none
   * @param warn told when the system refuses that
   * @throws IOException with what the system refused and the remedy
   */
  @SuppressWarnings("MustBeClosedChecker") // Closed by close, or below when nothing is made.
  static NativeRing create(int file, List<Span> buffers, Consumer<String> warn) throws IOException {
    Arena arena = Arena.ofShared();
    int ring = -1;
    int event = -1;
    boolean kept = false;
    try {
      MemorySegment parameters = arena.allocate(RingMemory.PARAMETERS_BYTES, Long.BYTES);
      ring = setUp(parameters);
      int features = parameters.get(ValueLayout.JAVA_INT, PARAMETER_FEATURES_AT);
      boolean[] supported = supported(ring, arena);
      if ((features & FEATURES) != FEATURES || !all(supported)) {
        throw new IOException("this system's io_uring is too old: Linux 5.11 or newer is needed");
      }
      event = Libc.eventfd(0, Libc.EFD_CLOEXEC);
      if (event < 0) {
        throw refused("eventfd", Native.getLastError());
      }
      RingMemory memory =
          switch (RingMemory.map(ring, parameters)) {
            case SystemResult.Done<RingMemory>(RingMemory mapped) -> mapped;
            case SystemResult.Refused<RingMemory>(int error) -> throw refused("mmap", error);
          };
      registerFiles(ring, arena, file, event);
      NativeRing made =
          new NativeRing(
              arena,
              ring,
              event,
              memory,
              new RegisteredBuffers(ring, arena, buffers, warn),
              supported[READV_FIXED] && supported[WRITEV_FIXED]);
      kept = true;
      return made;
    } finally {
      if (!kept) {
        close(ring);
        close(event);
        arena.close();
      }
    }
  }

  @Override
  public int free() {
    return slots.size();
  }

  @Override
  public void prepare(Request request) {
    int slot = slots.removeLast();
    request.setSlot(slot);
    MemorySegment submission = next(request.number(), DEVICE_FILE);
    if (request.sync()) {
      submission.set(ValueLayout.JAVA_BYTE, 0, (byte) FSYNC);
      submission.set(ValueLayout.JAVA_INT, OPERATION_FLAGS_AT, DATA_ONLY);
      return;
    }
    int buffer =
        request.vectors() == 1 || vectoredFixed ? buffers.indexOf(request) : RegisteredBuffers.NONE;
    boolean read = request.lane() == Lane.READ;
    submission.set(ValueLayout.JAVA_LONG, OFFSET_AT, request.offset());
    if (request.vectors() == 1) {
      submission.set(ValueLayout.JAVA_LONG, ADDRESS_AT, request.address(0));
      submission.set(ValueLayout.JAVA_INT, LENGTH_AT, (int) request.length(0));
      operation(submission, read ? READ : WRITE, read ? READ_FIXED : WRITE_FIXED, buffer);
      return;
    }
    long place = (long) slot * ThreadsDevice.MOST_VECTORS * VECTOR_BYTES;
    for (int i = 0; i < request.vectors(); i++) {
      long vector = place + (long) i * VECTOR_BYTES;
      vectors.set(ValueLayout.JAVA_LONG, vector, request.address(i));
      vectors.set(ValueLayout.JAVA_LONG, vector + Long.BYTES, request.length(i));
    }
    submission.set(ValueLayout.JAVA_LONG, ADDRESS_AT, vectors.address() + place);
    submission.set(ValueLayout.JAVA_INT, LENGTH_AT, request.vectors());
    operation(submission, read ? READV : WRITEV, read ? READV_FIXED : WRITEV_FIXED, buffer);
  }

  @Override
  public void armWake() {
    MemorySegment submission = next(WAKE, WAKE_FILE);
    submission.set(ValueLayout.JAVA_BYTE, 0, (byte) READ);
    submission.set(ValueLayout.JAVA_LONG, ADDRESS_AT, eventValue.address());
    submission.set(ValueLayout.JAVA_INT, LENGTH_AT, Long.BYTES);
  }

  @Override
  public int submitAndWait(long timeoutNanos) {
    memory.publishSubmissions();
    int flags = GET_EVENTS;
    long argumentAddress = 0;
    long argumentBytes = 0;
    if (timeoutNanos != Long.MAX_VALUE) {
      timeout.set(ValueLayout.JAVA_LONG, 0, timeoutNanos / NANOS_PER_SECOND);
      timeout.set(ValueLayout.JAVA_LONG, Long.BYTES, timeoutNanos % NANOS_PER_SECOND);
      flags |= EXTENDED_ARGUMENT;
      argumentAddress = argument.address();
      argumentBytes = ARGUMENT_BYTES;
    }
    while (true) {
      // A wait follows the submission only when that took everything.
      long taken =
          Libc.syscall(
              Libc.SYS_IO_URING_ENTER, ring, unsubmitted, 1, flags, argumentAddress, argumentBytes);
      if (taken >= 0) {
        unsubmitted -= (int) taken;
        if (unsubmitted == 0) {
          return OK;
        }
        continue;
      }
      int error = Native.getLastError();
      switch (error) {
        case Errors.ETIME -> {
          return OK;
        }
        case Errors.EINTR -> {
          if (unsubmitted == 0) {
            return OK;
          }
        }
        case Errors.EAGAIN, Errors.EBUSY -> {
          // The system is short of memory, or of room for completions: those first.
          LockSupport.parkNanos(this, BACK_OFF_NANOS);
          return OK;
        }
        default -> {
          return -error;
        }
      }
    }
  }

  @Override
  public boolean nextCompletion() {
    return memory.nextCompletion();
  }

  @Override
  public long completedNumber() {
    return memory.completedNumber();
  }

  @Override
  public int completedResult() {
    return memory.completedResult();
  }

  @Override
  public void release(Request request) {
    slots.addLast(request.slot());
  }

  @Override
  public void wake() {
    // Fails only when the count of the event would overflow: then it is awake.
    long ignored = Libc.write(event, one.address(), Long.BYTES);
  }

  @Override
  public boolean fixedBuffers() {
    return buffers.active();
  }

  @Override
  public String notes() {
    return buffers.notes();
  }

  @Override
  public void close() {
    close(ring);
    memory.unmap();
    close(event);
    arena.close();
  }

  private MemorySegment next(long number, int registeredFile) {
    MemorySegment submission = memory.nextSubmission();
    unsubmitted++;
    submission.set(ValueLayout.JAVA_BYTE, FLAGS_AT, FIXED_FILE);
    submission.set(ValueLayout.JAVA_INT, FILE_AT, registeredFile);
    submission.set(ValueLayout.JAVA_LONG, NUMBER_AT, number);
    return submission;
  }

  private static void operation(MemorySegment submission, int plain, int fixed, int buffer) {
    if (buffer == RegisteredBuffers.NONE) {
      submission.set(ValueLayout.JAVA_BYTE, 0, (byte) plain);
    } else {
      submission.set(ValueLayout.JAVA_BYTE, 0, (byte) fixed);
      submission.set(ValueLayout.JAVA_SHORT, BUFFER_AT, (short) buffer);
    }
  }

  private static int setUp(MemorySegment parameters) throws IOException {
    int error = Errors.EINVAL;
    for (int flags : SETUP_FLAGS) {
      parameters.fill((byte) 0);
      parameters.set(ValueLayout.JAVA_INT, PARAMETER_FLAGS_AT, flags);
      long ring = Libc.syscall(Libc.SYS_IO_URING_SETUP, ENTRIES, parameters.address(), 0, 0, 0, 0);
      if (ring >= 0) {
        return (int) ring;
      }
      error = Native.getLastError();
      if (error != Errors.EINVAL) {
        break;
      }
    }
    throw new IOException(IoUringRefusal.ofSetup(error));
  }

  private static boolean[] supported(int ring, Arena arena) throws IOException {
    MemorySegment probe =
        arena.allocate(
            PROBE_HEADER_BYTES + (long) PROBED_OPERATIONS * PROBE_ENTRY_BYTES, Long.BYTES);
    register(ring, REGISTER_PROBE, probe, PROBED_OPERATIONS);
    boolean[] supported = new boolean[PROBED_OPERATIONS];
    for (int i = 0; i < PROBED_OPERATIONS; i++) {
      long entry = PROBE_HEADER_BYTES + (long) i * PROBE_ENTRY_BYTES;
      supported[i] = (probe.get(ValueLayout.JAVA_SHORT, entry + PROBE_FLAGS_AT) & 1) != 0;
    }
    return supported;
  }

  private static boolean all(boolean[] supported) {
    for (int operation : NEEDED) {
      if (!supported[operation]) {
        return false;
      }
    }
    return true;
  }

  private static void registerFiles(int ring, Arena arena, int file, int event) throws IOException {
    MemorySegment files = arena.allocate(ValueLayout.JAVA_INT, 2);
    files.setAtIndex(ValueLayout.JAVA_INT, DEVICE_FILE, file);
    files.setAtIndex(ValueLayout.JAVA_INT, WAKE_FILE, event);
    register(ring, REGISTER_FILES, files, 2);
  }

  private static void register(int ring, int operation, MemorySegment argument, int number)
      throws IOException {
    int error = registerCall(ring, operation, argument, number);
    if (error != 0) {
      throw refused("io_uring_register", error);
    }
  }

  private static int registerCall(int ring, int operation, MemorySegment argument, int number) {
    long result =
        Libc.syscall(Libc.SYS_IO_URING_REGISTER, ring, operation, argument.address(), number, 0, 0);
    return result >= 0 ? 0 : Native.getLastError();
  }

  private static IOException refused(String call, int error) {
    return new IOException("io_uring cannot be used: " + call + ": " + Errors.describe(error));
  }

  private static void close(int descriptor) {
    if (descriptor >= 0) {
      int ignored = Libc.close(descriptor);
    }
  }
}
