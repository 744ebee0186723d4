package io.orbitkv.cuda;

import com.sun.jna.Native;
import com.sun.jna.NativeLibrary;
import io.orbitkv.cuda.handle.IpcHandle;

/**
 * The functions of the driver's library, by direct mapping; pointers are numbers. The suffixes are
 * those of the library: the headers' plain names stand for them.
 */
final class DriverCalls {
  private DriverCalls() {}

  /**
   * Binds all of them.
   *
   * @throws UnsatisfiedLinkError when one is missing: the driver is too old
   */
  static void bind(NativeLibrary library) {
    Native.register(DriverCalls.class, library);
  }

  static native int cuInit(int flags);

  static native int cuDriverGetVersion(long version);

  static native int cuGetErrorName(int error, long text);

  static native int cuDeviceGetCount(long count);

  static native int cuDeviceGet(long device, int ordinal);

  static native int cuDeviceGetUuid_v2(long uuid, int device);

  static native int cuDeviceGetName(long name, int length, int device);

  static native int cuDeviceTotalMem_v2(long bytes, int device);

  static native int cuDevicePrimaryCtxSetFlags_v2(int device, int flags);

  static native int cuDevicePrimaryCtxRetain(long context, int device);

  static native int cuDevicePrimaryCtxRelease_v2(int device);

  static native int cuCtxSetCurrent(long context);

  static native int cuMemAlloc_v2(long address, long bytes);

  static native int cuMemFree_v2(long address);

  static native int cuMemHostRegister_v2(long address, long bytes, int flags);

  static native int cuMemHostUnregister(long address);

  static native int cuMemGetAddressRange_v2(long base, long size, long address);

  static native int cuIpcGetMemHandle(long handle, long address);

  static native int cuIpcOpenMemHandle_v2(long address, IpcHandle handle, int flags);

  static native int cuIpcCloseMemHandle(long address);

  static native int cuStreamCreateWithPriority(long stream, int flags, int priority);

  static native int cuCtxGetStreamPriorityRange(long least, long greatest);

  static native int cuStreamDestroy_v2(long stream);

  static native int cuStreamSynchronize(long stream);

  static native int cuEventCreate(long event, int flags);

  static native int cuEventDestroy_v2(long event);

  static native int cuEventRecord(long event, long stream);

  static native int cuEventQuery(long event);

  static native int cuIpcGetEventHandle(long handle, long event);

  static native int cuIpcOpenEventHandle(long event, IpcHandle handle);

  static native int cuMemcpyAsync(long target, long source, long bytes, long stream);

  static native int cuMemcpy2DAsync_v2(long copy, long stream);

  static native int cuMemsetD8Async(long address, byte value, long count, long stream);
}
