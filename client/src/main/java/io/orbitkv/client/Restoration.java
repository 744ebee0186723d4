package io.orbitkv.client;

import io.orbitkv.api.query.AnswerState;
import io.orbitkv.wire.ClientMessage;
import java.time.Duration;

/**
 * A restore. The destination pages belong to it from the call on until a terminal answer: {@link
 * AnswerState#RESTORED} (every byte is there), {@link AnswerState#MISS}, {@link AnswerState#BUSY}
 * or {@link AnswerState#REFUSED} (nothing was written), {@link AnswerState#FAILED} (their content
 * is undefined). Neither a timeout nor the end of the connection gives them back: after a {@link
 * ConnectionClosedException} they stay in use until {@link OrbitKvClient#managerProvenDead()}.
 * {@link #awaitDestinationsFree} waits for either.
 */
public final class Restoration extends Operation {
  private final int pages;
  private final boolean staged;

  /**
   * @param pages that have a destination
   * @param staged whether it was asked for layer by layer
   */
  Restoration(Connection connection, long id, int record, int pages, boolean staged) {
    super(connection, id, record, NO_REVISION);
    this.pages = pages;
    this.staged = staged;
  }

  /**
   * The slot whose events are recorded behind the layers: the place of their list in {@link
   * Worker#stageEvents()}. Of a staged restore whose state is {@link AnswerState#SUBMITTED}.
   *
   * @throws IllegalStateException in any other state
   */
  public int stageSlot() {
    Answer known = answer();
    if (known.state() != AnswerState.SUBMITTED) {
      throw new IllegalStateException(this + ": is " + known.state() + ", not submitted");
    }
    return (int) known.detail();
  }

  /**
   * Tells that every wait for the events of this staged restore is enqueued, or that none will be:
   * once it has ended as well, its slot serves another one. To be called after each SUBMITTED that
   * was seen; a restore that was never submitted as a whole needs no call.
   *
   * @throws ConnectionClosedException when the connection has ended
   */
  public void waited() {
    connection.send(new ClientMessage.StageWaited(id()));
  }

  /**
   * Waits until nothing writes to the destination pages any more, without a limit.
   *
   * @param patience until a warning is logged and counted; then once a minute
   * @return the answer, which says what the pages hold
   * @throws ConnectionClosedException when the connection ended without a valid answer and the
   *     Manager is proven dead; the content of the pages is undefined then
   * @throws InterruptedException the pages are still the restore's
   * @throws IllegalStateException when another thread waits already
   */
  public Answer awaitDestinationsFree(Duration patience) throws InterruptedException {
    return new Fence(this, patience).await();
  }

  @Override
  boolean isPossible(AnswerState state, int hits, long detail) {
    return switch (state) {
      case RESTORED -> hits == pages;
      case MISS, BUSY, FAILED, CANCELLED, REFUSED -> true;
      // Between the two, of a staged one.
      case SUBMITTED -> staged && hits == pages;
      case LOADING, READY, PUBLISHED, PREPARED, WARMED -> false;
    };
  }
}
