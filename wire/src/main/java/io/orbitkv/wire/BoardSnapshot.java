package io.orbitkv.wire;

import io.orbitkv.api.lease.LeaseId;
import io.orbitkv.api.query.AnswerState;
import io.orbitkv.api.query.ErrorCode;

/**
 * One consistent reading of a board record, filled by {@link StatusBoardReader#read} and reused.
 * One thread.
 */
public final class BoardSnapshot {
  long operation;
  int revision;
  AnswerState state = AnswerState.LOADING;
  long leaseHigh;
  long leaseLow;
  int hits;
  ErrorCode error = ErrorCode.NONE;
  long detail;

  /** An empty snapshot. */
  public BoardSnapshot() {}

  /** The operation. */
  public long operation() {
    return operation;
  }

  /** The revision of the operation. */
  public int revision() {
    return revision;
  }

  /** The state. */
  public AnswerState state() {
    return state;
  }

  /** First half of the lease. */
  public long leaseHigh() {
    return leaseHigh;
  }

  /** Second half of the lease. */
  public long leaseLow() {
    return leaseLow;
  }

  /** The lease. Allocates. */
  public LeaseId lease() {
    return leaseHigh == 0 && leaseLow == 0 ? LeaseId.NONE : new LeaseId(leaseHigh, leaseLow);
  }

  /** Pages found, restored or stored. */
  public int hits() {
    return hits;
  }

  /** Why the operation was refused. */
  public ErrorCode error() {
    return error;
  }

  /** See {@link ServerMessage.Answer}. */
  public long detail() {
    return detail;
  }
}
