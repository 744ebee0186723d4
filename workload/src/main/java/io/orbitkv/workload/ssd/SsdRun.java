package io.orbitkv.workload.ssd;

import io.orbitkv.api.backing.BackingStatus;
import java.util.EnumMap;
import java.util.Map;

/**
 * One subject in one round.
 *
 * @param phases what each phase gave; complete
 * @param failures operations that did not end well, the comparison of pages included
 * @param verifiedPages pages that were compared byte by byte
 * @param wrongBytes in them
 */
record SsdRun(
    Map<Phase, LoadResult> phases,
    Map<BackingStatus, Long> failures,
    long verifiedPages,
    long wrongBytes) {
  SsdRun {
    phases = Map.copyOf(phases);
    failures = Map.copyOf(failures);
  }

  LoadResult of(Phase phase) {
    LoadResult result = phases.get(phase);
    if (result == null) {
      throw new IllegalArgumentException("phase [" + phase + "] was not run");
    }
    return result;
  }

  /** Collects the phases of a run. One thread. */
  static final class Builder {
    private final Map<Phase, LoadResult> phases = new EnumMap<>(Phase.class);
    private final Map<BackingStatus, Long> failures = new EnumMap<>(BackingStatus.class);
    private long verifiedPages;
    private long wrongBytes;

    /** What a phase gave. */
    LoadResult add(Phase phase, LoadResult result) {
      phases.put(phase, result);
      addUncounted(result);
      return result;
    }

    /** What was done beside the phases: its failures count all the same. */
    void addUncounted(LoadResult result) {
      result.failures().forEach((status, count) -> failures.merge(status, count, Long::sum));
      verifiedPages += result.verifiedPages();
      wrongBytes += result.wrongBytes();
    }

    SsdRun build() {
      return new SsdRun(phases, failures, verifiedPages, wrongBytes);
    }
  }
}
