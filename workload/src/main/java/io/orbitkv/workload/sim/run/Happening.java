package io.orbitkv.workload.sim.run;

/** What happens to a query, preparation, read, publish, restore or lease. */
enum Happening {
  SUBMIT_AGAIN,
  SUBMIT_OLD,
  SUBMIT_OTHER,
  SUBMIT_NEXT,
  TAKEN,
  TAKEN_STALE,
  ASK,
  CANCEL,
  CANCEL_STALE,
  CLAIM,
  CLAIM_STALE,
  RESTORE,
  RELEASE,
  RELEASE_BY_RANK,
  COPY_DONE,
  COPY_FAILED,
  COPY_UNKNOWN,
  COMMIT,
  REJECT,
  EXPIRE,
  SESSION_CLOSED,
  INSTANCE_ENDED,
  EVICT,
  SYNC,
  READ_DONE,
  READ_ABSENT,
  READ_CORRUPT,
  READ_FAILED,
  READ_UNKNOWN
}
