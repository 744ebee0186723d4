package io.orbitkv.client;

import io.orbitkv.api.query.AnswerState;

/**
 * A restore. The destination pages belong to it from the call on until a terminal answer: {@link
 * AnswerState#RESTORED} (every byte is there), {@link AnswerState#MISS}, {@link AnswerState#BUSY}
 * or {@link AnswerState#REFUSED} (nothing was written), {@link AnswerState#FAILED} (their content
 * is undefined). Neither a timeout nor the end of the connection gives them back: after a {@link
 * ConnectionClosedException} they stay in use until {@link OrbitKvClient#managerProvenDead()}.
 */
public final class Restoration extends Operation {
  Restoration(Connection connection, long id, int record) {
    super(connection, id, record, NO_REVISION);
  }
}
