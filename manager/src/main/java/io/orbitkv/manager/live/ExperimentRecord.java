package io.orbitkv.manager.live;

import io.orbitkv.manager.experiment.ArmSplit;
import io.orbitkv.manager.experiment.Isolation;
import io.orbitkv.manager.experiment.Schedule;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * An experiment as far as it has come: what survives a restart, and what a report is made of.
 * Immutable; nothing of a plugin's classes.
 *
 * @param terms what was fixed before the start
 * @param state how it stands
 * @param reason why it is not running any more; empty while it is
 * @param restarts of the Manager meanwhile
 * @param blocks that are over, the oldest first
 */
record ExperimentRecord(Terms terms, State state, String reason, int restarts, List<Block> blocks) {
  /** So many end an experiment. */
  static final int MOST_VOIDS = 2;

  ExperimentRecord {
    blocks = List.copyOf(blocks);
  }

  /** How an experiment stands. */
  enum State {
    /** It goes on. */
    RUNNING,
    /** It has reached its horizon. */
    DONE,
    /** Somebody ended it. */
    STOPPED,
    /** Too many blocks did not count. */
    VOIDED,
    /** It could not go on. */
    INTERRUPTED;

    String key() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  /**
   * What is fixed before the start.
   *
   * @param name of the experiment
   * @param isolation how variants are kept apart
   * @param split who belongs to which group
   * @param schedule what runs when
   * @param shortBlocks whether blocks are shorter than they should be, and somebody said so
   * @param fallbackShare of a block's questions that a default may answer before it is void
   * @param policiesA everything that A names, as JSON
   * @param policiesB everything that B names, as JSON
   * @param configured what the configuration named at the start, as JSON
   * @param differing keys of the slots that differ
   * @param primary measure that decides; empty for the default
   * @param margin as written; empty for the default
   * @param guards limits as written, by measure
   * @param startedMillis milliseconds since 1970, for people
   * @param notes what a reader must know
   */
  record Terms(
      String name,
      Isolation isolation,
      ArmSplit split,
      Schedule schedule,
      boolean shortBlocks,
      double fallbackShare,
      String policiesA,
      String policiesB,
      String configured,
      List<String> differing,
      String primary,
      String margin,
      Map<String, String> guards,
      long startedMillis,
      List<String> notes) {
    Terms {
      differing = List.copyOf(differing);
      guards = Map.copyOf(guards);
      notes = List.copyOf(notes);
    }
  }

  boolean running() {
    return state == State.RUNNING;
  }

  List<String> voids() {
    return blocks.stream()
        .flatMap(block ->
            block.voids().stream().map(reason -> "block " + (block.index() + 1) + ", " + reason))
        .toList();
  }

  ExperimentRecord with(List<Block> more) {
    return new ExperimentRecord(terms, state, reason, restarts, more);
  }

  ExperimentRecord ended(State how, String why) {
    return new ExperimentRecord(terms, how, why, restarts, blocks);
  }

  ExperimentRecord restarted() {
    return new ExperimentRecord(terms, state, reason, restarts + 1, blocks);
  }
}
