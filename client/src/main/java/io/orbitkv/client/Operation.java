package io.orbitkv.client;

import io.orbitkv.api.lease.LeaseId;
import io.orbitkv.api.query.AnswerState;
import io.orbitkv.api.query.ErrorCode;
import io.orbitkv.wire.BoardSnapshot;
import io.orbitkv.wire.ClientMessage;
import io.orbitkv.wire.ServerMessage;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * One operation of a client. Any thread may look at it; at most one waits on it at a time.
 *
 * <p>Each operation must be seen to its end by {@link #poll} or {@link #await}, or be cancelled
 * where that is possible: until then it holds a record of the status board.
 */
public abstract sealed class Operation implements Pending
    permits QueryHandle, Discovery, Restoration, Publication {
  /** Copies have none: their frames and answers carry 0. */
  static final int NO_REVISION = 0;

  final Connection connection;
  final int record;
  private final long id;
  private final BoardSnapshot snapshot;
  private final long repairNanos;
  private final int firstRevision;
  private volatile Answer answer = Answer.LOADING;

  /** An offer that cannot be used and has to go back. */
  private volatile @Nullable LeaseId rejected;

  private volatile @Nullable Thread waiter;

  // Guarded by this.
  private @Nullable String endReason;
  private int revision;
  private boolean recordHeld;
  private boolean boardSeen;
  private long silentSince;
  private boolean asked;
  private boolean doubtful;

  Operation(Connection connection, long id, int record, int firstRevision) {
    this.connection = connection;
    this.id = id;
    this.record = record;
    this.firstRevision = firstRevision;
    this.revision = firstRevision;
    this.recordHeld = record != BoardRecords.NONE;
    this.snapshot = connection.snapshot();
    this.repairNanos = connection.options().repairDelay().toNanos();
    this.silentSince = connection.now();
  }

  // ---- for callers ---------------------------------------------------------------------------

  /** Id of the operation in its session. */
  public final long id() {
    return id;
  }

  /** What is known without looking again. */
  public final Answer answer() {
    return answer;
  }

  /** Whether the end is known, without looking again. */
  public final boolean done() {
    return answer.state().terminal();
  }

  /**
   * Looks for an answer: a read of the status board, well below a microsecond. When the board has
   * been silent for longer than the repair delay, a small question is sent over the socket, whose
   * answer a later call sees.
   *
   * @return {@link AnswerState#LOADING} until the end is known; a preparation says {@link
   *     AnswerState#PREPARED} in between
   * @throws ConnectionClosedException when the connection ended without an answer
   */
  public final AnswerState poll() {
    Answer known = answer;
    if (known.state().terminal()) {
      giveRejectedBack();
      return known.state();
    }
    ClientMessage.Ask question;
    synchronized (this) {
      readBoard();
      known = answer;
      if (!known.state().terminal() && endReason != null) {
        throw new ConnectionClosedException(endReason);
      }
      question = known.state().terminal() ? null : question();
    }
    if (known.state().terminal()) {
      giveRejectedBack();
      return known.state();
    }
    if (question != null) {
      connection.ask(question);
    }
    return known.state();
  }

  /**
   * Waits for the end. A timeout changes nothing: the answer is {@link AnswerState#LOADING} then,
   * the operation goes on, and whatever it holds stays held.
   *
   * @throws ConnectionClosedException when the connection ended without an answer
   * @throws IllegalStateException when another thread waits already
   */
  public final Answer await(Duration timeout) throws InterruptedException {
    return await(timeout, AnswerState.LOADING);
  }

  /** The same, or until a state that comes before the end; LOADING for the end alone. */
  final Answer await(Duration timeout, AnswerState enough) throws InterruptedException {
    long start = connection.now();
    long limit = saturatedNanos(timeout);
    enterWait();
    try {
      // Without a board record the reader thread wakes the waiter.
      boolean woken = record == BoardRecords.NONE;
      for (int round = 0; ; round++) {
        AnswerState state = poll();
        if (state.terminal() || (state == enough && enough != AnswerState.LOADING)) {
          return answer;
        }
        if (Thread.interrupted()) {
          throw new InterruptedException();
        }
        long left = limit - (connection.now() - start);
        if (left <= 0) {
          return answer;
        }
        Patience.pass(this, round, woken, left);
      }
    } finally {
      leaveWait();
    }
  }

  /**
   * Waits for the end without a limit. It comes: as an answer, or as the end of the connection.
   *
   * @throws ConnectionClosedException when the connection ended without an answer
   */
  public final Answer awaitTerminal() throws InterruptedException {
    return await(Duration.ofNanos(Long.MAX_VALUE));
  }

  @Override
  public final String toString() {
    return getClass().getSimpleName() + "[" + id + ", " + answer.state() + "]";
  }

  // ---- for the kinds -------------------------------------------------------------------------

  /** The submitted revision. */
  final synchronized int currentRevision() {
    return revision;
  }

  /** Whether a terminal answer can be one to this operation; if not, the Manager talks nonsense. */
  abstract boolean isPossible(AnswerState state, int hits, long detail);

  /** Whether a terminal answer leaves the record in use: an offer, until it is acknowledged. */
  boolean keepsRecord(Answer terminal) {
    return false;
  }

  /** Whether a refusal may mean another message than the one that started the operation. */
  boolean refusalIsDoubtful() {
    return false;
  }

  /** Whether an answer on the board still counts when the connection has ended. */
  boolean boardOutlivesConnection() {
    return true;
  }

  /** What a state is shown as before the end is known. The caller holds the lock. */
  AnswerState shown(AnswerState pending, long detail) {
    return AnswerState.LOADING;
  }

  /** Whether an answer is what was asked for; an offer that is not goes back and is a miss. */
  boolean isUsable(Answer terminal) {
    return true;
  }

  /** Called with this operation locked when the end is known. */
  void onEnd(Answer terminal) {}

  /** Back to LOADING: what was prepared is wanted now. The caller holds the lock. */
  final void showLoading() {
    answer = Answer.LOADING;
    restartSilence();
  }

  /** Back to LOADING under the next revision. The caller holds the lock. */
  final void nextRevision() {
    revision++;
    answer = Answer.LOADING;
    boardSeen = false;
    restartSilence();
  }

  /**
   * Ends the operation by the client's own will; false when it had ended. The caller holds the
   * lock.
   */
  final boolean endLocally(Answer terminal) {
    if (answer.state().terminal() || endReason != null) {
      return false;
    }
    end(terminal);
    return true;
  }

  /** The record is free from the Manager's point of view. Idempotent. */
  final synchronized void giveRecordBack() {
    if (recordHeld) {
      recordHeld = false;
      connection.records().give(record);
    }
  }

  // ---- for the reader thread -----------------------------------------------------------------

  /** False when it is no answer that this operation can have. */
  final synchronized boolean answered(ServerMessage.Answer message) {
    if (answer.state().terminal() || message.revision() != revision) {
      connection.counters().lateReplies.increment();
      return true;
    }
    doubtful = false;
    asked = false;
    if (message.state().terminal()) {
      if (!isPossible(message.state(), message.hits(), message.detail())) {
        return false;
      }
      connection.counters().socketAnswers.increment();
      end(
          new Answer(
              message.state(),
              message.hits(),
              message.detail(),
              message.lease(),
              message.error(),
              message.message()));
    } else {
      show(message.state(), message.hits(), message.detail());
    }
    return true;
  }

  /** Ends the operation with what the reader thread was told. The caller holds the lock. */
  final void endBySocket(Answer terminal) {
    connection.counters().socketAnswers.increment();
    end(terminal);
  }

  final synchronized void refused(ServerMessage.Refused message) {
    if (answer.state().terminal()) {
      connection.counters().lateReplies.increment();
      return;
    }
    if (refusalIsDoubtful() && !doubtful) {
      // Ask at once: a second refusal means that the Manager knows no such operation, anything else
      // that it does.
      doubtful = true;
      asked = false;
      silentSince = connection.now() - repairNanos;
      wake();
      return;
    }
    connection.counters().socketAnswers.increment();
    end(new Answer(AnswerState.REFUSED, 0, 0, LeaseId.NONE, message.error(), message.message()));
  }

  @Override
  public final void ended(String reason) {
    synchronized (this) {
      if (answer.state().terminal() || endReason != null) {
        return;
      }
      if (boardOutlivesConnection()) {
        // The mapping outlives the Manager, and so does what it managed to write.
        readBoard();
        if (answer.state().terminal()) {
          return;
        }
      }
      endReason = reason;
      wake();
    }
  }

  // ---- inside --------------------------------------------------------------------------------

  /** The caller holds the lock. */
  private void readBoard() {
    if (record == BoardRecords.NONE
        || answer.state().terminal()
        || endReason != null
        || !connection.readBoard(record, id, revision, snapshot)) {
      return;
    }
    if (snapshot.state().terminal()) {
      if (!isPossible(snapshot.state(), snapshot.hits(), snapshot.detail())) {
        connection.poison(
            "the Manager wrote ["
                + snapshot.state()
                + "] with ["
                + snapshot.hits()
                + "] pages as the end of "
                + this);
        return;
      }
      connection.counters().boardAnswers.increment();
      end(
          new Answer(
              snapshot.state(),
              snapshot.hits(),
              snapshot.detail(),
              snapshot.lease(),
              snapshot.error(),
              ""));
    } else {
      show(snapshot.state(), snapshot.hits(), snapshot.detail());
      if (!boardSeen) {
        boardSeen = true;
        restartSilence();
      }
    }
  }

  /** The caller holds the lock. */
  private void show(AnswerState pending, int hits, long detail) {
    AnswerState shown = shown(pending, detail);
    if (shown != answer.state()) {
      answer =
          shown == AnswerState.SUBMITTED
              ? new Answer(shown, hits, detail, LeaseId.NONE, ErrorCode.NONE, "")
              : Answer.of(shown);
      wake();
    }
  }

  /** The caller holds the lock. */
  private void end(Answer told) {
    boolean usable = isUsable(told);
    Answer terminal = usable ? told : Answer.of(AnswerState.MISS);
    if (!usable && !told.lease().isNone()) {
      // Sent by whoever looks next: the reader thread sends nothing.
      rejected = told.lease();
    }
    answer = terminal;
    connection.forget(id);
    if (rejected == null && !keepsRecord(terminal)) {
      // A refused revision leaves the former one with the record, so the record is given up for
      // good.
      if (revision == firstRevision || terminal.state() != AnswerState.REFUSED) {
        giveRecordBack();
      }
    }
    onEnd(terminal);
    wake();
  }

  private void giveRejectedBack() {
    if (rejected == null) {
      return;
    }
    LeaseId lease;
    synchronized (this) {
      lease = rejected;
      rejected = null;
    }
    if (lease != null) {
      try {
        connection.sendWithId(id -> new ClientMessage.Release(id, lease));
      } catch (ConnectionClosedException ended) {
        // So has the lease.
        return;
      }
      giveRecordBack();
    }
  }

  /** A question, when it is time for one. The caller holds the lock. */
  private ClientMessage.@Nullable Ask question() {
    if (record == BoardRecords.NONE && !doubtful) {
      // The socket loses nothing: its answer is under way.
      return null;
    }
    if (asked) {
      // So is that to the last question: a slow Manager is not asked more often than it answers.
      return null;
    }
    long now = connection.now();
    if (now - silentSince < repairNanos) {
      return null;
    }
    silentSince = now;
    asked = true;
    return new ClientMessage.Ask(id, revision);
  }

  private void restartSilence() {
    silentSince = connection.now();
    asked = false;
  }

  /** Whether a thread waits; for tests. */
  final boolean awaited() {
    return waiter != null;
  }

  private synchronized void enterWait() {
    if (waiter != null) {
      throw new IllegalStateException(this + ": another thread waits for it already");
    }
    waiter = Thread.currentThread();
  }

  private synchronized void leaveWait() {
    waiter = null;
  }

  private void wake() {
    Thread waiting = waiter;
    if (waiting != null) {
      LockSupport.unpark(waiting);
    }
  }

  static long saturatedNanos(Duration timeout) {
    try {
      return timeout.toNanos();
    } catch (ArithmeticException longer) {
      return Long.MAX_VALUE;
    }
  }
}
