package io.orbitkv.ssd.device;

import java.io.IOException;

/**
 * Blocking access by blocks, for opening and recovery, and underneath the fallback engine. Any
 * thread. Transfers are whole: a short one is continued, and what cannot be continued is an error.
 */
public interface BlockFile extends AutoCloseable {
  /** What transfers must look like. Constant. */
  Geometry geometry();

  /**
   * Fills memory from the device.
   *
   * @throws IOException with path, offset and the system's error; also for what ends early
   */
  void read(long offset, long address, long bytes) throws IOException;

  /** Writes memory to the device; it is durable only after {@link #sync}. */
  void write(long offset, long address, long bytes) throws IOException;

  /** Makes everything durable whose write has returned. */
  void sync() throws IOException;

  /** Gives up the lock and the descriptor. Nothing may be under way. */
  @Override
  void close();
}
