package io.orbitkv.ssd.sim.run;

import io.orbitkv.ssd.device.BlockFile;
import io.orbitkv.ssd.device.Geometry;
import io.orbitkv.ssd.sim.disk.Chance;
import io.orbitkv.ssd.sim.disk.Flight;
import io.orbitkv.ssd.sim.disk.ModelDisk;
import io.orbitkv.ssd.sim.rule.Fault;
import io.orbitkv.ssd.sim.rule.Step;
import java.io.IOException;

/** Blocking access to the model disk, for opening and closing, with a crash at each access. */
final class ModelFile implements BlockFile {
  /** What the store is doing with it. */
  enum Stage {
    FORMATTING,
    OPENING,
    CLOSING,
    /** Its process is gone: nothing works any more. */
    DEAD
  }

  private final ModelDisk disk;
  private final FaultPlan faults;
  private final WriteOrder order;
  private final DiskMap map;
  private final Chance chance;
  private CrashPlan plan;
  private Stage stage;

  ModelFile(
      ModelDisk disk,
      FaultPlan faults,
      WriteOrder order,
      DiskMap map,
      Chance chance,
      CrashPlan plan,
      Stage stage) {
    this.disk = disk;
    this.faults = faults;
    this.order = order;
    this.map = map;
    this.chance = chance;
    this.plan = plan;
    this.stage = stage;
  }

  void stage(Stage next) {
    stage = next;
  }

  @Override
  public Geometry geometry() {
    return new Geometry(disk.size(), disk.blockBytes(), disk.blockBytes(), true);
  }

  @Override
  public void read(long offset, long address, long bytes) throws IOException {
    alive();
    if (stage != Stage.CLOSING) {
      plan.pass(stage == Stage.FORMATTING ? Step.FORMAT_WRITE : map.recoveryRead(offset));
    }
    perhapsFail();
    disk.read(offset, address, bytes);
  }

  @Override
  public void write(long offset, long address, long bytes) throws IOException {
    alive();
    Step step = step(offset);
    order.blocking(offset);
    Flight flight = disk.begin(offset, address, bytes);
    int sectors = (int) (bytes / ModelDisk.SECTOR_BYTES);
    int cut = chance.below(sectors + 1) * ModelDisk.SECTOR_BYTES;
    plan.pass(
        step,
        chance.oneIn(2)
            ? new ModelDisk.Tear(flight, 0, cut)
            : new ModelDisk.Tear(flight, cut, (int) bytes));
    if (faults.strikes(Fault.OPEN_ERROR, chance)) {
      disk.fail(flight, chance);
      throw new IOException("injected: the write at [" + offset + "] failed");
    }
    if (faults.strikes(Fault.LOST_WRITE, chance)) {
      disk.lose(flight);
    } else {
      disk.finish(flight);
    }
    plan.pass(step);
  }

  private Step step(long offset) {
    return switch (stage) {
      case FORMATTING -> Step.FORMAT_WRITE;
      case OPENING -> map.recoveryWrite(offset);
      case CLOSING, DEAD ->
          map.write(offset) == Step.SUPERBLOCK ? Step.CLOSE_SUPERBLOCK : Step.CLOSE_FOOTER;
    };
  }

  @Override
  public void sync() throws IOException {
    alive();
    Step step =
        switch (stage) {
          case FORMATTING -> Step.FORMAT_SYNC;
          case OPENING -> Step.RECOVERY_SYNC;
          case CLOSING, DEAD -> Step.CLOSE_SYNC;
        };
    plan.pass(step);
    perhapsFail();
    if (!faults.strikes(Fault.LYING_SYNC, chance)) {
      disk.sync();
    }
    plan.pass(step);
  }

  private void perhapsFail() throws IOException {
    if (faults.strikes(Fault.OPEN_ERROR, chance)) {
      throw new IOException("injected: the device failed");
    }
  }

  private void alive() throws IOException {
    if (stage == Stage.DEAD) {
      throw new IOException("the simulated process is dead");
    }
  }

  @Override
  public void close() {}
}
