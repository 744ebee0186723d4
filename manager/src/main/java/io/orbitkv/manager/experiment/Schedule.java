package io.orbitkv.manager.experiment;

import io.orbitkv.manager.settings.Durations;
import java.time.Duration;
import java.util.Optional;

/*
 * An experiment is two periods, each cut into blocks of equal length and swapped once in its middle:
 *
 *   both run A            | the variants
 *   A B A B  B A B A      | A B A B A B …  B A B A B A …      turns
 *   groups 1/2 → 2/1      | groups 1/2 …   → groups 2/1 …     both at once
 *
 * What differs in the first period is what the method itself makes of no difference, by the same
 * estimator: it is taken off. The swap makes what belongs to a group, or to the first of two turns,
 * count for both variants alike.
 */

/**
 * Which block runs what. Immutable.
 *
 * @param blockNanos length of a block
 * @param sameBlocks of the period in which both run A
 * @param blocks of the period in which they differ
 * @param turns whether one variant serves at a time
 * @param settleBlocks after the variants have begun to differ, and after they have changed their
 *     places, in which caches still hold what the policies before have left: they do not count
 */
public record Schedule(
    long blockNanos, int sameBlocks, int blocks, boolean turns, int settleBlocks) {
  /** With fewer for each variant there is no verdict. */
  public static final int LEAST_BLOCKS = 10;

  /** More are not kept. */
  public static final int MOST_BLOCKS = 1000;

  private static final int LEAST_SAME_BLOCKS = 4;
  private static final int LEAST_SAME_TURNS = 8;
  private static final Duration SHORTEST = Duration.ofMillis(100);

  /** Without a time to settle. */
  public Schedule(long blockNanos, int sameBlocks, int blocks, boolean turns) {
    this(blockNanos, sameBlocks, blocks, turns, 0);
  }

  /**
   * Fixes what happens when. Periods are made a little longer where their halves would not be equal
   * otherwise.
   *
   * @param same how long both run A; empty for a quarter of the horizon
   * @throws IllegalArgumentException saying what does not fit, and how it would
   */
  public static Schedule of(
      Duration block,
      Duration horizon,
      Optional<Duration> same,
      boolean turns,
      boolean shortBlocks) {
    return of(block, horizon, same, turns, shortBlocks, 0);
  }

  /**
   * The same with a time to settle.
   *
   * @param settleBlocks that do not count after each change of places; they are in the horizon
   */
  public static Schedule of(
      Duration block,
      Duration horizon,
      Optional<Duration> same,
      boolean turns,
      boolean shortBlocks,
      int settleBlocks) {
    String unit = turns ? "turn" : "block";
    if (block.compareTo(SHORTEST) < 0) {
      throw new IllegalArgumentException(
          "a " + unit + " of [" + Durations.format(block) + "] is shorter than 100ms");
    }
    if (block.compareTo(LiveTerms.LEAST_BLOCK) < 0 && !shortBlocks) {
      throw new IllegalArgumentException(
          "a "
              + unit
              + " of ["
              + Durations.format(block)
              + "] is shorter than 5m: a cache's state at one moment tells of its state for"
              + " minutes, so shorter ones are not independent; make it longer, or say that you"
              + " know (--short-blocks, ab.live.short-blocks)");
    }
    int step = turns ? 4 : 2;
    int blocks = up(Math.ceilDiv(horizon.toNanos(), block.toNanos()), step);
    int leastBlocks = up((turns ? 2L : 1L) * LEAST_BLOCKS + 2L * settleBlocks, step);
    if (blocks < leastBlocks) {
      throw new IllegalArgumentException(
          "a horizon of ["
              + Durations.format(horizon)
              + "] has ["
              + (turns ? blocks / 2 : blocks)
              + "] "
              + unit
              + "s of ["
              + Durations.format(block)
              + "] for each variant, and an interval needs ["
              + LEAST_BLOCKS
              + (settleBlocks == 0
                  ? "]"
                  : "] beside the ["
                      + settleBlocks
                      + "] after each change of policies in which the cache's content is replaced")
              + ": make it ["
              + Durations.format(block.multipliedBy(leastBlocks))
              + "] or more");
    }
    int sameBlocks =
        Math.max(
            turns ? LEAST_SAME_TURNS : LEAST_SAME_BLOCKS,
            up(
                same.isPresent()
                    ? Math.ceilDiv(same.get().toNanos(), block.toNanos())
                    : Math.ceilDiv(blocks, 4),
                step));
    if ((long) blocks + sameBlocks > MOST_BLOCKS) {
      throw new IllegalArgumentException(
          "["
              + ((long) blocks + sameBlocks)
              + "] "
              + unit
              + "s are more than the ["
              + MOST_BLOCKS
              + "] that are kept: make them longer");
    }
    return new Schedule(block.toNanos(), sameBlocks, blocks, turns, settleBlocks);
  }

  private static int up(long blocks, int step) {
    return (int) Math.min(1 << 30, Math.ceilDiv(blocks, step) * step);
  }

  /** Blocks of both periods. */
  public int total() {
    return sameBlocks + blocks;
  }

  /** Whether both variants run A in a block. */
  public boolean same(int block) {
    return block < sameBlocks;
  }

  /** Whether the variants have changed their places. */
  public boolean swapped(int block) {
    return same(block) ? block >= sameBlocks / 2 : block - sameBlocks >= blocks / 2;
  }

  /** Whether a cache still holds what other policies have left. */
  public boolean settling(int block) {
    return !same(block) && (block - sameBlocks) % (blocks / 2) < settleBlocks;
  }

  /** Whose turn a block is. */
  public boolean turnOfB(int block) {
    int within = same(block) ? block : block - sameBlocks;
    return (within % 2 == 1) != swapped(block);
  }

  /** Length of a block. */
  public Duration block() {
    return Duration.ofNanos(blockNanos);
  }
}
