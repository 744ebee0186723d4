package io.orbitkv.ssd.device;

/**
 * How a device is driven.
 *
 * @param engine which engine, or the best that works
 * @param fixedBuffers whether the arenas are registered with the rings
 * @param writeSharePercent least share of the bytes that writes get while reads are about, 0 to 90
 * @param yieldNanos longest that writes and syncs wait for a moment without reads, while fewer
 *     bytes of writes wait than may be in flight; 0 for not at all
 * @param besideBytes most of one request of writes while reads are about
 * @param requestBytes most of one request to the system; longer transfers are cut, adjacent ones
 *     merged up to it; a multiple of the block
 * @param readBytesInFlight most bytes of reads that the device works on at once
 * @param writeBytesInFlight the same of writes, when no reads are about
 * @param readThreads of the engine {@code threads}
 * @param writeThreads of the engine {@code threads}
 * @param requestLog file that gets a line for each request at the end; empty for none
 */
public record DeviceSettings(
    Engine engine,
    FixedBuffers fixedBuffers,
    int writeSharePercent,
    long yieldNanos,
    long besideBytes,
    long requestBytes,
    long readBytesInFlight,
    long writeBytesInFlight,
    int readThreads,
    int writeThreads,
    String requestLog) {
  /** Which engine. */
  public enum Engine {
    /** {@link #IO_URING} where it works, {@link #THREADS} elsewhere. */
    AUTO,
    /** Rings; refused where they do not work. */
    IO_URING,
    /** A pool of threads that each make one blocking call. */
    THREADS
  }

  /**
   * Whether the arenas are registered with the rings, which pins them once instead of each time.
   */
  public enum FixedBuffers {
    /** What measured better: at present as {@link #ON}. */
    AUTO,
    /** Registered when first used; a warning says where the system refuses. */
    ON,
    /** Not registered. */
    OFF
  }

  /** Largest write share: reads keep a tenth. */
  public static final int MOST_WRITE_SHARE_PERCENT = 90;

  private static final long YIELD_NANOS = 20_000_000;
  private static final long MEBIBYTE = 1L << 20;
  private static final int MOST_THREADS = 256;

  /**
   * Checks the ranges.
   *
   * @throws IllegalArgumentException with the value
   */
  public DeviceSettings {
    check(
        writeSharePercent >= 0 && writeSharePercent <= MOST_WRITE_SHARE_PERCENT,
        "write-share [" + writeSharePercent + "] is not between 0 and 90 percent");
    check(
        requestBytes >= DeviceFile.MIN_BLOCK_BYTES
            && requestBytes <= 1L << 30
            && requestBytes % DeviceFile.MIN_BLOCK_BYTES == 0,
        "request-size [" + requestBytes + "] is not a multiple of 4kb up to 1gb");
    check(yieldNanos >= 0, "write-yield [" + yieldNanos + "] is negative");
    check(
        besideBytes >= DeviceFile.MIN_BLOCK_BYTES && besideBytes % DeviceFile.MIN_BLOCK_BYTES == 0,
        "write-beside-reads [" + besideBytes + "] is not a multiple of 4kb");
    check(readBytesInFlight > 0, "read-in-flight [" + readBytesInFlight + "] is not positive");
    check(writeBytesInFlight > 0, "write-in-flight [" + writeBytesInFlight + "] is not positive");
    check(
        readThreads > 0 && readThreads <= MOST_THREADS,
        "read-threads [" + readThreads + "] is not between 1 and 256");
    check(
        writeThreads > 0 && writeThreads <= MOST_THREADS,
        "write-threads [" + writeThreads + "] is not between 1 and 256");
  }

  /** What measurement favours. */
  public static DeviceSettings defaults() {
    return new DeviceSettings(
        Engine.AUTO,
        FixedBuffers.AUTO,
        20,
        YIELD_NANOS,
        MEBIBYTE,
        MEBIBYTE,
        16 * MEBIBYTE,
        16 * MEBIBYTE,
        16,
        8,
        "");
  }

  /** The same with another engine. */
  public DeviceSettings withEngine(Engine other) {
    return new DeviceSettings(
        other,
        fixedBuffers,
        writeSharePercent,
        yieldNanos,
        besideBytes,
        requestBytes,
        readBytesInFlight,
        writeBytesInFlight,
        readThreads,
        writeThreads,
        requestLog);
  }

  private static void check(boolean holds, String message) {
    if (!holds) {
      throw new IllegalArgumentException(message);
    }
  }
}
