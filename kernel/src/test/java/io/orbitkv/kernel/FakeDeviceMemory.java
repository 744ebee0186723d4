package io.orbitkv.kernel;

import io.orbitkv.api.copy.DeviceMemory;
import io.orbitkv.api.copy.DeviceMemoryDescriptor;

/** A device memory without bytes that can tell whether it was closed under a plan. */
final class FakeDeviceMemory implements DeviceMemory {
  final long registration;
  int plans;
  boolean closed;

  FakeDeviceMemory(long registration) {
    this.registration = registration;
  }

  @Override
  public void close() {
    if (closed || plans > 0) {
      throw new AssertionError(
          "memory [" + registration + "] is closed twice or under [" + plans + "] plans");
    }
    closed = true;
  }

  /** The name by which a worker registers it. */
  static DeviceMemoryDescriptor descriptor() {
    return new DeviceMemoryDescriptor.SharedMemory(1, 3, 1L << 40);
  }
}
