package io.orbitkv.workload.process;

/**
 * The Manager of a command's own did not start. The message is one line, or the Manager's own last
 * lines.
 */
public final class ManagerStartException extends Exception {
  private static final long serialVersionUID = 1;

  private final int exitStatus;

  ManagerStartException(String message, int exitStatus) {
    super(message);
    this.exitStatus = exitStatus;
  }

  /**
   * What the command should end with: 2 when the Manager refused its configuration, otherwise 1.
   */
  public int exitStatus() {
    return exitStatus;
  }
}
