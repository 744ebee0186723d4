package io.orbitkv.workload.process;

import io.orbitkv.workload.planted.PlantedBug;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * The simulator of this program in a child process whose kernel has a bug planted into it.
 *
 * @param violation what it found first; null when nothing
 */
public record PlantedSimulation(@Nullable Violation violation) {
  private static final String KERNEL = "io.orbitkv.kernel";
  private static final int NOTHING_FOUND = 0;
  private static final int FOUND = 1;
  private static final int SHOWN_LINES = 10;

  /**
   * An invariant that did not hold.
   *
   * @param invariant its name
   * @param seed of the run
   * @param step of the run
   * @param what does not hold, and for what
   */
  public record Violation(String invariant, long seed, long step, String what) {}

  /**
   * Runs it to its end. When this process ends earlier, so does the child.
   *
   * @param arguments of the program, which must print the simulator's JSON report
   * @throws IOException when it did not work; the message is for the user
   */
  public static PlantedSimulation run(PlantedBug bug, List<String> arguments)
      throws IOException, InterruptedException {
    List<String> command = new ArrayList<>();
    command.add(ManagerProcess.java());
    command.addAll(
        List.of("-XX:+UseSerialGC", "--patch-module", KERNEL + "=" + bug.archive().toString()));
    command.addAll(ManagerProcess.program());
    command.addAll(arguments);
    command.addAll(ManagerProcess.parentOption());
    Process process = new ProcessBuilder(command).start();
    Thread end = new Thread(process::destroyForcibly, "orbitkv-planted-end");
    Runtime.getRuntime().addShutdownHook(end);
    LastLines errors = LastLines.of(process.getErrorStream());
    try {
      process.getOutputStream().close();
      String report = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      int status = process.waitFor();
      errors.awaitEnd();
      if (status != NOTHING_FOUND && status != FOUND) {
        throw failed(bug, "ended with status " + status, errors);
      }
      return new PlantedSimulation(read(bug, report, errors));
    } finally {
      process.destroyForcibly();
      forget(end);
    }
  }

  private static void forget(Thread hook) {
    try {
      boolean _ = Runtime.getRuntime().removeShutdownHook(hook);
    } catch (IllegalStateException ending) {
      // This process is ending: the hook has run or will, and finds nothing to do.
    }
  }

  private static @Nullable Violation read(PlantedBug bug, String report, LastLines errors)
      throws IOException {
    try {
      JsonNode first = JsonMapper.shared().readTree(report).path("violation");
      return first.isMissingNode()
          ? null
          : new Violation(
              first.required("invariant").stringValue(),
              first.required("seed").longValue(),
              first.required("step").longValue(),
              first.required("what").stringValue());
    } catch (JacksonException unreadable) {
      throw failed(bug, "printed no report", errors);
    }
  }

  private static IOException failed(PlantedBug bug, String problem, LastLines errors) {
    List<String> lines = errors.lines();
    String last =
        String.join("\n", lines.subList(Math.max(0, lines.size() - SHOWN_LINES), lines.size()));
    return new IOException(
        "the simulator with the planted bug ["
            + bug.name()
            + "] "
            + problem
            + (last.isEmpty() ? " and wrote nothing" : "; it wrote last:\n" + last));
  }
}
