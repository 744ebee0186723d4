package io.orbitkv.client;

import io.orbitkv.api.query.AnswerState;
import io.orbitkv.wire.ClientMessage;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;

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
  private final AtomicBoolean waited = new AtomicBoolean();
  private volatile int stageSlot = -1;

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
   * Worker#stageEvents()}. Known from the moment on that {@link AnswerState#SUBMITTED} was seen,
   * and still after the end.
   *
   * @throws IllegalStateException when that state was not seen: the end may have come first, or the
   *     restore is not staged. Then there is nothing to wait for but the end
   */
  public int stageSlot() {
    int known = stageSlot;
    if (known < 0) {
      throw new IllegalStateException(this + ": was not seen as submitted; wait for its end");
    }
    return known;
  }

  /**
   * Waits until all copies of a staged restore are submitted, or for the end where that comes first
   * or nothing is staged. A timeout changes nothing.
   *
   * @throws ConnectionClosedException when the connection ended without an answer
   * @throws IllegalStateException when another thread waits already
   */
  public Answer awaitSubmitted(Duration timeout) throws InterruptedException {
    return await(timeout, AnswerState.SUBMITTED);
  }

  /**
   * Tells that every wait for the events of this staged restore is enqueued, or that none will be:
   * once it has ended as well, its slot serves another one. To be called once for each restore that
   * was asked for as staged, after SUBMITTED was seen or else after the end: the end may hide a
   * SUBMITTED that nobody saw in time. Without it the slot stays taken until the worker goes.
   * Further calls change nothing.
   *
   * @throws IllegalStateException when neither was seen
   * @throws ConnectionClosedException when the connection has ended
   */
  public void waited() {
    if (stageSlot < 0 && !done()) {
      throw new IllegalStateException(this + ": is neither submitted nor over");
    }
    if (staged && !waited.getAndSet(true)) {
      connection.send(new ClientMessage.StageWaited(id()));
    }
  }

  @Override
  AnswerState shown(AnswerState pending, long detail) {
    if (!staged || pending != AnswerState.SUBMITTED) {
      return AnswerState.LOADING;
    }
    stageSlot = (int) detail;
    return pending;
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
      case SUBMITTED, LOADING, READY, PUBLISHED, PREPARED, WARMED -> false;
    };
  }
}
