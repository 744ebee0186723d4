package io.orbitkv.workload.sim.rule;

import java.util.Locale;

/** What goes wrong in a simulated run. The name in reports is snake case. */
public enum Fault {
  /** The memory tier has no run although bytes are free: fragmentation. */
  ALLOCATION_FAILED(Part.DENSE),
  /** A copy takes much longer than its neighbours. */
  COPY_SLOW(Part.DENSE),
  /** A copy ends with an error. */
  COPY_FAILED(Part.DENSE),
  /** A copy's device context is lost: nobody knows whether it still runs. */
  COPY_UNKNOWN(Part.DENSE),
  /** A worker's device memory cannot be opened. */
  DEVICE_OPEN_FAILED(Part.DENSE),
  /** Opening or closing a device memory takes long. */
  DEVICE_SLOW(Part.DENSE),
  /** A client cancels what it asked for. */
  ABORT(Part.DENSE),
  /** A client dies in the middle of something. */
  CLIENT_CRASH(Part.DENSE),
  /** A rank of an engine leaves while others work. */
  RANK_LEFT(Part.DENSE),
  /** A client that reconnected uses ids of its former connection. */
  OLD_TICKET(Part.DENSE),
  /** A client names a lease of another session or a former instance. */
  FOREIGN_LEASE(Part.DENSE),
  /** The same message twice. */
  DUPLICATE_MESSAGE(Part.DENSE),
  /** A message about a former revision or an ended operation. */
  STALE_MESSAGE(Part.DENSE),
  /** A message that contradicts the protocol. */
  MALFORMED_REQUEST(Part.DENSE),
  /** A message of a session that is gone or never was. */
  UNKNOWN_SESSION(Part.DENSE),
  /** The client never sees an answer and must ask. */
  LOST_NOTIFICATION(Part.DENSE),
  /** An offer that its client ignores. */
  OFFER_IGNORED(Part.DENSE),
  /** A rank that never restores its share. */
  SHARE_IGNORED(Part.DENSE),
  /** A client that never tells that its waits for a staged restore are enqueued. */
  STAGE_WAIT_MISSING(Part.DENSE),
  /** A client that tells so before it was told that anything is submitted. */
  STAGE_WAIT_EARLY(Part.DENSE),
  /** A publish whose client never commits. */
  COMMIT_MISSING(Part.DENSE),
  /** A publish of garbage, which the client then rejects. */
  GARBAGE_PUBLISHED(Part.DENSE),
  /** The whole process pauses: everything due comes late and at once. */
  PROCESS_PAUSED(Part.DENSE),
  /** A publish names a wrong parent. */
  WRONG_PARENT(Part.DENSE),

  /** A read takes much longer than its neighbours, and is overtaken by later ones. */
  READ_SLOW(Part.BACKING),
  /** A read brings fewer bytes than the page has. */
  READ_SHORT(Part.BACKING),
  /** A page fails its checks. */
  READ_CORRUPT(Part.BACKING),
  /** A page is read that the store has just lost. */
  READ_ABSENT(Part.BACKING),
  /** A read meets a device error. */
  READ_ERROR(Part.BACKING),
  /** Nobody knows whether a read still touches its runs. */
  READ_UNKNOWN(Part.BACKING),
  /** A read that never reports. */
  READ_STUCK(Part.BACKING),
  /** The store takes only the beginning of a batch at once. */
  BATCH_PARTLY_TAKEN(Part.BACKING),
  /** A write takes long. */
  WRITE_SLOW(Part.BACKING),
  /** The store has no room. */
  STORE_FULL(Part.BACKING),
  /** A write meets a device error. */
  WRITE_ERROR(Part.BACKING),
  /** Nobody knows whether a write still reads its runs. */
  WRITE_UNKNOWN(Part.BACKING),
  /** A write that never reports. */
  WRITE_STUCK(Part.BACKING),
  /** The store loses a page and tells so later. */
  PAGE_LOST(Part.BACKING),
  /** The store may not write more than a few pages for a while. */
  WRITES_LIMITED(Part.BACKING),
  /** The store tells twice that it has a page. */
  STORED_TWICE(Part.BACKING),

  /** A claim of a preparation that expired or never was. */
  CLAIM_LATE(Part.SPECULATION),
  /** A preparation that nobody claims. */
  PREPARATION_IGNORED(Part.SPECULATION),
  /** A rank asks another question than the others, or none. */
  RANK_ASIDE(Part.SPECULATION),
  /** A report of a queue that contradicts itself. */
  QUEUE_NONSENSE(Part.SPECULATION),
  /** Advice about requests that are not in the queue. */
  ADVICE_UNKNOWN(Part.SPECULATION),
  /** Advice that names a request again and again. */
  ADVICE_REPEATED(Part.SPECULATION),
  /** Advice to prepare everything. */
  ADVICE_EVERYTHING(Part.SPECULATION),
  /** Advice to prepare nothing after all. */
  ADVICE_NOTHING(Part.SPECULATION),
  /** Advice that comes when its requests are gone. */
  ADVICE_LATE(Part.SPECULATION),
  /** Thousands of names at once. */
  ADVICE_FLOOD(Part.SPECULATION),
  /** Other policies serve from now on, or none. */
  POLICIES_CHANGED(Part.SPECULATION),
  /** A policy answers too late: the default counts. */
  POLICY_LATE(Part.SPECULATION),
  /** A policy answers without sense. */
  POLICY_NONSENSE(Part.SPECULATION),
  /** A policy never gives back what it was told. */
  POLICY_STUCK(Part.SPECULATION);

  /** The part of the system that a fault needs. */
  public enum Part {
    /** Always there. */
    DENSE,
    /** A backing tier. */
    BACKING,
    /** Preparations, warming and policies. */
    SPECULATION
  }

  private final Part part;

  Fault(Part part) {
    this.part = part;
  }

  /** What it needs. */
  public Part part() {
    return part;
  }

  /** The name in reports. */
  public String key() {
    return name().toLowerCase(Locale.ROOT);
  }
}
