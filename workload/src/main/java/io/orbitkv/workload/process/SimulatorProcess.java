package io.orbitkv.workload.process;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;

/**
 * A simulator that ran in a child process.
 *
 * @param status {@link #HELD} or {@link #VIOLATED}
 * @param output what it printed
 */
record SimulatorProcess(int status, String output) {
  static final int HELD = 0;
  static final int VIOLATED = 1;

  private static final int WRONG_ARGUMENTS = 2;
  private static final int SHOWN_LINES = 10;

  /**
   * Runs it to its end. When this process ends earlier, so does the child.
   *
   * @param what names it in messages
   * @throws IOException when it did not work; the message is for the user
   * @throws IllegalArgumentException with its own words when it does not understand an argument
   */
  static SimulatorProcess run(String what, List<String> command)
      throws IOException, InterruptedException {
    Process process = new ProcessBuilder(command).start();
    Thread end = new Thread(process::destroyForcibly, "orbitkv-sim-end");
    Runtime.getRuntime().addShutdownHook(end);
    LastLines errors = LastLines.of(process.getErrorStream());
    try {
      process.getOutputStream().close();
      String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      int status = process.waitFor();
      errors.awaitEnd();
      if (status == WRONG_ARGUMENTS) {
        throw new IllegalArgumentException(String.join("\n", errors.lines()).strip());
      }
      if (status != HELD && status != VIOLATED) {
        throw new IOException(what + " ended with status " + status + wrote(errors.lines()));
      }
      return new SimulatorProcess(status, output);
    } finally {
      process.destroyForcibly();
      forget(end);
    }
  }

  private static String wrote(List<String> lines) {
    return lines.isEmpty()
        ? " and wrote nothing"
        : "; it wrote last:\n"
            + String.join(
                "\n", lines.subList(Math.max(0, lines.size() - SHOWN_LINES), lines.size()));
  }

  private static void forget(Thread hook) {
    try {
      boolean _ = Runtime.getRuntime().removeShutdownHook(hook);
    } catch (IllegalStateException ending) {
      // This process is ending: the hook has run or will, and finds nothing to do.
    }
  }
}
