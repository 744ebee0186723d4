package io.orbitkv.manager.dispatch;

/** What happens when the dispatcher cannot go on: the process ends with an exit code of its own. */
@FunctionalInterface
public interface FatalHandler {
  /** Exit code of a broken invariant or an uncaught Throwable on the dispatcher. */
  int EXIT_STATUS = 70;

  /** Dispatcher. Logs, flushes and ends the process; returns in tests only. */
  void fatal(Throwable cause);
}
