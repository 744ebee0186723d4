package io.orbitkv.cli;

import java.io.OutputStreamWriter;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.util.Arrays;
import java.util.Optional;
import picocli.CommandLine;

/** Entry point of {@code orbitkv} and, with another name, of {@code orbitkv-cache-manager}. */
public final class Main {
  /** System property with the name under which the program was started. */
  static final String PROGRAM_PROPERTY = "orbitkv.program";

  private static final String NAME = "orbitkv";
  private static final int HELP_WIDTH = 100;

  private Main() {}

  /**
   * Runs a command and ends the process with its exit status.
   *
   * @param arguments a command and its options
   */
  public static void main(String[] arguments) {
    PrintWriter out = writer(System.out);
    PrintWriter err = writer(System.err);
    int status = run(out, err, arguments);
    out.flush();
    err.flush();
    if (!Interruption.isUnderWay()) {
      System.exit(status);
    }
    // Otherwise the process is ending already, with the status of the signal, and waits for this
    // thread only.
  }

  /**
   * Runs a command.
   *
   * @return 0 when all went well, 1 when it did not, 2 when it was called or configured wrongly
   */
  static int run(PrintWriter out, PrintWriter err, String... arguments) {
    Errors errors = new Errors(System.getenv("ORBITKV_DEBUG") != null);
    try {
      return commandLine(out, err, errors).execute(arguments);
    } catch (Error broken) {
      return errors.internal(err, broken);
    }
  }

  static CommandLine commandLine(PrintWriter out, PrintWriter err, Errors errors) {
    CommandLine root = new CommandLine(new RootCommand());
    inDeclaredOrder(root);
    Optional.ofNullable(root.getSubcommands().get("serve")).ifPresent(Main::nameServe);
    return root.setOut(out)
        .setErr(err)
        .setUsageHelpWidth(HELP_WIDTH)
        .setCaseInsensitiveEnumValuesAllowed(true)
        .setParameterExceptionHandler(errors)
        .setExecutionExceptionHandler(errors);
  }

  /**
   * Help lists options by their order, which begins with what is asked for most, not by the
   * alphabet.
   */
  private static void inDeclaredOrder(CommandLine command) {
    command.getCommandSpec().usageMessage().sortOptions(false).sortSynopsis(false);
    command.getSubcommands().values().forEach(Main::inDeclaredOrder);
  }

  /** Under another name the program is one command, and says that name of itself. */
  private static void nameServe(CommandLine serve) {
    if (program().equals(NAME)) {
      return;
    }
    String own = serve.getCommandSpec().qualifiedName();
    var usage = serve.getCommandSpec().usageMessage();
    usage.customSynopsis(program() + " [OPTIONS]");
    usage.footer(
        Arrays.stream(usage.footer())
            .map(line -> line.replace(own, program()))
            .toArray(String[]::new));
  }

  /** What a user types for a command. */
  static String called(CommandLine command) {
    return program().equals(NAME) ? command.getCommandSpec().qualifiedName() : program();
  }

  private static PrintWriter writer(PrintStream stream) {
    return new PrintWriter(new OutputStreamWriter(stream, stream.charset()), true);
  }

  /** The name under which the program was started. */
  static String program() {
    return System.getProperty(PROGRAM_PROPERTY, NAME);
  }
}
