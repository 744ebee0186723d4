package io.orbitkv.api.copy;

/** An opened device memory of one worker. Belongs to the copier that opened it. */
public interface DeviceMemory extends AutoCloseable {
  /**
   * Manager's device thread, once, after every plan on this memory reported its terminal
   * completion. Closes the mapping.
   */
  @Override
  void close();
}
