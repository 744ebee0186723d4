package io.orbitkv.ssd.device;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * One call to the system: a contiguous range of the device, the memory for it, and the transfers
 * that it serves, in the order of the device. Made and ended by the {@link TransferScheduler}.
 */
final class Request {
  /** Bytes of one transfer, all of them in one request. */
  record Part(PendingTransfer transfer, long bytes) {}

  private static final int FIRST_VECTORS = 4;

  private final long number;
  private final Lane lane;
  private final boolean sync;
  private final long offset;
  private final int fruitless;
  private final List<Part> parts = new ArrayList<>(1);
  private long[] addresses = new long[FIRST_VECTORS];
  private long[] lengths = new long[FIRST_VECTORS];
  private int vectors;
  private long bytes;
  private int slot;
  private long issuedNanos;

  /**
   * @param number never used twice in the life of a device
   * @param fruitless how many attempts at the same bytes moved none
   */
  Request(long number, Lane lane, boolean sync, long offset, int fruitless) {
    this.number = number;
    this.lane = lane;
    this.sync = sync;
    this.offset = offset;
    this.fruitless = fruitless;
  }

  long number() {
    return number;
  }

  Lane lane() {
    return lane;
  }

  boolean sync() {
    return sync;
  }

  long offset() {
    return offset;
  }

  int fruitless() {
    return fruitless;
  }

  long bytes() {
    return bytes;
  }

  int vectors() {
    return vectors;
  }

  /** Where the ring keeps its memory; set by the ring. */
  int slot() {
    return slot;
  }

  void setSlot(int taken) {
    slot = taken;
  }

  /** When it was handed out. */
  long issuedNanos() {
    return issuedNanos;
  }

  void setIssuedNanos(long nowNanos) {
    issuedNanos = nowNanos;
  }

  long address(int vector) {
    return addresses[vector];
  }

  long length(int vector) {
    return lengths[vector];
  }

  List<Part> parts() {
    return parts;
  }

  void addPart(PendingTransfer transfer, long partBytes) {
    parts.add(new Part(transfer, partBytes));
  }

  /** Appends memory; extends the last piece where the memory goes on. */
  void addMemory(long address, long length) {
    if (vectors > 0 && addresses[vectors - 1] + lengths[vectors - 1] == address) {
      lengths[vectors - 1] += length;
    } else {
      if (vectors == addresses.length) {
        addresses = Arrays.copyOf(addresses, vectors * 2);
        lengths = Arrays.copyOf(lengths, vectors * 2);
      }
      addresses[vectors] = address;
      lengths[vectors] = length;
      vectors++;
    }
    bytes += length;
  }

  /** Appends the memory of a range of another request, counted from its start. */
  void addMemoryOf(Request other, long skipBytes, long takeBytes) {
    long skip = skipBytes;
    long take = takeBytes;
    for (int i = 0; i < other.vectors && take > 0; i++) {
      long length = other.lengths[i];
      if (skip >= length) {
        skip -= length;
        continue;
      }
      long piece = Math.min(take, length - skip);
      addMemory(other.addresses[i] + skip, piece);
      skip = 0;
      take -= piece;
    }
  }
}
