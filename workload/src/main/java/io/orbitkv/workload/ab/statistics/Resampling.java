package io.orbitkv.workload.ab.statistics;

import java.util.Arrays;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.SplittableRandom;

/**
 * What is drawn again and again in the place of the requests that were seen: blocks of time, or
 * conversations; always the same ones for both arms, since both met the same load.
 */
public final class Resampling {
  /** A block is at least as long: a cache's state at one moment tells of its state for minutes. */
  public static final double LEAST_BLOCK_SECONDS = 300;

  /** Fewer say too little about how blocks differ. */
  public static final int LEAST_BLOCKS = 10;

  /** Blocks of a long trace: longer ones rather than more of them. */
  private static final int MOST_BLOCKS = 24;

  /** Places at which a block may begin, for each length of a block. */
  private static final int STARTS = 5;

  private final String method;
  private final int[] cellsA;
  private final int[] cellsB;
  private final int cells;
  private final int blocks;
  private final int blockCells;

  private Resampling(
      String method, int[] cellsA, int[] cellsB, int cells, int blocks, int blockCells) {
    this.method = method;
    this.cellsA = cellsA;
    this.cellsB = cellsB;
    this.cells = cells;
    this.blocks = blocks;
    this.blockCells = blockCells;
  }

  /** Whether a stretch of load is long enough for blocks. */
  public static boolean longEnough(double seconds) {
    return seconds >= LEAST_BLOCK_SECONDS * LEAST_BLOCKS;
  }

  /** Length of the blocks of a stretch of load that is long enough. */
  public static double blockSeconds(double seconds) {
    return seconds / Math.clamp((int) (seconds / LEAST_BLOCK_SECONDS), 1, MOST_BLOCKS);
  }

  /**
   * Moving blocks of time.
   *
   * @param secondsA arrival of each request of A, from 0
   * @param secondsB the same of B
   * @param durationSeconds of the load
   * @throws IllegalArgumentException when there are fewer than {@link #LEAST_BLOCKS} blocks
   */
  public static Resampling timeBlocks(
      double[] secondsA, double[] secondsB, double durationSeconds) {
    if (!longEnough(durationSeconds)) {
      throw new IllegalArgumentException(
          "["
              + durationSeconds
              + "] seconds of load: an interval needs at least "
              + LEAST_BLOCKS
              + " blocks of "
              + LEAST_BLOCK_SECONDS
              + " seconds");
    }
    int blocks = Math.min(MOST_BLOCKS, (int) (durationSeconds / LEAST_BLOCK_SECONDS));
    int cells = blocks * STARTS;
    double cellSeconds = durationSeconds / cells;
    return new Resampling(
        String.format(
            Locale.ROOT,
            "block bootstrap over time, %d blocks of %.0f s",
            blocks,
            cellSeconds * STARTS),
        cellsOf(secondsA, cellSeconds, cells),
        cellsOf(secondsB, cellSeconds, cells),
        cells,
        blocks,
        STARTS);
  }

  /**
   * Whole conversations.
   *
   * @param rootsA the conversation of each request of A
   * @param rootsB the same of B; the same number means the same conversation
   */
  public static Resampling conversations(long[] rootsA, long[] rootsB) {
    Map<Long, Integer> numbers = new HashMap<>();
    int[] cellsA = numbered(rootsA, numbers);
    int[] cellsB = numbered(rootsB, numbers);
    int cells = numbers.size();
    return new Resampling(
        "bootstrap over " + cells + " conversations", cellsA, cellsB, cells, cells, 1);
  }

  /** In words. */
  public String method() {
    return method;
  }

  /** Degrees of freedom of the error that it finds. */
  public double degreesOfFreedom() {
    return Math.max(1, blocks - 1);
  }

  /** What the spread between resamples falls short of, being around the sample's own mean. */
  double correction() {
    return Math.sqrt(blocks / Math.max(1.0, blocks - 1.0));
  }

  /** Draws once: how often each request counts. */
  void draw(SplittableRandom random, int[] weightsA, int[] weightsB) {
    int[] times = new int[cells];
    for (int block = 0; block < blocks; block++) {
      int start = random.nextInt(cells - blockCells + 1);
      for (int cell = start; cell < start + blockCells; cell++) {
        times[cell]++;
      }
    }
    Arrays.setAll(weightsA, index -> times[cellsA[index]]);
    Arrays.setAll(weightsB, index -> times[cellsB[index]]);
  }

  /**
   * What each stretch of {@code blockCells} cells adds to an effect: the effect less that without
   * the stretch. Not a number is 0: what does not exist without it tells nothing.
   */
  double[] influences(Bootstrap.Comparison comparison) {
    double effect = comparison.effect();
    double[] influences = new double[cells / blockCells];
    int[] weightsA = new int[cellsA.length];
    int[] weightsB = new int[cellsB.length];
    for (int i = 0; i < influences.length; i++) {
      int stretch = i;
      Arrays.setAll(weightsA, index -> cellsA[index] / blockCells == stretch ? 0 : 1);
      Arrays.setAll(weightsB, index -> cellsB[index] / blockCells == stretch ? 0 : 1);
      double without =
          comparison.scale().effect(comparison.a().of(weightsA), comparison.b().of(weightsB));
      influences[i] = Double.isFinite(without) ? effect - without : 0;
    }
    return influences;
  }

  private static int[] cellsOf(double[] seconds, double cellSeconds, int cells) {
    int[] found = new int[seconds.length];
    Arrays.setAll(found, index -> Math.clamp((int) (seconds[index] / cellSeconds), 0, cells - 1));
    return found;
  }

  private static int[] numbered(long[] roots, Map<Long, Integer> numbers) {
    int[] found = new int[roots.length];
    for (int i = 0; i < roots.length; i++) {
      int next = numbers.size();
      found[i] = numbers.computeIfAbsent(roots[i], _ -> next);
    }
    return found;
  }
}
