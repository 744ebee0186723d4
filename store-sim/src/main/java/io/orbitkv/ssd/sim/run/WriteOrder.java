package io.orbitkv.ssd.sim.run;

import io.orbitkv.ssd.sim.disk.Flight;
import io.orbitkv.ssd.sim.disk.ModelDisk;
import io.orbitkv.ssd.sim.rule.Invariant;
import io.orbitkv.ssd.sim.rule.Step;
import java.util.HashMap;
import java.util.Map;

/** What must be durable before what is written, seen at the device. */
final class WriteOrder {
  private final ModelDisk disk;
  private final DiskMap map;
  private final FaultPlan faults;
  private final Checks checks;

  /** The superblocks say that the store was stopped cleanly, and no other one was written yet. */
  private boolean clean;

  /** Where the first one lies that says otherwise; -1 before it is written. */
  private long mark = -1;

  private final RecordMagic magic;

  /** When the last header of a segment was written in this life. */
  private final Map<Long, Long> passes = new HashMap<>();

  /**
   * @param magic of the store's records, kept from life to life
   * @param clean whether the store on the device was stopped cleanly
   */
  WriteOrder(
      ModelDisk disk,
      DiskMap map,
      RecordMagic magic,
      FaultPlan faults,
      Checks checks,
      boolean clean) {
    this.checks = checks;
    this.clean = clean;
    this.disk = disk;
    this.map = map;
    this.magic = magic;
    this.faults = faults;
  }

  /** What a write to a running store is. */
  Step kind(Flight flight, boolean carriesPage) {
    long offset = flight.transfer().offset();
    Step step = map.write(offset);
    if (step != Step.FOOTER) {
      return step;
    }
    if (carriesPage) {
      magic.learn(flight.bytes());
      return Step.RECORD_HEADER;
    }
    return magic.begins(flight.bytes()) ? Step.REINSERTION_HEADER : Step.FOOTER;
  }

  /** A write begins. */
  void begins(Step step, Flight flight) {
    if (!flight.writes()) {
      return;
    }
    long offset = flight.transfer().offset();
    marked(offset);
    switch (step) {
      case RECORD_HEADER, REINSERTION_HEADER -> record(offset);
      case FOOTER -> footer(offset);
      case SEGMENT_HEADER -> passes.put(map.segment(offset), flight.order());
      default -> {}
    }
  }

  /** A blocking write begins. */
  void blocking(long offset) {
    marked(offset);
    if (map.write(offset) == Step.FOOTER) {
      footer(offset);
    }
  }

  /** A store was made: it counts as stopped. */
  void formatted() {
    clean = true;
  }

  private void marked(long offset) {
    if (!clean) {
      return;
    }
    if (map.write(offset) == Step.SUPERBLOCK) {
      mark = mark < 0 ? offset : mark;
      return;
    }
    require(
        Invariant.DIRTY_MARK_FIRST,
        mark >= 0 && !disk.volatileIn(mark, mark + disk.blockBytes()),
        "a write at ["
            + offset
            + "] comes before the superblock at ["
            + mark
            + "] is durable that says that the store is written");
    clean = false;
  }

  private void record(long offset) {
    long start = map.start(offset);
    require(
        Invariant.INVALIDATED_BEFORE_OVERWRITE,
        !disk.volatileIn(start, start + disk.blockBytes()),
        "a page is written at [" + offset + "] before the header of its segment is durable");
    long pass = passes.getOrDefault(map.segment(offset), 0L);
    require(
        Invariant.NO_OVERWRITE_UNDER_READERS,
        disk.flights().stream()
            .noneMatch(flight ->
                flight.reads()
                    && flight.order() < pass
                    && map.segment(flight.transfer().offset()) == map.segment(offset)),
        "segment [" + map.segment(offset) + "] is overwritten while a page of it is read");
  }

  private void footer(long offset) {
    require(
        Invariant.FOOTER_AFTER_DATA,
        !disk.volatileIn(map.start(offset), offset),
        "the footer at [" + offset + "] is written before its segment is durable");
  }

  private void require(Invariant invariant, boolean holds, String what) {
    checks.require(invariant, holds || faults.lied(), () -> what);
  }
}
