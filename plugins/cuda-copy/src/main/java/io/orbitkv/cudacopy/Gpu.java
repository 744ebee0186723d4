package io.orbitkv.cudacopy;

import io.orbitkv.cuda.Cuda;
import io.orbitkv.cuda.CudaDevice;

/**
 * A GPU of this machine with its primary context, which is retained from here to {@link #close}.
 */
final class Gpu implements AutoCloseable {
  private final Cuda cuda;
  private final CudaDevice device;
  private final long context;

  /**
   * May block for a second: the driver makes the context.
   *
   * @throws io.orbitkv.cuda.CudaException when it cannot, as when the GPU's memory is used up
   */
  Gpu(Cuda cuda, CudaDevice device) {
    this.cuda = cuda;
    this.device = device;
    context = cuda.retainContext(device.ordinal());
  }

  Cuda cuda() {
    return cuda;
  }

  CudaDevice device() {
    return device;
  }

  /** Makes the context the current one of this thread. */
  void makeCurrent() {
    cuda.makeCurrent(context);
  }

  @Override
  public void close() {
    cuda.releaseContext(device.ordinal());
  }
}
