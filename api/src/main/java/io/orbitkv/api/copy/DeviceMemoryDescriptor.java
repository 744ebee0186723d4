package io.orbitkv.api.copy;

import java.util.HexFormat;

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
   * Memory of a GPU, by its CUDA IPC handle.
   *
   * @param handle the 64 raw bytes of the handle
   * @param offset of the tensor in the allocation that the handle names
   * @param bytes size from the offset on
   * @param gpuUuid UUID of the GPU as the driver prints it
   */
  record CudaIpc(byte[] handle, long offset, long bytes, String gpuUuid)
      implements DeviceMemoryDescriptor {
    /** Value of {@link #kind()}. */
    public static final String KIND = "cuda-ipc";

    /** Bytes of a handle. */
    public static final int HANDLE_BYTES = 64;

    /**
     * @throws IllegalArgumentException when the handle has not 64 bytes
     */
    public CudaIpc {
      if (handle.length != HANDLE_BYTES) {
        throw new IllegalArgumentException(
            "a CUDA IPC handle has 64 bytes, not [" + handle.length + "]");
      }
      handle = handle.clone();
    }

    /** A copy of the handle. */
    @Override
    public byte[] handle() {
      return handle.clone();
    }

    @Override
    public String kind() {
      return KIND;
    }

    @Override
    public boolean equals(Object other) {
      return other instanceof CudaIpc ipc
          && java.util.Arrays.equals(handle, ipc.handle)
          && offset == ipc.offset
          && bytes == ipc.bytes
          && gpuUuid.equals(ipc.gpuUuid);
    }

    @Override
    public int hashCode() {
      return java.util.Arrays.hashCode(handle) * 31 + Long.hashCode(offset);
    }

    @Override
    public String toString() {
      return "CudaIpc["
          + HexFormat.of().formatHex(handle, 0, 8)
          + "…, offset="
          + offset
          + ", bytes="
          + bytes
          + ", gpu="
          + gpuUuid
          + "]";
    }
  }
}
