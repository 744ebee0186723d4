package io.orbitkv.cli;

import java.io.PrintWriter;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** What every command has. */
abstract class BaseCommand {
  @Spec private CommandSpec spec = CommandSpec.create();

  @Option(
      names = {"-h", "--help"},
      usageHelp = true,
      order = 100,
      description = "Show this help.")
  boolean help;

  /** Results go here. */
  final PrintWriter out() {
    return spec.commandLine().getOut();
  }

  /** Everything else goes here. */
  final PrintWriter err() {
    return spec.commandLine().getErr();
  }

  /** Whether an option was written on the command line, whatever its default is. */
  final boolean given(String option) {
    return spec.commandLine().getParseResult().hasMatchedOption(option);
  }

  /** Wrong usage of this command. */
  final ParameterException misused(String problem) {
    return new ParameterException(spec.commandLine(), problem);
  }
}
