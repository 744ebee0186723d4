package io.orbitkv.wire;

import io.orbitkv.api.lease.LeaseId;
import io.orbitkv.api.query.AnswerState;
import io.orbitkv.api.query.ErrorCode;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What the Manager says. Frame kinds 64–127. {@code operation} is that of the client's message. */
public sealed interface ServerMessage {
  /** Id of the operation or control request that this belongs to. */
  long operation();

  /**
   * Answer to Hello.
   *
   * @param protocolVersion the version both sides speak from now on
   * @param features the bits that both sides have
   * @param epoch of this Manager; carried by every later frame
   * @param session number of the connection, for logs
   * @param maxFrameBytes largest frame that the Manager accepts
   * @param maxQueryPages most pages in one query, restore or publish
   * @param manager version of the Manager
   * @param board where the status board is, or null without {@link Features#BOARD}
   */
  record Welcome(
      long operation,
      int protocolVersion,
      long features,
      long epoch,
      long session,
      int maxFrameBytes,
      int maxQueryPages,
      String manager,
      @Nullable BoardLocation board)
      implements ServerMessage {}

  /**
   * Where a client finds its status board: a sealed memfd, opened read-only through the Manager's
   * descriptor.
   *
   * @param pid the Manager's process
   * @param descriptor the Manager's file descriptor
   * @param records number of records
   */
  record BoardLocation(long pid, int descriptor, int records) {}

  /**
   * Answer to Register.
   *
   * @param stageEvents for each slot of staged restores the handles of its events, by layer, as 128
   *     hexadecimal digits each; empty without {@link Features#STAGED} and where the copier has
   *     none
   */
  record Registered(
      long operation, int instance, long generation, boolean sealed, List<List<String>> stageEvents)
      implements ServerMessage {
    /** Copies the list. */
    public Registered {
      stageEvents = List.copyOf(stageEvents);
    }

    /** Without staged restores. */
    public Registered(long operation, int instance, long generation, boolean sealed) {
      this(operation, instance, generation, sealed, List.of());
    }
  }

  /** Answer to Attach. */
  record Attached(
      long operation,
      int instance,
      long generation,
      int worldSize,
      int pageTokens,
      long[] pageBytes)
      implements ServerMessage {}

  /** State of an operation, for answers over the socket and for Ask. See the kernel's Answer. */
  record Answer(
      long operation,
      int revision,
      AnswerState state,
      int hits,
      long detail,
      LeaseId lease,
      ErrorCode error,
      String message)
      implements ServerMessage {}

  /**
   * Where the pages of a discovery are, and the end of it. No lease, no promise.
   *
   * @param groups the groups that were asked for
   * @param pagesOfGroup how many positions each group has in {@code positions}
   * @param positions places in the group's part of the question, ascending; one group after another
   */
  record Candidates(long operation, int revision, int[] groups, int[] pagesOfGroup, int[] positions)
      implements ServerMessage {}

  /** A control request is done. */
  record Done(long operation, long value) implements ServerMessage {}

  /**
   * A request is refused; nothing changed. {@code operation} 0: the connection is about to be
   * closed.
   */
  record Refused(long operation, ErrorCode error, String message) implements ServerMessage {}

  /** The Manager's status. */
  record StatusReport(long operation, String json) implements ServerMessage {}

  /** The Manager's metrics, in the format that was asked for. */
  record MetricsReport(long operation, String text) implements ServerMessage {}

  /**
   * Answer to Policy.
   *
   * @param json one object
   */
  record PolicyReport(long operation, String json) implements ServerMessage {}

  /** Answer to Echo. */
  record Echo(long operation, byte[] payload) implements ServerMessage {}
}
