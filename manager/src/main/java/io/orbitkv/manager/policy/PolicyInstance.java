package io.orbitkv.manager.policy;

import io.orbitkv.api.policy.Policy;
import java.util.Locale;

/** One instance of a policy with its thread, in one slot or in several. Dispatcher. */
final class PolicyInstance {
  private final PolicySpec spec;
  private final PolicyRunner<Policy> runner;
  private final Runnable closeMeters;
  private boolean retiring;
  private boolean leaked;
  private boolean gone;

  PolicyInstance(PolicySpec spec, PolicyRunner<Policy> runner, Runnable closeMeters) {
    this.spec = spec;
    this.runner = runner;
    this.closeMeters = closeMeters;
  }

  PolicySpec spec() {
    return spec;
  }

  PolicyRunner<Policy> runner() {
    return runner;
  }

  /** Whether it can still be asked. */
  boolean alive() {
    PolicyRunner.State state = runner.state();
    return state == PolicyRunner.State.STARTING || state == PolicyRunner.State.RUNNING;
  }

  boolean leaked() {
    return leaked || runner.state() == PolicyRunner.State.ABANDONED;
  }

  String state() {
    return retiring && alive() ? "draining" : runner.state().name().toLowerCase(Locale.ROOT);
  }

  /** It serves nowhere any more; what was asked is still answered by it. */
  void retire() {
    retiring = true;
  }

  /**
   * Goes on with the end of a retiring instance.
   *
   * @return whether nothing of it is left to be looked after
   */
  boolean advanceEnd(long nowNanos) {
    runner.advance(nowNanos);
    if (runner.open() == 0) {
      runner.end();
    }
    if (alive()) {
      return false;
    }
    if (runner.threadEnded()) {
      letGo();
      return true;
    }
    if (leaked() || runner.leaveBehindIfStuck(nowNanos)) {
      leaked = true;
      letGo();
      return true;
    }
    return false;
  }

  /** Its meters go: a gauge of it may be what hangs. */
  void letGo() {
    if (!gone) {
      gone = true;
      closeMeters.run();
    }
  }
}
