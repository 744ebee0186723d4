package io.orbitkv.api.memory;

/**
 * A contiguous range of host memory that is registered with the copiers as one piece. No run
 * crosses its border, since a copy over two registered ranges fails.
 *
 * @param index position among the tier's chunks, from 0
 * @param address native address of the first byte, aligned to 4 KiB
 * @param bytes size, a multiple of 4 KiB, at most 1 GiB
 * @param numaNode the node it lies on, or -1 when unknown
 */
public record HostChunk(int index, long address, long bytes, int numaNode) {
  /** Largest chunk in bytes. */
  public static final long MAX_BYTES = 1L << 30;
}
