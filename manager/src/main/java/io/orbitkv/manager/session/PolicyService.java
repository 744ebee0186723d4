package io.orbitkv.manager.session;

/** Answers questions about policies, and changes them. */
@FunctionalInterface
public interface PolicyService {
  /**
   * Thread of a session. Asks the dispatcher and waits for its answer, never for a policy that is
   * stuck.
   *
   * @param json the request, as {@link io.orbitkv.wire.ClientMessage.Policy} tells
   * @return one JSON object
   * @throws IllegalArgumentException when the request makes no sense, saying why
   * @throws IllegalStateException when it could not be done, saying why
   */
  String handle(String json);
}
