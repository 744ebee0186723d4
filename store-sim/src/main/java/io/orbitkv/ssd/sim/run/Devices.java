package io.orbitkv.ssd.sim.run;

import io.orbitkv.ssd.device.StoreDevice;
import io.orbitkv.ssd.device.Transfer;
import io.orbitkv.ssd.sim.disk.Chance;
import io.orbitkv.ssd.sim.disk.Flight;
import io.orbitkv.ssd.sim.disk.ModelDisk;
import io.orbitkv.ssd.sim.rule.Fault;
import io.orbitkv.ssd.sim.rule.Step;

/** Ends transfers, with the faults of the plan and the crashes around them. */
final class Devices {
  private static final int EIO = 5;
  private static final int ENOSPC = 28;
  private static final long MICRO = 1_000;
  private static final long STALL_NANOS = 8_000_000_000L;

  private final ModelDisk disk;
  private final FaultPlan faults;
  private final CrashPlan plan;
  private final DiskMap map;
  private final Chance chance;
  private final boolean reordering;

  Devices(ModelDisk disk, FaultPlan faults, CrashPlan plan, DiskMap map, Chance chance) {
    this.disk = disk;
    this.faults = faults;
    this.plan = plan;
    this.map = map;
    this.chance = chance;
    this.reordering = !chance.oneIn(4);
  }

  /** How long a transfer takes. */
  long delayNanos(Transfer transfer) {
    if (faults.strikes(Fault.STALL, chance)) {
      return STALL_NANOS;
    }
    long usual =
        switch (transfer.kind()) {
          case READ, SPECULATIVE_READ -> 100 * MICRO;
          case WRITE -> 300 * MICRO;
          case SYNC -> 900 * MICRO;
        };
    return reordering ? usual / 4 + chance.below(2 * usual) : usual;
  }

  /**
   * Ends a transfer.
   *
   * @return its error, 0 for none
   */
  int end(Flight flight, Step step) {
    tear(flight, step);
    int error =
        switch (flight.transfer().kind()) {
          case READ, SPECULATIVE_READ -> endRead(flight);
          case WRITE -> endWrite(flight);
          case SYNC -> endSync(flight);
        };
    plan.pass(step);
    return error;
  }

  /** The crash in the middle: one place for a header, one for a payload. */
  private void tear(Flight flight, Step step) {
    if (!flight.writes()) {
      plan.pass(step);
      return;
    }
    int all = flight.bytes().length;
    int block = disk.blockBytes();
    int inHeader = chance.below(block / ModelDisk.SECTOR_BYTES) * ModelDisk.SECTOR_BYTES;
    Step payload =
        switch (step) {
          case RECORD_HEADER -> Step.RECORD_PAYLOAD;
          case REINSERTION_HEADER -> Step.REINSERTION_PAYLOAD;
          default -> step;
        };
    // The header torn, with or without the payload behind it; then the header whole.
    plan.pass(
        step,
        chance.oneIn(2)
            ? new ModelDisk.Tear(flight, 0, inHeader)
            : new ModelDisk.Tear(flight, inHeader + ModelDisk.SECTOR_BYTES, all));
    if (payload != step) {
      int sectors = (all - block) / ModelDisk.SECTOR_BYTES;
      int cut = block + chance.below(Math.max(1, sectors)) * ModelDisk.SECTOR_BYTES;
      plan.pass(payload, new ModelDisk.Tear(flight, 0, cut));
    }
  }

  private int endRead(Flight flight) {
    if (faults.strikes(Fault.READ_ERROR, chance)) {
      disk.fail(flight, chance);
      return EIO;
    }
    if (faults.strikes(Fault.UNKNOWN_OUTCOME, chance)) {
      disk.fail(flight, chance);
      return StoreDevice.UNKNOWN;
    }
    if (faults.strikes(Fault.SHORT_READ, chance)) {
      int blocks = (int) (flight.transfer().bytes() / disk.blockBytes());
      // Most often all but the end, which a careless reader might take for whole.
      int moved = chance.oneIn(3) ? chance.below(blocks) : blocks - 1;
      disk.finishShort(flight, moved * disk.blockBytes());
      return StoreDevice.SHORT;
    }
    disk.finish(flight);
    return 0;
  }

  private int endWrite(Flight flight) {
    if (faults.strikes(Fault.WRITE_ERROR, chance)) {
      disk.fail(flight, chance);
      return EIO;
    }
    if (faults.strikes(Fault.NO_SPACE, chance)) {
      disk.fail(flight, chance);
      return ENOSPC;
    }
    if (faults.strikes(Fault.UNKNOWN_OUTCOME, chance)) {
      disk.fail(flight, chance);
      return StoreDevice.UNKNOWN;
    }
    if (faults.strikes(Fault.LOST_WRITE, chance)) {
      disk.lose(flight);
      return 0;
    }
    if (map.segment(flight.transfer().offset()) >= 0
        && faults.strikes(Fault.MISDIRECTED_WRITE, chance)) {
      disk.misdirect(flight, elsewhere(flight));
      return 0;
    }
    disk.finish(flight);
    return 0;
  }

  private int elsewhere(Flight flight) {
    int block = disk.blockBytes();
    int first = (int) map.segmentsFrom() / block;
    int last = (disk.size() - flight.bytes().length) / block;
    return chance.between(first, last) * block;
  }

  private int endSync(Flight flight) {
    if (faults.strikes(Fault.SYNC_ERROR, chance)) {
      disk.fail(flight, chance);
      return EIO;
    }
    if (faults.strikes(Fault.LYING_SYNC, chance)) {
      disk.lose(flight);
      return 0;
    }
    disk.finish(flight);
    return 0;
  }
}
