package io.orbitkv.workload.ab.live;

import java.util.Locale;

/** What a run finds when its timed part begins. */
public enum StartState {
  /** Nothing: tiers, histories and the policies' state are empty. */
  COLD,
  /** What an untimed beginning of the trace left, under the run's own variant. */
  WARM;

  /** How it is written. */
  public String key() {
    return name().toLowerCase(Locale.ROOT);
  }
}
