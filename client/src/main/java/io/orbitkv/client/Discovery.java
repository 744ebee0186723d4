package io.orbitkv.client;

import io.orbitkv.api.lease.LeaseId;
import io.orbitkv.api.query.AnswerState;
import io.orbitkv.api.query.ErrorCode;
import io.orbitkv.wire.ClientMessage;
import io.orbitkv.wire.ServerMessage;
import java.util.Arrays;
import java.util.List;

/**
 * A discovery: where complete pages are at this moment. No lease, no promise. {@link
 * AnswerState#READY} says that the positions are there, however many.
 */
public final class Discovery extends Operation {
  static final int REVISION = 1;

  private final int[] groups;
  private final int[] pagesOfGroup;

  // Guarded by this.
  private int[][] positions = {};

  Discovery(Connection connection, long id, int[] groups, int[] pagesOfGroup) {
    super(connection, id, BoardRecords.NONE, REVISION);
    this.groups = groups.clone();
    this.pagesOfGroup = pagesOfGroup.clone();
  }

  /**
   * The places, in the keys that were given for the group, at which a complete page lies;
   * ascending. Group 0 ends at its first gap.
   *
   * @param index of the group in the question
   * @throws IllegalStateException when the positions are not there
   */
  public synchronized int[] positions(int index) {
    if (answer().state() != AnswerState.READY) {
      throw new IllegalStateException(this + ": has found nothing (yet)");
    }
    return positions[index].clone();
  }

  /** The groups of the question, in their order. */
  public List<Integer> groups() {
    return Arrays.stream(groups).boxed().toList();
  }

  @Override
  boolean isPossible(AnswerState state, int hits, long detail) {
    return switch (state) {
      case MISS, BUSY, CANCELLED, REFUSED -> true;
      // What was found comes as Candidates.
      case LOADING, READY, RESTORED, PUBLISHED, FAILED, PREPARED, WARMED, SUBMITTED -> false;
    };
  }

  /** Ends the interest. Idempotent. */
  public void cancel() {
    synchronized (this) {
      if (!endLocally(Answer.CANCELLED)) {
        return;
      }
    }
    try {
      connection.send(new ClientMessage.Cancel(id(), REVISION));
    } catch (ConnectionClosedException ended) {
      // So has the interest.
      return;
    }
  }

  /** The reader thread. False when this is no answer to the question. */
  synchronized boolean found(ServerMessage.Candidates candidates) {
    if (answer().state().terminal()) {
      connection.counters().lateReplies.increment();
      return true;
    }
    if (candidates.revision() != REVISION || !fits(candidates)) {
      return false;
    }
    int[][] found = new int[groups.length][];
    int at = 0;
    for (int i = 0; i < groups.length; i++) {
      int end = at + candidates.pagesOfGroup()[i];
      found[i] = Arrays.copyOfRange(candidates.positions(), at, end);
      at = end;
    }
    positions = found;
    endBySocket(
        new Answer(
            AnswerState.READY, candidates.positions().length, 0, LeaseId.NONE, ErrorCode.NONE, ""));
    return true;
  }

  private boolean fits(ServerMessage.Candidates candidates) {
    if (!Arrays.equals(candidates.groups(), groups)) {
      return false;
    }
    int at = 0;
    for (int i = 0; i < groups.length; i++) {
      at += candidates.pagesOfGroup()[i];
      // They ascend, which the codec has checked.
      if (candidates.pagesOfGroup()[i] > 0 && candidates.positions()[at - 1] >= pagesOfGroup[i]) {
        return false;
      }
    }
    return true;
  }
}
