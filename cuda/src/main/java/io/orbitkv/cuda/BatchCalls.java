package io.orbitkv.cuda;

import com.sun.jna.Native;
import com.sun.jna.NativeLibrary;

/** The function for many copies at once, which drivers have from CUDA 12.8 on. */
final class BatchCalls {
  private BatchCalls() {}

  static void bind(NativeLibrary library) {
    Native.register(BatchCalls.class, library);
  }

  static native int cuMemcpyBatchAsync(
      long targets,
      long sources,
      long sizes,
      long count,
      long attributes,
      long attributeIndices,
      long attributeCount,
      long failedIndex,
      long stream);
}
