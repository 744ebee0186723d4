package io.orbitkv.ssd.sim.run;

import io.orbitkv.ssd.sim.disk.Chance;
import io.orbitkv.ssd.sim.disk.ModelDisk;
import io.orbitkv.ssd.store.StoreSettings;
import org.jspecify.annotations.Nullable;

/** What outlives a crash: the device, the log of promises, the clock; and what is counted. */
final class World {
  final ModelDisk disk;
  final DiskMap map;
  final StoreSettings settings;
  final FaultPlan faults;
  final Ledger ledger;
  final Checks checks;
  final Memory memory;
  final Chance chance;
  final Tally tally;
  final Trail trace;
  final RecordTrail trail;

  /** Where the last record ends: the next one is likely to begin there. */
  long lastRecordEnd;

  /** The most that the store may have left of its write budget when it is opened again. */
  long budgetBytes = Long.MAX_VALUE;

  /** Of the present life. */
  @Nullable ModelFile file;

  long nowNanos;
  long tickets;
  private long digest;

  World(
      ModelDisk disk,
      DiskMap map,
      StoreSettings settings,
      FaultPlan faults,
      Ledger ledger,
      Checks checks,
      Memory memory,
      Chance chance,
      Tally tally,
      Trail trace) {
    this.disk = disk;
    this.map = map;
    this.settings = settings;
    this.faults = faults;
    this.ledger = ledger;
    this.checks = checks;
    this.memory = memory;
    this.chance = chance;
    this.tally = tally;
    this.trace = trace;
    this.trail = new RecordTrail(map);
  }

  ModelFile fileOf() {
    if (file == null) {
      throw new IllegalStateException("nothing was opened");
    }
    return file;
  }

  /** Adds what happened to the digest of the run. */
  void note(long what, long detail) {
    long z = (digest * 31 + what) * 0x9E3779B97F4A7C15L + detail;
    z = (z ^ (z >>> 30)) * 0xBF58476D1CE4E5B9L;
    digest = z ^ (z >>> 31);
  }

  long digest() {
    return digest;
  }
}
