package io.orbitkv.kernel.operation;

import io.orbitkv.api.lease.LeaseId;
import io.orbitkv.api.query.AnswerState;
import io.orbitkv.api.query.ErrorCode;
import io.orbitkv.kernel.Command;
import io.orbitkv.kernel.Event;
import io.orbitkv.kernel.KernelCounter;
import io.orbitkv.kernel.step.Step;

/** Answers to clients. What is for a session that is gone is dropped. */
public final class Replies {
  private final Step step;

  /** Answers leave through the step's outbox. */
  public Replies(Step step) {
    this.step = step;
  }

  /** The state of an operation, kept for a client that misses it. */
  public Command.Answer answer(
      Session session,
      long operation,
      int revision,
      int record,
      AnswerState state,
      int hits,
      long detail,
      LeaseId lease,
      String message) {
    Command.Answer answer =
        new Command.Answer(
            session.id(),
            operation,
            revision,
            record,
            state,
            hits,
            detail,
            lease,
            ErrorCode.NONE,
            message);
    if (!session.closed()) {
      session.remember(answer);
      if (state.terminal() && lease.isNone()) {
        session.free(record, operation);
      }
      step.emit(answer);
    }
    return answer;
  }

  /** Repeats an answer over the socket. */
  public void repeat(Command.Answer answer) {
    step.emit(
        new Command.Answer(
            answer.session(),
            answer.operation(),
            answer.revision(),
            Event.NO_RECORD,
            answer.state(),
            answer.hits(),
            answer.detail(),
            answer.lease(),
            answer.error(),
            answer.message()));
  }

  /** Nothing changed. */
  public void refuse(Session session, long operation, ErrorCode error, String message) {
    step.count(KernelCounter.REFUSALS);
    if (!session.closed()) {
      step.emit(new Command.Refused(session.id(), operation, error, message));
    }
  }

  /** A control request is done. */
  public void done(Session session, long operation, long value) {
    if (!session.closed()) {
      step.emit(new Command.Done(session.id(), operation, value));
    }
  }
}
