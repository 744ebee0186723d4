package io.orbitkv.workload.sim;

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

  /** All of them; the first is the default. */
  public static final List<Scenario> ALL = List.of(DENSE);

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
