package io.orbitkv.ssd.store;

import io.orbitkv.ssd.device.Transfer;
import java.util.ArrayDeque;
import java.util.List;
import java.util.function.Consumer;

/**
 * Makes the deaths of single records durable. Entries are written in the order in which they came,
 * a batch of blocks at a time, each followed by a sync, so that whoever waits for one entry waits
 * for all before it. When a half of the log is full, everything that still matters is written to
 * the other half, as a new generation.
 */
final class KillLog {
  /** From this share of a half on, in hundredths, whole segments have to go instead. */
  private static final int CROWDED_PERCENT = 75;

  /**
   * @param entry number of the last entry that has to be durable
   * @param durable told whether they are, or the device would not make them so
   */
  private record Waiter(long entry, Consumer<Boolean> durable) {}

  private final Layout layout;
  private final Scratch scratch;
  private final Transfers transfers;
  private final Superblocks superblocks;
  private final Health health;
  private final Counters counters;
  private final List<Segment> segments;
  private final int entriesPerBlock;

  private final LongQueue places = new LongQueue();
  private final LongQueue passes = new LongQueue();
  private final ArrayDeque<Waiter> waiters = new ArrayDeque<>();
  private long added;
  private long durable;

  /** Entries whose segments still have that pass. */
  private long relevant;

  private long newestGeneration;
  private long generation;
  private int nextBlock;
  private int compacted;
  private int former;
  private long durableGeneration;
  private int durableBlocks;
  private boolean busy;

  // A compaction under way: what it writes, and up to which entry that reaches.
  private long[] snapshot = new long[0];
  private int snapshotAt;
  private long snapshotEntry;
  private boolean compacting;
  private boolean mustCompact;

  KillLog(
      Layout layout,
      Scratch scratch,
      Transfers transfers,
      Superblocks superblocks,
      Health health,
      Counters counters,
      List<Segment> segments) {
    this.layout = layout;
    this.scratch = scratch;
    this.transfers = transfers;
    this.superblocks = superblocks;
    this.health = health;
    this.counters = counters;
    this.segments = segments;
    this.entriesPerBlock = KillBlock.entries(layout.blockBytes());
  }

  /** Goes on behind what a recovery found; the segments know their dead records already. */
  void resume(RecoveredKills found) {
    generation = found.generation();
    newestGeneration = found.newestGeneration();
    nextBlock = found.blocks();
    compacted = found.compacted();
    former = found.former();
    durableGeneration = generation;
    durableBlocks = nextBlock;
    for (Segment segment : segments) {
      relevant += segment.killed();
    }
    mustCompact = found.isRagged();
  }

  /** A record is dead. */
  void add(Segment segment, int block) {
    segment.kill(block);
    relevant++;
    places.add((long) segment.number << 32 | block);
    passes.add(segment.pass);
    added++;
  }

  /**
   * Tells once every entry that was added so far is durable; or that the device has been given up,
   * so that the dead may come back when the store is opened again.
   */
  void whenDurable(Consumer<Boolean> told) {
    if (durable == added) {
      told.accept(true);
    } else {
      waiters.add(new Waiter(added, told));
    }
  }

  void pump() {
    if (busy || health.isFailing()) {
      if (health.hasGivenUp()) {
        giveUp();
      }
      return;
    }
    if (!compacting && places.size() == 0 && !mustCompact) {
      return;
    }
    if (!superblocks.isDirty()) {
      return;
    }
    boolean full = mustCompact || nextBlock == layout.killHalfBlocks();
    if (!compacting && full && !compact()) {
      return;
    }
    writeBatch();
  }

  /** Whether records die faster than single entries can hold: whole segments must be emptied. */
  boolean isCrowded() {
    return relevant > (long) capacity() * CROWDED_PERCENT / 100;
  }

  private int capacity() {
    // The last block is left for what dies after a compaction.
    return (layout.killHalfBlocks() - 1) * entriesPerBlock;
  }

  /** A segment starts a new pass: what died in the old one matters no more. */
  void forget(Segment segment) {
    relevant -= segment.killed();
  }

  /** False when what matters does not fit: segments have to be emptied first. */
  private boolean compact() {
    long entries = relevant;
    if (entries > capacity()) {
      return false;
    }
    snapshot = new long[(int) entries * 2];
    int at = 0;
    for (Segment segment : segments) {
      for (int i = 0; i < segment.killed(); i++) {
        snapshot[at++] = (long) segment.number << 32 | segment.killedBlock(i);
        snapshot[at++] = segment.pass;
      }
    }
    snapshotAt = 0;
    snapshotEntry = added;
    compacting = true;
    mustCompact = false;
    former = nextBlock;
    // The next one that lies in the other half.
    generation += newestGeneration - generation + 1 | 1;
    newestGeneration = generation;
    nextBlock = 0;
    compacted = Math.max(1, Math.ceilDiv((int) entries, entriesPerBlock));
    return true;
  }

  private void writeBatch() {
    int left =
        compacting
            ? compacted - nextBlock
            : Math.clamp(
                Math.ceilDiv(places.size(), entriesPerBlock),
                1,
                layout.killHalfBlocks() - nextBlock);
    int blocks = Math.min(Scratch.KILL_BLOCKS, left);
    int entries = 0;
    for (int block = 0; block < blocks; block++) {
      long at = scratch.kills + (long) block * layout.blockBytes();
      KillBlock.begin(
          scratch.memory,
          at,
          layout.blockBytes(),
          superblocks.store(),
          generation,
          nextBlock + block,
          compacting ? 0 : nextBlock,
          compacted,
          former);
      for (int i = 0; i < entriesPerBlock && hasEntry(entries); i++, entries++) {
        KillBlock.add(scratch.memory, at, place(entries), pass(entries));
      }
      Blocks.seal(scratch.memory, at, layout.blockBytes());
    }
    submit(blocks, entries);
  }

  private boolean hasEntry(int index) {
    return compacting ? snapshotAt + 2 * index < snapshot.length : index < places.size();
  }

  private long place(int index) {
    return compacting ? snapshot[snapshotAt + 2 * index] : places.get(index);
  }

  private long pass(int index) {
    return compacting ? snapshot[snapshotAt + 2 * index + 1] : passes.get(index);
  }

  private void submit(int blocks, int entries) {
    busy = true;
    transfers.submit(
        Transfer.Kind.WRITE,
        layout.killHalf(generation) + (long) nextBlock * layout.blockBytes(),
        List.of(scratch.span(scratch.kills, (long) blocks * layout.blockBytes())),
        error -> {
          if (error == 0) {
            transfers.sync(syncError -> ended(blocks, entries, syncError));
          } else {
            ended(blocks, entries, error);
          }
        });
  }

  private void ended(int blocks, int entries, int error) {
    if (error != 0) {
      health.failed(error);
      if (Transfers.isUnknown(error)) {
        scratch.abandon(); // And stays busy: the buffer is not written again.
      } else {
        busy = false; // The same blocks are tried again.
      }
      return;
    }
    busy = false;
    health.succeeded();
    nextBlock += blocks;
    if (!compacting) {
      settle(entries);
      return;
    }

    snapshotAt += 2 * entries;
    if (nextBlock == compacted) {
      compacting = false;
      snapshot = new long[0];
      settle((int) (snapshotEntry - durable));
    }
  }

  private void settle(int entries) {
    durableGeneration = generation;
    durableBlocks = nextBlock;
    durable += entries;
    places.drop(entries);
    passes.drop(entries);
    while (!waiters.isEmpty() && waiters.getFirst().entry() <= durable) {
      waiters.removeFirst().durable().accept(true);
    }
  }

  /** Reports must come some day: those that cannot be made durable are counted. */
  private void giveUp() {
    while (!waiters.isEmpty()) {
      counters.uncertainEvictions++;
      waiters.removeFirst().durable().accept(false);
    }
  }

  /** Whether nothing waits for the device, or the device takes nothing. */
  boolean isIdle() {
    return waiters.isEmpty() && ((places.size() == 0 && !compacting) || health.isFailing());
  }

  /** The newest generation all of whose take-over is durable. */
  long durableGeneration() {
    return durableGeneration;
  }

  /** Its blocks that are durable. */
  int durableBlocks() {
    return durableBlocks;
  }
}
