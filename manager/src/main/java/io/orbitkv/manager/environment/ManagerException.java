package io.orbitkv.manager.environment;

/**
 * The Manager cannot start or go on, for a reason that its user can act on: the message is one
 * clear line.
 */
public final class ManagerException extends Exception {
  /** Exit status of a failure at run time. */
  public static final int RUNTIME = 1;

  /** Exit status of bad usage or configuration. */
  public static final int USAGE = 2;

  private static final long serialVersionUID = 1;

  private final int exitStatus;

  private ManagerException(int exitStatus, String message, Throwable cause) {
    super(message, cause);
    this.exitStatus = exitStatus;
  }

  private ManagerException(int exitStatus, String message) {
    super(message);
    this.exitStatus = exitStatus;
  }

  /** Bad usage or configuration: exit status 2. */
  public static ManagerException usage(String message) {
    return new ManagerException(USAGE, message);
  }

  /** Bad usage or configuration: exit status 2. */
  public static ManagerException usage(String message, Throwable cause) {
    return new ManagerException(USAGE, message, cause);
  }

  /** A failure at run time: exit status 1. */
  public static ManagerException runtime(String message, Throwable cause) {
    return new ManagerException(RUNTIME, message, cause);
  }

  /** The exit status that says what kind of failure it is: 1 or 2. */
  public int exitStatus() {
    return exitStatus;
  }
}
