package io.orbitkv.manager.session;

/** Answers the question for the Manager's status. */
@FunctionalInterface
public interface StatusService {
  /**
   * Thread of a session. Asks the dispatcher and waits for its answer.
   *
   * @return the status as JSON
   * @throws IllegalStateException when the Manager has ended
   */
  String json();
}
