package io.orbitkv.client;

import io.orbitkv.api.lease.LeaseId;
import io.orbitkv.api.query.AnswerState;
import io.orbitkv.api.query.ErrorCode;

/**
 * What is known of an operation.
 *
 * @param state {@link AnswerState#LOADING} until the end is known, or {@link AnswerState#PREPARED}
 * @param hits pages found, restored or stored
 * @param detail see {@link io.orbitkv.wire.ServerMessage.Answer}
 * @param lease with {@link AnswerState#READY}, otherwise {@link LeaseId#NONE}
 * @param error with {@link AnswerState#REFUSED}, otherwise {@link ErrorCode#NONE}
 * @param message for people; empty when the answer came by the status board, which has no room for
 *     it
 */
public record Answer(
    AnswerState state, int hits, long detail, LeaseId lease, ErrorCode error, String message) {
  static final Answer LOADING = of(AnswerState.LOADING);
  static final Answer CANCELLED = of(AnswerState.CANCELLED);

  static Answer of(AnswerState state) {
    return new Answer(state, 0, 0, LeaseId.NONE, ErrorCode.NONE, "");
  }

  /**
   * This answer, unless it is a refusal.
   *
   * @throws OrbitKvException with {@link AnswerState#REFUSED}
   */
  public Answer orThrow() {
    if (state == AnswerState.REFUSED) {
      throw new OrbitKvException(
          error, message.isEmpty() ? "the operation was refused: [" + error + "]" : message);
    }
    return this;
  }
}
