package io.orbitkv.cli;

import java.io.PrintWriter;
import picocli.CommandLine;

/** Entry point of {@code orbitkv} and, with another name, of {@code orbitkv-cache-manager}. */
public final class Main {
  /** System property with the name under which the program was started. */
  static final String PROGRAM_PROPERTY = "orbitkv.program";

  private static final int HELP_WIDTH = 100;

  private Main() {}

  /**
   * Runs a command and ends the process with its exit status.
   *
   * @param arguments a command and its options
   */
  public static void main(String[] arguments) {
    PrintWriter out = new PrintWriter(System.out, true);
    PrintWriter err = new PrintWriter(System.err, true);
    int status = run(out, err, arguments);
    out.flush();
    err.flush();
    if (!Interruption.isUnderWay()) {
      System.exit(status);
    }
    // Otherwise the process is ending already, with the status of the signal, and waits for this thread only.
  }

  /**
   * Runs a command.
   *
   * @return 0 when all went well, 1 when it did not, 2 when it was called or configured wrongly
   */
  static int run(PrintWriter out, PrintWriter err, String... arguments) {
    return commandLine(out, err).execute(arguments);
  }

  static CommandLine commandLine(PrintWriter out, PrintWriter err) {
    Errors errors = new Errors(System.getenv("ORBITKV_DEBUG") != null);
    return new CommandLine(new RootCommand())
        .setOut(out)
        .setErr(err)
        .setUsageHelpWidth(HELP_WIDTH)
        .setCaseInsensitiveEnumValuesAllowed(true)
        .setParameterExceptionHandler(errors)
        .setExecutionExceptionHandler(errors);
  }

  /** The name under which the program was started. */
  static String program() {
    return System.getProperty(PROGRAM_PROPERTY, "orbitkv");
  }
}
