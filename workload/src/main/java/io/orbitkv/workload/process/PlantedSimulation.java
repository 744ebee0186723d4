package io.orbitkv.workload.process;

import io.orbitkv.workload.planted.PlantedBug;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * A simulator in a child process whose kernel or SSD store has a bug planted into it.
 *
 * @param violation what it found first; null when nothing
 */
public record PlantedSimulation(@Nullable Violation violation) {
  private static final String KERNEL = "io.orbitkv.kernel";

  /**
   * An invariant that did not hold.
   *
   * @param invariant its name
   * @param seed of the run
   * @param step of the run; of the store's simulator, the crashes before it
   * @param what does not hold, and for what
   */
  public record Violation(String invariant, long seed, long step, String what) {}

  /**
   * Runs this program's simulator of the kernel to its end. When this process ends earlier, so does
   * the child.
   *
   * @param arguments of the program, which must print the simulator's JSON report
   * @throws IOException when it did not work; the message is for the user
   */
  public static PlantedSimulation ofKernel(PlantedBug bug, List<String> arguments)
      throws IOException, InterruptedException {
    List<String> command = new ArrayList<>();
    command.add(ManagerProcess.java());
    command.addAll(
        List.of("-XX:+UseSerialGC", "--patch-module", KERNEL + "=" + bug.archive().toString()));
    command.addAll(ManagerProcess.program());
    command.addAll(arguments);
    command.addAll(ManagerProcess.parentOption());
    return read(bug, SimulatorProcess.run(name(bug), command).output());
  }

  /**
   * Runs the crash tests of the SSD store to their end, likewise.
   *
   * @param home of the installation that has the plugin
   * @param arguments of the crash tests, which must print the JSON report
   * @throws IOException when it did not work; the message is for the user
   */
  public static PlantedSimulation ofStore(Path home, PlantedBug bug, List<String> arguments)
      throws IOException, InterruptedException {
    try (StoreSimulator simulator = StoreSimulator.ofInstallation(home)) {
      return read(bug, simulator.run(name(bug), bug.archive(), arguments).output());
    }
  }

  private static String name(PlantedBug bug) {
    return "the simulator with the planted bug [" + bug.name() + "]";
  }

  private static PlantedSimulation read(PlantedBug bug, String report) throws IOException {
    try {
      JsonNode first = JsonMapper.shared().readTree(report).path("violation");
      return new PlantedSimulation(
          first.isMissingNode()
              ? null
              : new Violation(
                  first.required("invariant").stringValue(),
                  first.required("seed").longValue(),
                  first.required("step").longValue(),
                  first.required("what").stringValue()));
    } catch (JacksonException unreadable) {
      throw new IOException(name(bug) + " printed no report", unreadable);
    }
  }
}
