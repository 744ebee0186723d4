package io.orbitkv.manager.live;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * What is known of a Manager's last experiment, and its file. Of a Manager that is divided into
 * cells each cell runs a variant and measures it: a block is known when both cells have measured
 * it, and what ends the experiment in one cell ends it in the other. Any thread; never waits.
 */
public final class ExperimentBook implements AutoCloseable {
  private final StateFile file;
  private final LongSupplier clock;

  // Guarded by this. Of each cell, as it told last; null before it told of the present experiment.
  private final @Nullable ExperimentRecord[] parts;
  private Ender ender = (cell, terms, how, why) -> {};
  private volatile @Nullable Progress latest;

  /**
   * What is known of the last experiment.
   *
   * @param record as far as blocks are over
   * @param startedNanos of the block that is under way
   */
  record Progress(ExperimentRecord record, long startedNanos) {}

  /** Ends an experiment in one cell. */
  @FunctionalInterface
  interface Ender {
    /** Thread of the file. */
    void end(int cell, ExperimentRecord.Terms terms, ExperimentRecord.State how, String why);
  }

  /**
   * No experiment.
   *
   * @param cells that run experiments together, 1 or 2
   */
  public ExperimentBook(StateFile file, int cells, LongSupplier clock) {
    this.file = file;
    this.parts = new ExperimentRecord[cells];
    this.clock = clock;
  }

  /** Before the first experiment. */
  void endWith(Ender newEnder) {
    ender = newEnder;
  }

  /** The file of the state. */
  StateFile file() {
    return file;
  }

  /** The last experiment, running or not; null before the first. */
  @Nullable Progress latest() {
    return latest;
  }

  /** Whether one runs. */
  boolean isRunning() {
    Progress now = latest;
    return now != null && now.record().running();
  }

  /** An experiment that could not go on, or the last one of an earlier start. */
  synchronized void remember(ExperimentRecord record) {
    latest = new Progress(record, clock.getAsLong());
  }

  /** A cell has begun an experiment, a block of it, or ended it. */
  synchronized void keep(int cell, ExperimentRecord record, long startedNanos) {
    for (int i = 0; i < parts.length; i++) {
      ExperimentRecord other = parts[i];
      if (other != null && !other.terms().equals(record.terms())) {
        parts[i] = null;
      }
    }
    parts[cell] = record;
    ExperimentRecord joined = joined(record);
    latest = new Progress(joined, startedNanos);
    file.write(joined);
    if (!joined.running()) {
      endElsewhere(joined);
    }
  }

  private ExperimentRecord joined(ExperimentRecord told) {
    @Nullable ExperimentRecord joined = null;
    for (ExperimentRecord part : parts) {
      if (part == null) {
        // The other cell is about to begin: no block is over in both.
        return told;
      }
      joined = joined == null ? part : joined(joined, part);
    }
    if (joined == null) {
      return told;
    }
    List<String> voids = joined.voids();
    return joined.running() && voids.size() >= ExperimentRecord.MOST_VOIDS
        ? joined.ended(
            ExperimentRecord.State.VOIDED, "[" + voids.size() + "] blocks were void: see which")
        : joined;
  }

  private void endElsewhere(ExperimentRecord joined) {
    for (int i = 0; i < parts.length; i++) {
      ExperimentRecord part = parts[i];
      if (part != null && part.running()) {
        int cell = i;
        file.later(() -> ender.end(cell, joined.terms(), joined.state(), joined.reason()));
      }
    }
  }

  private static ExperimentRecord joined(ExperimentRecord a, ExperimentRecord b) {
    List<Block> blocks = new ArrayList<>();
    for (int i = 0; i < Math.min(a.blocks().size(), b.blocks().size()); i++) {
      blocks.add(joined(a.blocks().get(i), b.blocks().get(i)));
    }
    ExperimentRecord state = first(a, b);
    return new ExperimentRecord(a.terms(), state.state(), state.reason(), a.restarts(), blocks);
  }

  /** Whose state is that of both: done when both are, otherwise what ended one of them. */
  private static ExperimentRecord first(ExperimentRecord a, ExperimentRecord b) {
    return rank(a.state()) <= rank(b.state()) ? a : b;
  }

  private static int rank(ExperimentRecord.State state) {
    return switch (state) {
      case VOIDED, INTERRUPTED -> 0;
      case STOPPED -> 1;
      case RUNNING -> 2;
      case DONE -> 3;
    };
  }

  private static Block joined(Block a, Block b) {
    Map<Arm, Block.Figures> arms = new EnumMap<>(Arm.class);
    arms.putAll(a.arms());
    arms.putAll(b.arms());
    Set<String> voids = new LinkedHashSet<>(a.voids());
    voids.addAll(b.voids());
    return new Block(
        a.index(),
        a.same(),
        a.swapped(),
        a.afterRestart() || b.afterRestart(),
        a.settling() || b.settling(),
        List.copyOf(voids),
        arms);
  }

  /** Writes what waits. */
  @Override
  public void close() {
    file.close();
  }
}
