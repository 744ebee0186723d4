package io.orbitkv.ssd.sim.disk;

import io.orbitkv.ssd.device.Transfer;

/** A transfer that the device has and has not completed. */
public final class Flight {
  final Transfer transfer;
  final long order;

  /** What a write had in its buffers when it was submitted; empty otherwise. */
  final byte[] bytes;

  /** A flush covers what had completed before it was submitted. */
  final long covers;

  Flight(Transfer transfer, long order, byte[] bytes, long covers) {
    this.transfer = transfer;
    this.order = order;
    this.bytes = bytes;
    this.covers = covers;
  }

  /** What was asked for. */
  public Transfer transfer() {
    return transfer;
  }

  /** Grows from one to the next. */
  public long order() {
    return order;
  }

  /** What a write writes. Not to be changed. */
  public byte[] bytes() {
    return bytes;
  }

  /** Whether it writes. */
  public boolean writes() {
    return transfer.kind() == Transfer.Kind.WRITE;
  }

  /** Whether it reads. */
  public boolean reads() {
    return transfer.kind() == Transfer.Kind.READ
        || transfer.kind() == Transfer.Kind.SPECULATIVE_READ;
  }

  /** Whether it and another one touch common bytes of the device. */
  boolean overlaps(Flight other) {
    return transfer.offset() < other.transfer.offset() + other.transfer.bytes()
        && other.transfer.offset() < transfer.offset() + transfer.bytes();
  }
}
