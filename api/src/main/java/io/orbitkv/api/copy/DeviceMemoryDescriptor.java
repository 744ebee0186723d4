package io.orbitkv.api.copy;

import java.util.HashSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/** How a worker names its device memory. Nothing in it is ever deserialised as code. */
public sealed interface DeviceMemoryDescriptor {
  /** The kind, by which a copier is chosen. */
  String kind();

  /** Size in bytes. */
  long bytes();

  /**
   * A memfd of the worker, sealed against shrinking and growing, opened through the worker's
   * descriptor.
   *
   * @param pid the worker's process id in the Manager's process namespace
   * @param descriptor the worker's file descriptor
   * @param bytes size of the file
   */
  record SharedMemory(long pid, int descriptor, long bytes) implements DeviceMemoryDescriptor {
    /** Value of {@link #kind()}. */
    public static final String KIND = "shared-memory";

    @Override
    public String kind() {
      return KIND;
    }
  }

  /**
   * Memory of one GPU that its driver shares with other processes. The allocations stand one after
   * another in one line of bytes, in the order of the list: that is what the layers' offsets mean,
   * and no page's segment crosses from one allocation to the next.
   *
   * @param gpuUuid UUID of the GPU as the driver's tools print it, such as {@code GPU-3a2f8c11-…}
   * @param allocations each once, however many tensors lie in it
   * @param events interprocess events of the worker, as 128 hexadecimal digits each; a wait for
   *     event {@code n} means the {@code n}th of them, from 1
   */
  record CudaIpc(String gpuUuid, List<Allocation> allocations, List<String> events)
      implements DeviceMemoryDescriptor {
    /** Value of {@link #kind()}. */
    public static final String KIND = "cuda-ipc";

    /** Bytes of a handle, of memory as of an event. */
    public static final int HANDLE_BYTES = 64;

    /** Most allocations of a worker. */
    public static final int MAX_ALLOCATIONS = 4096;

    /** Most events of a worker. */
    public static final int MAX_EVENTS = 256;

    /**
     * @throws IllegalArgumentException naming what does not fit
     */
    public CudaIpc {
      allocations = List.copyOf(allocations);
      events = List.copyOf(events);
      if (allocations.isEmpty() || allocations.size() > MAX_ALLOCATIONS) {
        throw new IllegalArgumentException(
            "[" + allocations.size() + "] allocations: must be 1.." + MAX_ALLOCATIONS);
      }
      if (events.size() > MAX_EVENTS) {
        throw new IllegalArgumentException("[" + events.size() + "] events: at most " + MAX_EVENTS);
      }
      events.forEach(handle -> requireHandle("an event", handle));
      Set<String> handles = new HashSet<>();
      long bytes = 0;
      for (Allocation allocation : allocations) {
        if (!handles.add(allocation.handle())) {
          throw new IllegalArgumentException(
              "the allocation [" + allocation.handle().substring(0, 16) + "…] is listed twice");
        }
        try {
          bytes = Math.addExact(bytes, allocation.bytes());
        } catch (ArithmeticException overflow) {
          throw new IllegalArgumentException("the allocations overflow 64 bits", overflow);
        }
      }
    }

    @Override
    public String kind() {
      return KIND;
    }

    @Override
    public long bytes() {
      return allocations.stream().mapToLong(Allocation::bytes).sum();
    }

    @Override
    public String toString() {
      return "CudaIpc[gpu="
          + gpuUuid
          + ", allocations="
          + allocations.size()
          + ", bytes="
          + bytes()
          + ", events="
          + events.size()
          + "]";
    }

    private static void requireHandle(String what, String handle) {
      try {
        if (HexFormat.of().parseHex(handle).length == HANDLE_BYTES) {
          return;
        }
      } catch (IllegalArgumentException noDigits) {
        throw new IllegalArgumentException(
            "the handle of " + what + " is not hexadecimal: " + noDigits.getMessage(), noDigits);
      }
      throw new IllegalArgumentException(
          "the handle of "
              + what
              + " has ["
              + handle.length()
              + "] hexadecimal digits: a CUDA interprocess handle has 64 bytes, so 128");
    }

    /**
     * A part of an allocation, from a first byte on.
     *
     * @param handle of the whole allocation, 128 hexadecimal digits; never of an address inside it
     * @param offset in the allocation, of the first byte that is shared
     * @param bytes from there on
     */
    public record Allocation(String handle, long offset, long bytes) {
      /**
       * @throws IllegalArgumentException naming what does not fit
       */
      public Allocation {
        requireHandle("an allocation", handle);
        handle = handle.toLowerCase(Locale.ROOT);
        if (offset < 0 || bytes <= 0) {
          throw new IllegalArgumentException(
              "an allocation of [" + bytes + "] bytes from byte [" + offset + "] on");
        }
      }
    }
  }
}
