package io.orbitkv.workload.ab.live;

import io.orbitkv.workload.ab.assign.Arm;
import io.orbitkv.workload.process.ManagerStartException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/*
 * A drain ends I/O and nothing else: page caches, clocks of the processor and the device's own state
 * carry over from run to run. So the first pair, of A against itself, is thrown away, and the order
 * of each other pair is drawn.
 */

/** Runs pairs and gathers what they give. One thread runs; any may watch and cancel. */
public final class PairedExperiment {
  /** So many void pairs end an experiment: something is wrong with what is measured. */
  public static final int MOST_VOIDS = 2;

  private final ArmRunner runner;
  private final List<Boolean> order;
  private volatile boolean cancelled;
  private volatile Progress progress;

  /**
   * How far it is.
   *
   * @param run number of the run under way, from 1
   * @param runs in all
   * @param what it is, in words
   * @param voids pairs that do not count so far
   */
  public record Progress(int run, int runs, String what, int voids) {}

  /** An experiment that has not begun. */
  public PairedExperiment(ArmRunner runner, int pairs, long seed) {
    this.runner = runner;
    this.order = RunOrder.draw(pairs, seed);
    this.progress = new Progress(0, 2 * pairs + 2, "starting", 0);
  }

  /**
   * Runs to the end, to the second void, or to {@link #cancel}.
   *
   * @return the pairs that were completed, void ones included
   */
  public Pairs run() throws IOException, InterruptedException, ManagerStartException {
    int runs = 2 * order.size() + 2;
    progress = new Progress(1, runs, "A, thrown away", 0);
    RunOutcome first = runner.run(Arm.A);
    progress = new Progress(2, runs, "A, thrown away", 0);
    Optional<PairOutcome> thrownAway =
        cancelled
            ? Optional.empty()
            : Optional.of(new PairOutcome(-1, 0, true, first, runner.run(Arm.A)));
    List<PairOutcome> pairs = new ArrayList<>();
    int voids = 0;
    for (int pair = 0; pair < order.size() && !cancelled && voids < MOST_VOIDS; pair++) {
      boolean firstIsA = order.get(pair);
      int firstRun = 2 * pair + 2;
      String words = "pair " + (pair + 1) + " of " + order.size() + ", variant ";
      Arm one = firstIsA ? Arm.A : Arm.B;
      Arm other = firstIsA ? Arm.B : Arm.A;
      progress = new Progress(firstRun + 1, runs, words + one, voids);
      RunOutcome before = runner.run(one);
      if (cancelled || before.stopped()) {
        break;
      }
      progress = new Progress(firstRun + 2, runs, words + other, voids);
      RunOutcome after = runner.run(other);
      if (cancelled || after.stopped()) {
        break;
      }
      PairOutcome outcome =
          new PairOutcome(
              pair, firstRun, firstIsA, firstIsA ? before : after, firstIsA ? after : before);
      pairs.add(outcome);
      voids += outcome.counts() ? 0 : 1;
    }
    return new Pairs(thrownAway, pairs, cancelled, voids >= MOST_VOIDS);
  }

  /** Any thread. Ends the run under way; its pair does not count. */
  public void cancel() {
    cancelled = true;
    runner.cancel();
  }

  /** Any thread. */
  public Progress progress() {
    return progress;
  }

  /**
   * What the runs gave.
   *
   * @param thrownAway the pair of A against itself; empty when it was not completed
   * @param pairs completed, void ones included
   * @param cancelled whether somebody ended it
   * @param endedByVoids whether void pairs ended it
   */
  public record Pairs(
      Optional<PairOutcome> thrownAway,
      List<PairOutcome> pairs,
      boolean cancelled,
      boolean endedByVoids) {
    /** Copies the list. */
    public Pairs {
      pairs = List.copyOf(pairs);
    }

    /** The pairs that count. */
    public List<PairOutcome> counting() {
      return pairs.stream().filter(PairOutcome::counts).toList();
    }
  }
}
