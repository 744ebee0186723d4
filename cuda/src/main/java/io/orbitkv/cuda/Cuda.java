package io.orbitkv.cuda;

import java.util.List;

/**
 * The CUDA driver, as far as OrbitKV uses it. Addresses, contexts, streams and events are the
 * driver's own numbers. Any thread; calls on memory, streams and events need a thread on which
 * {@link #makeCurrent} was called. Names follow the driver API.
 *
 * <p>Every method throws {@link CudaException} when the driver refuses. A driver may report here
 * what an earlier asynchronous call did wrong.
 *
 * <p>An interface, so that the code above it runs against a GPU that fails on purpose.
 */
public interface Cuda {
  /** Bytes of an interprocess handle, of memory as of events. */
  int HANDLE_BYTES = 64;

  /** Version of the driver's API, such as 13000 for 13.0. */
  int driverVersion();

  /** The devices of this machine that this process may use, in the driver's order. */
  List<CudaDevice> devices();

  /** Retains the primary context of a device; it takes some hundred MiB of its memory. */
  long retainContext(int device);

  /** Gives a primary context back. */
  void releaseContext(int device);

  /** Makes a context the current one of this thread. */
  void makeCurrent(long context);

  // ---- memory ----------------------------------------------------------------------------------

  /** Allocates device memory, aligned to 256 bytes at least. */
  long allocate(long bytes);

  /** Frees what {@link #allocate} gave. */
  void free(long address);

  /** Pins host memory, for all contexts; its pages should have been touched before. */
  void registerHost(long address, long bytes);

  /** Undoes {@link #registerHost}. */
  void unregisterHost(long address);

  /** The handle of the allocation that begins at {@code base}, for other processes. */
  byte[] exportMemory(long base);

  /**
   * Maps the allocation of another process. Opening the same handle again gives the same address,
   * and it is closed as often as it was opened.
   */
  long openMemory(byte[] handle);

  /** Undoes one {@link #openMemory}. */
  void closeMemory(long address);

  /**
   * The allocation around a device address.
   *
   * @return its first address and its size in bytes
   */
  long[] addressRange(long address);

  // ---- streams and events ----------------------------------------------------------------------

  /**
   * A stream that does not wait for the default stream; its work goes before that of others, where
   * the device distinguishes.
   */
  long createStream();

  /** Destroys a stream, once its work is done. */
  void destroyStream(long stream);

  /** Waits until a stream is idle; the thread sleeps meanwhile. */
  void synchronizeStream(long stream);

  /** An event without time stamps. */
  long createEvent();

  /** An event without time stamps that other processes can open. */
  long createSharedEvent();

  /** The handle by which another process opens an event, 64 bytes. */
  byte[] exportEvent(long event);

  /** Destroys an event, or closes one of another process. */
  void destroyEvent(long event);

  /** Records an event behind what a stream has been given. */
  void recordEvent(long event, long stream);

  /** Whether everything before the latest record of an event is done; true if it has none. */
  boolean isDone(long event);

  /** Opens an event of another process. */
  long openEvent(byte[] handle);

  // ---- copies ----------------------------------------------------------------------------------

  /** Whether many copies can be handed over in one call; otherwise each is a call of its own. */
  boolean hasBatchCopies();

  /**
   * Submits the copies of a batch, in any order among each other, behind what the stream has.
   *
   * @throws CudaException when one was refused; others may be under way all the same, so nothing
   *     may be reused before the stream is idle
   */
  void copy(CopyBatch batch, long stream);

  /**
   * Submits a copy in two dimensions behind what the stream has.
   *
   * @throws CudaException when it was refused
   */
  void copyRows(RowCopy rows, long stream);

  /** Fills device memory with a byte. */
  void fill(long address, byte value, long bytes, long stream);
}
