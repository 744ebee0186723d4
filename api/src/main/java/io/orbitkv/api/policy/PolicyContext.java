package io.orbitkv.api.policy;

import io.orbitkv.api.plugin.Meters;
import java.time.Duration;
import java.util.random.RandomGenerator;

/** What a policy may use. Policy thread; nothing native, no kernel type, no thread of its own. */
public interface PolicyContext {
  /** Monotonic time in nanoseconds; under the simulator, virtual time. */
  long nanoTime();

  /** Seeded; the only source of chance that keeps a policy replayable. */
  RandomGenerator random();

  /**
   * Asks for {@link Policy#onTimer} after a delay.
   *
   * @param delay between 1 ms and 1 h
   * @param token handed back
   */
  void schedule(Duration delay, long token);

  /** Meters, gone after the policy. */
  Meters meters();

  /**
   * A bounded memory of keys: the least recently touched is forgotten.
   *
   * @param entries between 1 and 1,000,000
   */
  History history(int entries);

  /** The policy's logger. */
  System.Logger log();
}
