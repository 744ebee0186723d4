package io.orbitkv.ssd.device;

/**
 * One attempt at a transfer, as the system makes it: what comes back may be short. The seam at
 * which tests plant faults. Any thread.
 */
interface PositionalIo {
  /**
   * Moves bytes between the device and pieces of memory.
   *
   * @param vectors address of {@code count} pairs of address and length
   * @return bytes moved, or the negated error number
   */
  long transfer(Lane lane, long offset, long vectors, int count);

  /**
   * Makes earlier writes durable.
   *
   * @return 0, or the negated error number
   */
  int sync();
}
