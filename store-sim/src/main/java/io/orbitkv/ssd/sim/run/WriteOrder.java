package io.orbitkv.ssd.sim.run;

import io.orbitkv.ssd.device.Transfer;
import io.orbitkv.ssd.sim.disk.Flight;
import io.orbitkv.ssd.sim.disk.ModelDisk;
import io.orbitkv.ssd.sim.rule.Invariant;
import io.orbitkv.ssd.sim.rule.InvariantViolation;
import io.orbitkv.ssd.sim.rule.Step;
import java.util.Arrays;

/** What must be durable before what is written, seen at the device. */
final class WriteOrder {
  private static final int MAGIC_BYTES = 8;

  private final ModelDisk disk;
  private final DiskMap map;
  private final FaultPlan faults;

  /** How pages begin: learnt from the first one that carries a caller's memory. */
  private byte[] recordMagic = new byte[0];

  WriteOrder(ModelDisk disk, DiskMap map, FaultPlan faults) {
    this.disk = disk;
    this.map = map;
    this.faults = faults;
  }

  /** What a write to a running store is. */
  Step kind(Flight flight, boolean carriesPage) {
    long offset = flight.transfer().offset();
    Step step = map.write(offset);
    if (step != Step.FOOTER) {
      return step;
    }
    byte[] magic = Arrays.copyOf(flight.bytes(), MAGIC_BYTES);
    if (carriesPage) {
      recordMagic = magic;
      return Step.RECORD_HEADER;
    }
    return Arrays.equals(magic, recordMagic) ? Step.REINSERTION_HEADER : Step.FOOTER;
  }

  /** A write begins. Called before it counts as under way. */
  void begins(Step step, Transfer transfer) {
    switch (step) {
      case RECORD_HEADER, REINSERTION_HEADER -> record(transfer.offset());
      case FOOTER -> footer(transfer.offset());
      case SEGMENT_HEADER -> segment(transfer.offset());
      default -> {}
    }
  }

  /** A blocking write begins. */
  void blocking(long offset) {
    if (map.write(offset) == Step.FOOTER) {
      footer(offset);
    }
  }

  private void record(long offset) {
    long start = map.start(offset);
    require(
        Invariant.INVALIDATED_BEFORE_OVERWRITE,
        !disk.volatileIn(start, start + disk.blockBytes()),
        "a page is written at [" + offset + "] before the header of its segment is durable");
  }

  private void footer(long offset) {
    require(
        Invariant.FOOTER_AFTER_DATA,
        !disk.volatileIn(map.start(offset), offset),
        "the footer at [" + offset + "] is written before its segment is durable");
  }

  private void segment(long offset) {
    boolean read =
        disk.flights().stream()
            .anyMatch(flight ->
                flight.reads()
                    && map.segment(flight.transfer().offset()) == map.segment(offset));
    require(
        Invariant.NO_OVERWRITE_UNDER_READERS,
        !read,
        "segment [" + map.segment(offset) + "] begins a new pass while a page of it is read");
  }

  private void require(Invariant invariant, boolean holds, String what) {
    if (!holds && !faults.lied()) {
      throw new InvariantViolation(invariant, what);
    }
  }
}
