package io.orbitkv.ssd.sim.run;

import io.orbitkv.ssd.sim.disk.Chance;
import io.orbitkv.ssd.sim.disk.ModelDisk;
import io.orbitkv.ssd.store.StoreSettings;
import java.util.ArrayDeque;
import java.util.Deque;
import org.jspecify.annotations.Nullable;

/** What outlives a crash: the device, the log of promises, the clock; and what is counted. */
final class World {
  private static final int SUPERBLOCKS_AT_RISK = 3;

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
  final RecordMagic magic = new RecordMagic();

  /** Where the last record ends: the next one is likely to begin there. */
  long lastRecordEnd;

  /** What was left of the write budget when the last superblocks were written, the newest last. */
  final Deque<Long> budgets = new ArrayDeque<>();

  /** A recovery that was cut short had a device that failed: anything may be missing now. */
  boolean weakened;

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

  /** A superblock is written, or might have been, with this much left of the write budget. */
  void budget(long bytes) {
    // An unflushed one can be lost, and the one after it be flushed by nobody.
    if (budgets.size() == SUPERBLOCKS_AT_RISK) {
      budgets.removeFirst();
    }
    budgets.addLast(bytes);
  }

  /** The most that may be left of the write budget when the store is opened again. */
  long mostBudget() {
    return budgets.stream().mapToLong(Long::longValue).max().orElse(Long.MAX_VALUE);
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
