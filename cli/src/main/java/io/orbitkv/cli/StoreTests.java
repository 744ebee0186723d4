package io.orbitkv.cli;

import io.orbitkv.workload.process.StoreSimulator;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;

/** The crash tests of the SSD store: {@code orbitkv sim --store}. */
final class StoreTests {
  private StoreTests() {}

  /**
   * Runs them in a child process.
   *
   * @return 1 when an invariant was violated
   */
  static int run(List<String> arguments, PrintWriter out) throws IOException, InterruptedException {
    try (StoreSimulator simulator = StoreSimulator.ofInstallation(Planting.home())) {
      return simulator.run(arguments, out) ? 0 : Errors.FAILURE;
    } catch (IllegalArgumentException problem) {
      throw CommandException.usage(problem);
    }
  }

  /**
   * What the options mean for them.
   *
   * @param seeds first and last
   */
  static List<String> arguments(SimCommand command, long[] seeds) {
    List<String> arguments = new ArrayList<>();
    arguments.addAll(List.of("--seeds", seeds[0] + ".." + seeds[1]));
    if (command.steps() != null) {
      arguments.addAll(List.of("--steps", Long.toString(command.steps())));
    }
    if (command.threads() != null) {
      arguments.addAll(List.of("--threads", Integer.toString(command.threads())));
    }
    return arguments;
  }
}
