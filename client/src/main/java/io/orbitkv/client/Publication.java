package io.orbitkv.client;

import io.orbitkv.api.query.AnswerState;
import io.orbitkv.wire.ClientMessage;
import java.time.Duration;

/**
 * A publish. The source pages belong to it from the call on until a terminal answer: {@link
 * AnswerState#PUBLISHED} (all copies are made), {@link AnswerState#BUSY} or {@link
 * AnswerState#REFUSED} (nothing was read), {@link AnswerState#FAILED}. Neither a timeout nor the
 * end of the connection gives them back: after a {@link ConnectionClosedException} they stay in use
 * until {@link OrbitKvClient#managerProvenDead()}. {@link #awaitSourcesFree} waits for either.
 *
 * <p>The pages can be found by others only after {@link #commit}.
 */
public final class Publication extends Operation {
  private final int pages;

  // Guarded by this.
  private boolean committed;

  Publication(Connection connection, long id, int record, int pages) {
    super(connection, id, record, NO_REVISION);
    this.pages = pages;
  }

  /**
   * Waits until the source pages are free, without a limit: a Manager that is stuck keeps them.
   *
   * @param patience until a warning is logged and counted; then once a minute
   * @return the answer, whose end frees the pages
   * @throws ConnectionClosedException when the connection ended without a valid answer and the
   *     Manager is proven dead; the pages are free then as well
   * @throws InterruptedException the pages are not free
   * @throws IllegalStateException when another thread waits already
   */
  public Answer awaitSourcesFree(Duration patience) throws InterruptedException {
    return new Fence(this, patience).await();
  }

  /**
   * Tells whether the producer of the pages succeeded, once this client itself has seen its event.
   * May come before the copies are made. Does nothing when the publish was not accepted.
   *
   * @param produced false discards the pages
   * @throws IllegalStateException when it was called before
   * @throws ConnectionClosedException when the connection has ended; the pages are discarded then
   */
  public void commit(boolean produced) {
    synchronized (this) {
      if (committed) {
        throw new IllegalStateException(this + ": was committed already");
      }
      committed = true;
      AnswerState state = answer().state();
      if (state.terminal() && state != AnswerState.PUBLISHED) {
        return;
      }
    }
    connection.send(new ClientMessage.Commit(id(), produced));
  }

  /** Pages copied, once published. */
  public int storedPages() {
    return answer().hits();
  }

  /** Pages that the Manager had already, once published. */
  public int residentPages() {
    return (int) (answer().detail() >>> Integer.SIZE);
  }

  /** Pages for which there was no memory, once published. */
  public int droppedPages() {
    return (int) answer().detail();
  }

  @Override
  boolean isPossible(AnswerState state, int hits, long detail) {
    return switch (state) {
      case PUBLISHED -> hits + (detail >>> Integer.SIZE) + (int) detail == pages;
      case BUSY, FAILED, CANCELLED, REFUSED -> true;
      case LOADING, READY, MISS, RESTORED, PREPARED, WARMED, SUBMITTED -> false;
    };
  }

  @Override
  synchronized boolean refusalIsDoubtful() {
    return committed;
  }
}
