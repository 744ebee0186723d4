package io.orbitkv.kernel.operation;

/** Something that a client asked for under an id of its own and that is answered once. */
public sealed interface Operation permits QueryOperation, RestoreOperation, PublishOperation {
  /** Whose. */
  Session session();

  /** The client's id. */
  long id();

  /** The client's choice of a board record, or none. */
  int record();
}
