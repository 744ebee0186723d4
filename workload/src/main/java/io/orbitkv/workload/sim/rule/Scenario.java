package io.orbitkv.workload.sim.rule;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a simulated run is made of.
 *
 * @param name for the command line
 * @param summary one line
 * @param backing whether there is a backing tier
 * @param speculation whether there are preparations, warming, discovery, queues and advice
 * @param groups whether queries of several groups are asked
 */
public record Scenario(
    String name, String summary, boolean backing, boolean speculation, boolean groups) {
  /** Queries, restores and publishes of dense prefixes in host memory alone. */
  public static final Scenario DENSE =
      new Scenario("dense", "dense prefixes in host memory alone", false, false, false);

  /** With a backing tier. */
  public static final Scenario STORE =
      new Scenario("store", "dense prefixes with a backing tier", true, false, false);

  /** Everything that the kernel does. */
  public static final Scenario FULL =
      new Scenario(
          "full",
          "backing tier, several groups, preparations, warming, queues and policies",
          true,
          true,
          true);

  /** All of them; the first is the default. */
  public static final List<Scenario> ALL = List.of(FULL, STORE, DENSE);

  /** The scenario of that name, or null. */
  public static @Nullable Scenario named(String name) {
    for (Scenario scenario : ALL) {
      if (scenario.name.equals(name)) {
        return scenario;
      }
    }
    return null;
  }

  /** Whether a fault can occur in it. */
  public boolean has(Fault.Part part) {
    return switch (part) {
      case DENSE -> true;
      case BACKING -> backing;
      case SPECULATION -> speculation;
    };
  }
}
