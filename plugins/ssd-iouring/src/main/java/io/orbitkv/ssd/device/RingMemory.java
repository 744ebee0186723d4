package io.orbitkv.ssd.device;

import com.sun.jna.Native;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;

/**
 * The mapped queues of a ring, as {@code io_uring_setup} describes them. One mapping holds both
 * rings of indexes, another one the submissions.
 */
final class RingMemory {
  /** Bytes of struct io_uring_params. */
  static final int PARAMETERS_BYTES = 120;

  static final int SUBMISSION_BYTES = 64;
  private static final int COMPLETION_BYTES = 16;
  private static final long SUBMISSIONS_OFFSET = 0x10000000L;

  // Offsets in struct io_uring_params.
  private static final int SUBMISSION_ENTRIES = 0;
  private static final int COMPLETION_ENTRIES = 4;
  private static final int SUBMISSION_HEAD = 40;
  private static final int SUBMISSION_TAIL = 44;
  private static final int SUBMISSION_MASK = 48;
  private static final int SUBMISSION_ARRAY = 64;
  private static final int COMPLETION_HEAD = 80;
  private static final int COMPLETION_TAIL = 84;
  private static final int COMPLETION_MASK = 88;
  private static final int COMPLETIONS = 100;

  // Offsets in a completion.
  private static final int RESULT = 8;

  private static final VarHandle INDEX = ValueLayout.JAVA_INT.varHandle();

  private final MemorySegment queues;
  private final MemorySegment submissions;
  private final int entries;
  private final int submissionMask;
  private final int submissionTailAt;
  private final int completionHeadAt;
  private final int completionTailAt;
  private final int completionMask;
  private final int completionsAt;
  private int submissionTail;
  private int completionHead;
  private long number;
  private int result;

  private RingMemory(MemorySegment queues, MemorySegment submissions, MemorySegment parameters) {
    this.queues = queues;
    this.submissions = submissions;
    entries = at(parameters, SUBMISSION_ENTRIES);
    submissionMask = at(queues, at(parameters, SUBMISSION_MASK));
    submissionTailAt = at(parameters, SUBMISSION_TAIL);
    completionHeadAt = at(parameters, COMPLETION_HEAD);
    completionTailAt = at(parameters, COMPLETION_TAIL);
    completionMask = at(queues, at(parameters, COMPLETION_MASK));
    completionsAt = at(parameters, COMPLETIONS);
    submissionTail = at(queues, submissionTailAt);
    completionHead = at(queues, completionHeadAt);
    int array = at(parameters, SUBMISSION_ARRAY);
    for (int i = 0; i < entries; i++) {
      // The array of indexes never changes: place i holds submission i.
      queues.set(ValueLayout.JAVA_INT, array + (long) i * Integer.BYTES, i);
    }
    if (at(queues, at(parameters, SUBMISSION_HEAD)) != submissionTail) {
      throw new IllegalStateException("a new ring is not empty");
    }
  }

  /** Maps the queues of a ring that was set up with one mapping for both. */
  static SystemResult<RingMemory> map(int ring, MemorySegment parameters) {
    int entries = at(parameters, SUBMISSION_ENTRIES);
    long queueBytes =
        Math.max(
            at(parameters, SUBMISSION_ARRAY) + (long) entries * Integer.BYTES,
            at(parameters, COMPLETIONS)
                + (long) at(parameters, COMPLETION_ENTRIES) * COMPLETION_BYTES);
    long queues = map(ring, queueBytes, 0);
    if (queues == Libc.MAP_FAILED) {
      return new SystemResult.Refused<>(Native.getLastError());
    }
    long submissionBytes = (long) entries * SUBMISSION_BYTES;
    long submissions = map(ring, submissionBytes, SUBMISSIONS_OFFSET);
    if (submissions == Libc.MAP_FAILED) {
      int error = Native.getLastError();
      int ignored = Libc.munmap(queues, queueBytes);
      return new SystemResult.Refused<>(error);
    }
    return new SystemResult.Done<>(
        new RingMemory(
            segment(queues, queueBytes), segment(submissions, submissionBytes), parameters));
  }

  int entries() {
    return entries;
  }

  /** A zeroed submission at the tail. The caller never prepares more than there are entries. */
  MemorySegment nextSubmission() {
    long place = (submissionTail & submissionMask) * (long) SUBMISSION_BYTES;
    submissionTail++;
    return submissions.asSlice(place, SUBMISSION_BYTES).fill((byte) 0);
  }

  /** Shows the system everything up to the tail. */
  void publishSubmissions() {
    INDEX.setRelease(queues, (long) submissionTailAt, submissionTail);
  }

  /** Goes to the next completion and gives its place back. */
  boolean nextCompletion() {
    if (completionHead == (int) INDEX.getAcquire(queues, (long) completionTailAt)) {
      return false;
    }
    long place = completionsAt + (completionHead & completionMask) * (long) COMPLETION_BYTES;
    number = queues.get(ValueLayout.JAVA_LONG, place);
    result = queues.get(ValueLayout.JAVA_INT, place + RESULT);
    completionHead++;
    INDEX.setRelease(queues, (long) completionHeadAt, completionHead);
    return true;
  }

  long completedNumber() {
    return number;
  }

  int completedResult() {
    return result;
  }

  void unmap() {
    int unmapped = Libc.munmap(queues.address(), queues.byteSize());
    unmapped |= Libc.munmap(submissions.address(), submissions.byteSize());
    if (unmapped != 0) {
      throw new IllegalStateException("the queues of a ring cannot be unmapped");
    }
  }

  private static long map(int ring, long bytes, long offset) {
    return Libc.mmap(
        0,
        bytes,
        Libc.PROT_READ | Libc.PROT_WRITE,
        Libc.MAP_SHARED | Libc.MAP_POPULATE,
        ring,
        offset);
  }

  @SuppressWarnings("restricted")
  private static MemorySegment segment(long address, long bytes) {
    return MemorySegment.ofAddress(address).reinterpret(bytes);
  }

  private static int at(MemorySegment memory, int offset) {
    return memory.get(ValueLayout.JAVA_INT, offset);
  }
}
