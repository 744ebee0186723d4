package io.orbitkv.workload.sim.run;

import io.orbitkv.workload.sim.rule.RecordedAction;
import java.util.Locale;

/**
 * Something that somebody outside the kernel does. Everything random in it comes from its own seed,
 * so that it stays the same when others are left out.
 *
 * @param index its place in the seed's run
 * @param atNanos when, on the virtual clock
 * @param kind what
 * @param seed of its choices
 */
record Action(int index, long atNanos, ActionKind kind, long seed) {
  /**
   * From a trace.
   *
   * @throws IllegalArgumentException when no action has that name
   */
  static Action of(RecordedAction recorded) {
    for (ActionKind kind : ActionKind.values()) {
      if (key(kind).equals(recorded.kind())) {
        return new Action(recorded.index(), recorded.atNanos(), kind, recorded.choices());
      }
    }
    throw new IllegalArgumentException("no action is named [" + recorded.kind() + "]");
  }

  /** For a trace. */
  RecordedAction recorded() {
    return new RecordedAction(index, atNanos, key(kind), seed);
  }

  private static String key(ActionKind kind) {
    return kind.name().toLowerCase(Locale.ROOT).replace('_', '-');
  }
}
