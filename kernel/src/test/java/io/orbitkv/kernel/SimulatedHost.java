package io.orbitkv.kernel;

import io.orbitkv.api.copy.CopyPlan;
import java.util.HashMap;
import java.util.Map;

/**
 * What the bytes of host runs are, as one tag a run, and which plans touch them. A run may have one
 * writer and nobody else, or any number of readers; it is never freed while touched; its tag never
 * changes from its one write until it is freed.
 */
final class SimulatedHost {
  private final Map<Long, Long> tags = new HashMap<>();
  private final Map<Long, Integer> readers = new HashMap<>();
  private final Map<Long, CopyPlan> writers = new HashMap<>();

  void begin(CopyPlan plan) {
    for (int i = 0; i < plan.pages(); i++) {
      long run = plan.hostAddress(i);
      check(!writers.containsKey(run), "a run that is written is touched by another plan", run);
      switch (plan.direction()) {
        case DEVICE_TO_HOST -> {
          check(!readers.containsKey(run), "a run that is read is written", run);
          check(!tags.containsKey(run), "a run is written again before it was freed", run);
          writers.put(run, plan);
        }
        case HOST_TO_DEVICE -> {
          check(tags.containsKey(run), "a run without bytes is read", run);
          readers.merge(run, 1, Integer::sum);
        }
      }
    }
  }

  /** The plan ended and the hardware is done. */
  void end(CopyPlan plan, long[] written) {
    for (int i = 0; i < plan.pages(); i++) {
      long run = plan.hostAddress(i);
      switch (plan.direction()) {
        case DEVICE_TO_HOST -> {
          check(writers.remove(run) == plan, "a run changed hands under its writer", run);
          tags.put(run, written[i]);
        }
        case HOST_TO_DEVICE -> readers.computeIfPresent(run, (r, n) -> n == 1 ? null : n - 1);
      }
    }
  }

  /** The bytes of a run. */
  long tag(long run) {
    Long tag = tags.get(run);
    if (tag == null) {
      throw new AssertionError("run [" + run + "] has no bytes");
    }
    return tag;
  }

  void freed(long run) {
    check(
        !writers.containsKey(run) && !readers.containsKey(run), "a run is freed under a plan", run);
    tags.remove(run);
  }

  private static void check(boolean holds, String what, long run) {
    if (!holds) {
      throw new AssertionError(what + ": run [" + run + "]");
    }
  }
}
