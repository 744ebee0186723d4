package io.orbitkv.client;

/** Something that waits for the Manager. Called by the reader thread. */
sealed interface Pending permits Operation, Request {
  /** The connection ended. Idempotent. */
  void ended(String reason);
}
