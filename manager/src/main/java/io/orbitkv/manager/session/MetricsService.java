package io.orbitkv.manager.session;

/** Answers the question for the Manager's metrics. */
@FunctionalInterface
public interface MetricsService {
  /**
   * Thread of a session. Asks the dispatcher and waits for its answer.
   *
   * @param json as one JSON object; otherwise as Prometheus text
   * @throws IllegalStateException when the Manager has ended, or did not answer in time
   */
  String export(boolean json);
}
