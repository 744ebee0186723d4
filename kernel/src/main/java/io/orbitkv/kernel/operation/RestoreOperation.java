package io.orbitkv.kernel.operation;

import io.orbitkv.api.copy.CopyOutcome;
import io.orbitkv.kernel.instance.Registration;
import io.orbitkv.kernel.instance.StageSlots;
import io.orbitkv.kernel.lease.Lease;

/**
 * A copy of leased pages into a rank's device memory: one plan for each group. Exists from its
 * submission to the last plan's report. Dispatcher.
 */
public final class RestoreOperation implements Operation {
  private final Session session;
  private final long id;
  private final int record;
  private final Lease lease;
  private final int[] pages;
  private final long bytes;
  private final Registration worker;
  private final int stageSlot;
  private int plans;
  private boolean submitted;
  private CopyOutcome outcome = new CopyOutcome.Done();

  /**
   * A restore whose plans are about to be submitted.
   *
   * @param session of the rank; may be closed meanwhile
   * @param id of the client
   * @param record of the board, or none
   * @param lease holds pages and bytes
   * @param pages that are copied, of all groups
   * @param bytes payload
   * @param plans to be submitted
   * @param worker the rank
   * @param stageSlot of the worker, taken for this restore; or {@link StageSlots#NONE}
   */
  public RestoreOperation(
      Session session,
      long id,
      int record,
      Lease lease,
      int[] pages,
      long bytes,
      int plans,
      Registration worker,
      int stageSlot) {
    this.session = session;
    this.id = id;
    this.record = record;
    this.lease = lease;
    this.pages = pages;
    this.bytes = bytes;
    this.plans = plans;
    this.worker = worker;
    this.stageSlot = stageSlot;
  }

  @Override
  public Session session() {
    return session;
  }

  @Override
  public long id() {
    return id;
  }

  @Override
  public int record() {
    return record;
  }

  /** Holds pages and bytes. */
  public Lease lease() {
    return lease;
  }

  /** The pages that are copied. */
  public int[] pages() {
    return pages;
  }

  /** Payload bytes. */
  public long bytes() {
    return bytes;
  }

  /** The slot whose events are recorded, or {@link StageSlots#NONE}. */
  public int stageSlot() {
    return stageSlot;
  }

  /** Every copy and every record of an event is submitted. */
  public void submitted() {
    worker.stageSlots().tell(stageSlot, id);
    submitted = true;
  }

  /** Whether that is so. */
  public boolean isSubmitted() {
    return submitted;
  }

  /** The restore is over; its slot is free once its client has enqueued its waits. */
  public void endStage() {
    if (stageSlot != StageSlots.NONE) {
      worker.stageSlots().end(stageSlot, id);
    }
  }

  /** A plan reported; returns whether it was the last one. The worst outcome counts. */
  public boolean reported(CopyOutcome planOutcome) {
    boolean worse =
        switch (planOutcome) {
          case CopyOutcome.Done done -> false;
          case CopyOutcome.Failed failed -> outcome instanceof CopyOutcome.Done;
          case CopyOutcome.Unknown unknown -> true;
        };
    if (worse) {
      outcome = planOutcome;
    }
    plans--;
    return plans == 0;
  }

  /** How it ended. */
  public CopyOutcome outcome() {
    return outcome;
  }
}
