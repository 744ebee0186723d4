package io.orbitkv.kernel.step;

import io.orbitkv.kernel.Command;
import io.orbitkv.kernel.KernelCounter;
import io.orbitkv.kernel.KernelSettings;
import io.orbitkv.kernel.Outbox;
import java.util.random.RandomGenerator;

/** The surroundings of the event that is being handled. One object for all steps; dispatcher. */
public final class Step {
  private static final Outbox NOWHERE = command -> {};

  private final KernelSettings settings;
  private final RandomGenerator random;
  private final Counters counters = new Counters();
  private Outbox outbox = NOWHERE;
  private long nowNanos = Long.MIN_VALUE;
  private boolean draining;

  /** Before the first step. */
  public Step(KernelSettings settings, RandomGenerator random) {
    this.settings = settings;
    this.random = random;
  }

  /** A step begins. Time never goes back, whatever the caller says. */
  public void begin(long now, Outbox commands) {
    nowNanos = nowNanos == Long.MIN_VALUE || now - nowNanos > 0 ? now : nowNanos;
    outbox = commands;
  }

  /** The step is over. */
  public void end() {
    outbox = NOWHERE;
  }

  /** Appends a command. */
  public void emit(Command command) {
    outbox.add(command);
  }

  /** Counts one. */
  public void count(KernelCounter counter) {
    counters.add(counter, 1);
  }

  /** Counts. */
  public void count(KernelCounter counter, long n) {
    counters.add(counter, n);
  }

  /** The counters. */
  public Counters counters() {
    return counters;
  }

  /** Limits and times. */
  public KernelSettings settings() {
    return settings;
  }

  /** The injected chance. */
  public RandomGenerator random() {
    return random;
  }

  /** Monotonic time of this step. */
  public long nowNanos() {
    return nowNanos;
  }

  /** Whether nothing new is taken. */
  public boolean draining() {
    return draining;
  }

  /** From now on nothing new is taken. */
  public void drain() {
    draining = true;
  }
}
