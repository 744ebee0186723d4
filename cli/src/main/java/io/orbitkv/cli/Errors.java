package io.orbitkv.cli;

import io.orbitkv.client.OrbitKvException;
import io.orbitkv.manager.environment.ManagerException;
import io.orbitkv.manager.settings.ConfigException;
import io.orbitkv.workload.process.ManagerStartException;
import io.orbitkv.workload.trace.TraceException;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.util.List;
import picocli.CommandLine;
import picocli.CommandLine.IExecutionExceptionHandler;
import picocli.CommandLine.IParameterExceptionHandler;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;
import picocli.CommandLine.UnmatchedArgumentException;

/**
 * Turns what went wrong into one line a problem and an exit status. Stack traces are for those who
 * ask for them.
 */
final class Errors implements IParameterExceptionHandler, IExecutionExceptionHandler {
  /** It did not go well. */
  static final int FAILURE = 1;

  /** Wrong usage or configuration. */
  static final int USAGE = 2;

  private final boolean stackTraces;

  Errors(boolean stackTraces) {
    this.stackTraces = stackTraces;
  }

  @Override
  public int handleParseException(ParameterException problem, String[] arguments) {
    CommandLine command = problem.getCommandLine();
    String hint = "; see '" + Main.called(command) + " --help'";
    print(command.getErr(), usageMessage(problem) + hint, problem);
    return USAGE;
  }

  @Override
  public int handleExecutionException(Exception problem, CommandLine command, ParseResult parsed) {
    if (problem instanceof ParameterException usage) {
      return handleParseException(usage, new String[0]);
    }
    if (problem instanceof InterruptedException) {
      Thread.currentThread().interrupt();
    }
    print(command.getErr(), message(problem), problem);
    return status(problem);
  }

  private static String usageMessage(ParameterException problem) {
    if (problem instanceof UnmatchedArgumentException unmatched) {
      String argument = unmatched.getUnmatched().getFirst();
      boolean commands = !unmatched.getCommandLine().getSubcommands().isEmpty();
      String what = unmatched.isUnknownOption() ? "option" : commands ? "command" : "argument";
      List<String> close = unmatched.getSuggestions();
      return "unknown "
          + what
          + " ["
          + argument
          + "]"
          + (close.isEmpty() ? "" : ": did you mean " + String.join(" or ", close) + "?");
    }
    String message = String.valueOf(problem.getMessage()).lines().findFirst().orElse("wrong usage");
    return Character.toLowerCase(message.charAt(0)) + message.substring(1);
  }

  private static String message(Exception problem) {
    String message = String.valueOf(problem.getMessage());
    return switch (problem) {
      case CommandException own -> message;
      case ConfigException own -> message;
      case ManagerException own -> message;
      case ManagerStartException own -> message;
      case TraceException own -> message;
      case OrbitKvException own -> message;
      case InterruptedException stopped -> "interrupted";
      case FileSystemException file -> "[" + file.getFile() + "] cannot be used: " + reason(file);
      case UncheckedIOException wrapped -> message;
      case IOException failure -> message;
      default -> internal(problem);
    };
  }

  /** Something that no user can mend. */
  int internal(PrintWriter err, Error broken) {
    print(err, internal(broken), broken);
    return FAILURE;
  }

  private static String internal(Throwable problem) {
    return "internal error: "
        + problem
        + "; run again with ORBITKV_DEBUG=1 for the place, and report it";
  }

  /** Why a file cannot be used, in words. */
  static String reason(FileSystemException file) {
    String reason = file.getReason();
    if (reason != null) {
      return reason;
    }
    return switch (file) {
      case NoSuchFileException missing -> "no such file or folder";
      case AccessDeniedException denied -> "permission denied";
      case FileAlreadyExistsException there -> "it is there already";
      default -> file.getClass().getSimpleName();
    };
  }

  private static int status(Exception problem) {
    return switch (problem) {
      case CommandException own -> own.exitStatus();
      case ConfigException own -> USAGE;
      case ManagerException own -> own.exitStatus();
      case ManagerStartException own -> own.exitStatus();
      case TraceException own -> USAGE;
      default -> FAILURE;
    };
  }

  private void print(PrintWriter err, String message, Throwable problem) {
    message
        .lines()
        .filter(line -> !line.isBlank())
        .forEach(line -> err.println(Main.program() + ": " + line));
    if (stackTraces) {
      problem.printStackTrace(err);
    }
    err.flush();
  }
}
