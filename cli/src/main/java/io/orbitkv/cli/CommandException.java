package io.orbitkv.cli;

import org.jspecify.annotations.Nullable;

/** A command cannot go on. The message is for the user. */
final class CommandException extends RuntimeException {
  private static final long serialVersionUID = 1;

  private final int exitStatus;

  private CommandException(String message, int exitStatus, @Nullable Throwable cause) {
    super(message, cause);
    this.exitStatus = exitStatus;
  }

  /** It was called or configured wrongly. */
  static CommandException usage(String message) {
    return new CommandException(message, Errors.USAGE, null);
  }

  /** The values of its options do not fit. */
  static CommandException usage(IllegalArgumentException problem) {
    return new CommandException(String.valueOf(problem.getMessage()), Errors.USAGE, problem);
  }

  /** It failed. */
  static CommandException failure(String message, @Nullable Throwable cause) {
    return new CommandException(message, Errors.FAILURE, cause);
  }

  int exitStatus() {
    return exitStatus;
  }
}
