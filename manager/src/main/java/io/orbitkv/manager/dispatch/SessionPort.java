package io.orbitkv.manager.dispatch;

import io.orbitkv.kernel.Command;
import io.orbitkv.wire.ServerMessage;

/** What the dispatcher sees of a session. */
public interface SessionPort {
  /** Any thread. Number of the connection, never used twice. */
  long number();

  /** Any thread. Records of its status board; 0 without a board. */
  int boardRecords();

  /**
   * Dispatcher. Writes the state of an operation to the session's status board: a memory write.
   *
   * @param answer names a record of the board
   */
  void post(Command.Answer answer);

  /**
   * Any thread. Queues a message for the client; never blocks. A session whose queue is full is
   * closed.
   */
  void send(ServerMessage message);

  /**
   * Any thread. Closes the session, with the reason in the log and for the client; never blocks.
   */
  void close(String reason);

  /**
   * Dispatcher, last call: nothing is written to the session's board any more. The kernel knows
   * that the session ended, or the dispatcher itself ends.
   */
  void ended();
}
