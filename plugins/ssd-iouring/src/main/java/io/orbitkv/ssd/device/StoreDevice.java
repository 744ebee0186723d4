package io.orbitkv.ssd.device;

import java.util.List;

/**
 * Asynchronous access by blocks: transfers are ordered by urgency, merged where they are adjacent,
 * bounded in flight, continued when short. There is no cancel: a transfer ends with its one
 * completion.
 */
public interface StoreDevice extends AutoCloseable {
  /** What transfers must look like. Constant. */
  Geometry geometry();

  /**
   * The owner's thread. Takes over transfers; never blocks, takes all of them.
   *
   * @throws IllegalArgumentException when a transfer does not fit the geometry: a bug of the caller
   */
  void submit(List<Transfer> transfers);

  /** The owner's thread. A speculative read that has not completed has a waiter now. */
  void raise(Transfer transfer);

  /** Any thread. A picture of the device's load. */
  DeviceUsage usage();

  /**
   * The owner's thread, once everything submitted has completed. Ends the device's threads; the
   * file stays open.
   */
  @Override
  void close();

  /** Hears of completions, on a thread of the device; quick, never throws. */
  interface Completions {
    /**
     * The one completion of a transfer.
     *
     * @param error 0 when all bytes were moved; otherwise the system's error number, {@link #SHORT}
     *     or {@link #UNKNOWN}
     */
    void completed(Transfer transfer, int error);
  }

  /** The device ended before the bytes did. */
  int SHORT = -1;

  /** Nobody knows whether the hardware still works on the buffers: they must not be reused. */
  int UNKNOWN = -2;
}
