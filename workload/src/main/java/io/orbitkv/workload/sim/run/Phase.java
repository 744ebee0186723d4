package io.orbitkv.workload.sim.run;

import static io.orbitkv.workload.sim.run.Happening.ASK;
import static io.orbitkv.workload.sim.run.Happening.CANCEL;
import static io.orbitkv.workload.sim.run.Happening.CANCEL_STALE;
import static io.orbitkv.workload.sim.run.Happening.CLAIM;
import static io.orbitkv.workload.sim.run.Happening.CLAIM_STALE;
import static io.orbitkv.workload.sim.run.Happening.COMMIT;
import static io.orbitkv.workload.sim.run.Happening.COPY_DONE;
import static io.orbitkv.workload.sim.run.Happening.COPY_FAILED;
import static io.orbitkv.workload.sim.run.Happening.COPY_UNKNOWN;
import static io.orbitkv.workload.sim.run.Happening.EVICT;
import static io.orbitkv.workload.sim.run.Happening.EXPIRE;
import static io.orbitkv.workload.sim.run.Happening.INSTANCE_ENDED;
import static io.orbitkv.workload.sim.run.Happening.READ_ABSENT;
import static io.orbitkv.workload.sim.run.Happening.READ_CORRUPT;
import static io.orbitkv.workload.sim.run.Happening.READ_DONE;
import static io.orbitkv.workload.sim.run.Happening.READ_FAILED;
import static io.orbitkv.workload.sim.run.Happening.READ_UNKNOWN;
import static io.orbitkv.workload.sim.run.Happening.REJECT;
import static io.orbitkv.workload.sim.run.Happening.RELEASE;
import static io.orbitkv.workload.sim.run.Happening.RELEASE_BY_RANK;
import static io.orbitkv.workload.sim.run.Happening.RESTORE;
import static io.orbitkv.workload.sim.run.Happening.SESSION_CLOSED;
import static io.orbitkv.workload.sim.run.Happening.STAGE_WAITED;
import static io.orbitkv.workload.sim.run.Happening.SUBMIT_AGAIN;
import static io.orbitkv.workload.sim.run.Happening.SUBMIT_NEXT;
import static io.orbitkv.workload.sim.run.Happening.SUBMIT_OLD;
import static io.orbitkv.workload.sim.run.Happening.SUBMIT_OTHER;
import static io.orbitkv.workload.sim.run.Happening.SYNC;
import static io.orbitkv.workload.sim.run.Happening.TAKEN;
import static io.orbitkv.workload.sim.run.Happening.TAKEN_STALE;

import io.orbitkv.workload.sim.rule.Fault;
import java.util.Arrays;
import java.util.Collections;
import java.util.EnumSet;
import java.util.Set;

/** Where a query, publish, restore or lease stands, and what may happen to it there. */
enum Phase {
  /** A query that was not answered. */
  QUERY_WAITING(
      SUBMIT_AGAIN,
      SUBMIT_OLD,
      SUBMIT_OTHER,
      SUBMIT_NEXT,
      TAKEN,
      TAKEN_STALE,
      ASK,
      CANCEL,
      CANCEL_STALE,
      EXPIRE,
      SESSION_CLOSED,
      INSTANCE_ENDED,
      EVICT),
  /** A query whose offer nobody acknowledged. */
  QUERY_OFFERED(
      SUBMIT_AGAIN,
      SUBMIT_OLD,
      SUBMIT_OTHER,
      SUBMIT_NEXT,
      TAKEN,
      TAKEN_STALE,
      ASK,
      CANCEL,
      CANCEL_STALE,
      SESSION_CLOSED,
      INSTANCE_ENDED,
      EVICT),
  /** A query whose offer was taken. */
  QUERY_TAKEN(SUBMIT_AGAIN, SUBMIT_NEXT, TAKEN, ASK, CANCEL, CANCEL_STALE, SESSION_CLOSED),
  /** A query of which nothing is left. */
  QUERY_ENDED(SUBMIT_AGAIN, SUBMIT_NEXT, TAKEN, ASK, CANCEL),

  /** A preparation or warming whose pages are being read. */
  PREPARATION_LOADING(
      Fault.Part.SPECULATION,
      SUBMIT_AGAIN,
      SUBMIT_NEXT,
      TAKEN,
      ASK,
      CANCEL,
      CLAIM,
      EXPIRE,
      SESSION_CLOSED,
      INSTANCE_ENDED,
      EVICT),
  /** A preparation that waits for its claim. */
  PREPARATION_HELD(
      Fault.Part.SPECULATION,
      SUBMIT_AGAIN,
      SUBMIT_OLD,
      SUBMIT_OTHER,
      SUBMIT_NEXT,
      TAKEN,
      ASK,
      CANCEL,
      CANCEL_STALE,
      CLAIM,
      CLAIM_STALE,
      EXPIRE,
      SESSION_CLOSED,
      INSTANCE_ENDED,
      EVICT),

  /** A page that is read for a demand. */
  READ_WANTED(
      Fault.Part.BACKING,
      READ_DONE,
      READ_ABSENT,
      READ_CORRUPT,
      READ_FAILED,
      READ_UNKNOWN,
      CANCEL,
      EXPIRE,
      SESSION_CLOSED,
      SUBMIT_NEXT,
      INSTANCE_ENDED,
      EVICT),
  /** A page that is read ahead. */
  READ_AHEAD(
      Fault.Part.SPECULATION,
      READ_DONE,
      READ_ABSENT,
      READ_CORRUPT,
      READ_FAILED,
      READ_UNKNOWN,
      CANCEL,
      EXPIRE,
      SESSION_CLOSED,
      CLAIM,
      INSTANCE_ENDED,
      EVICT),
  /** A page that is being read although nobody wants it any more. */
  READ_DRAINING(
      Fault.Part.BACKING, READ_DONE, READ_ABSENT, READ_CORRUPT, READ_FAILED, READ_UNKNOWN, EVICT),

  /** A publish of whose new pages a policy is asked. */
  PUBLISH_IN_QUESTION(
      Fault.Part.SPECULATION,
      COMMIT,
      REJECT,
      CANCEL,
      ASK,
      SESSION_CLOSED,
      INSTANCE_ENDED,
      EVICT,
      SYNC,
      SUBMIT_AGAIN),
  /** A publish that is being copied, without a word from its client. */
  PUBLISH_COPYING(
      COPY_DONE,
      COPY_FAILED,
      COPY_UNKNOWN,
      COMMIT,
      REJECT,
      CANCEL,
      ASK,
      SESSION_CLOSED,
      INSTANCE_ENDED,
      EVICT,
      SYNC,
      SUBMIT_AGAIN),
  /** A publish that is being copied and was committed. */
  PUBLISH_COPYING_COMMITTED(
      COPY_DONE, COPY_FAILED, COMMIT, REJECT, ASK, SESSION_CLOSED, INSTANCE_ENDED),
  /** A publish that is being copied and was given up. */
  PUBLISH_COPYING_REJECTED(COPY_DONE, COPY_FAILED, COMMIT, REJECT, ASK, SESSION_CLOSED),
  /** A publish that is copied and waits for its client's word. */
  PUBLISH_COPIED(COMMIT, REJECT, CANCEL, ASK, SESSION_CLOSED, INSTANCE_ENDED, EXPIRE, EVICT, SYNC),
  /** A publish that is copied and committed. */
  PUBLISH_COMMITTED(COMMIT, REJECT, CANCEL, ASK),

  /** A restore that is being copied. */
  RESTORE_COPYING(
      COPY_DONE,
      COPY_FAILED,
      COPY_UNKNOWN,
      ASK,
      CANCEL,
      SESSION_CLOSED,
      INSTANCE_ENDED,
      EVICT,
      SUBMIT_AGAIN),

  /** A staged restore that is submitted, and whose client may wait for its layers. */
  RESTORE_SUBMITTED(
      COPY_DONE,
      COPY_FAILED,
      COPY_UNKNOWN,
      STAGE_WAITED,
      ASK,
      CANCEL,
      SESSION_CLOSED,
      INSTANCE_ENDED,
      EVICT,
      SUBMIT_AGAIN),
  /** A staged restore that has ended, and whose client may still enqueue waits. */
  RESTORE_UNWAITED(STAGE_WAITED, ASK, CANCEL, SESSION_CLOSED),

  /** A lease that nobody acknowledged. */
  LEASE_OFFERED(
      TAKEN,
      RESTORE,
      RELEASE,
      RELEASE_BY_RANK,
      CANCEL,
      EXPIRE,
      SESSION_CLOSED,
      INSTANCE_ENDED,
      EVICT),
  /** A lease of which every share is there. */
  LEASE_TAKEN(
      TAKEN,
      RESTORE,
      RELEASE,
      RELEASE_BY_RANK,
      CANCEL,
      EXPIRE,
      SESSION_CLOSED,
      INSTANCE_ENDED,
      EVICT),
  /** A lease of which some shares are gone. */
  LEASE_PARTLY(
      RESTORE,
      RELEASE,
      RELEASE_BY_RANK,
      CANCEL,
      EXPIRE,
      COPY_DONE,
      COPY_FAILED,
      SESSION_CLOSED,
      INSTANCE_ENDED),
  /** A lease that is closed and whose pages are being copied. */
  LEASE_DRAINING(COPY_DONE, COPY_FAILED, COPY_UNKNOWN, RESTORE, RELEASE, EVICT, SESSION_CLOSED),
  /** A lease of which nothing is left. */
  LEASE_ENDED(RESTORE, RELEASE);

  private final Fault.Part part;

  @SuppressWarnings("ImmutableEnumChecker") // Unmodifiable, and nobody else has the set.
  private final Set<Happening> legal;

  Phase(Happening... legal) {
    this(Fault.Part.DENSE, legal);
  }

  Phase(Fault.Part part, Happening... legal) {
    this.part = part;
    this.legal = Collections.unmodifiableSet(EnumSet.copyOf(Arrays.asList(legal)));
  }

  /** The part of the system that it needs. */
  Fault.Part part() {
    return part;
  }

  /** What may happen here and must be seen in a run of full size. */
  Set<Happening> legal() {
    return legal;
  }
}
