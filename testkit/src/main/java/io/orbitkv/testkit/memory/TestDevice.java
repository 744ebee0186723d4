package io.orbitkv.testkit.memory;

import io.orbitkv.api.copy.DeviceMemoryDescriptor;
import java.lang.foreign.MemorySegment;

/**
 * The device memory of a pretended worker, seen from the worker's side. Its bytes are only looked
 * at while no copy runs over them. Test thread.
 */
public interface TestDevice extends AutoCloseable {
  /** How the worker names it to the Manager. */
  DeviceMemoryDescriptor descriptor();

  /** Writes {@code source} into the memory from an offset on. */
  void write(long offset, MemorySegment source);

  /** Fills {@code target} from the memory from an offset on. */
  void read(long offset, MemorySegment target);

  /** Gives the memory up. Not declared to throw. */
  @Override
  void close();
}
