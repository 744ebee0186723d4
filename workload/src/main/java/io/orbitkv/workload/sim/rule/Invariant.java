package io.orbitkv.workload.sim.rule;

import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * What must hold after each step of a simulated run. The name in reports is that of the constant in
 * kebab case. "A" with a number is an item of the acceptance list of the specification (Appendix
 * A), "S" one of the simulator's own list (soundness §4), in the order in which they stand there.
 */
public enum Invariant {
  /**
   * A1: an offer names only pages that every rank has copied and committed, or that were read back
   * from the store complete, since the last acknowledged eviction.
   */
  LEASED_PAGES_COMPLETE("A1", "every leased page is complete in all slots"),
  /** A1: an open lease is honoured: a valid restore of it is never a miss. */
  LEASE_HONOURED("A1", "a valid restore of an open lease gets its pages"),
  /** A2: strict recovery and a wait for the whole prefix yield all pages or none. */
  STRICT_IS_WHOLE("A2", "strict recovery returns all pages of its ranges or none"),
  /** A3: no run of host memory is freed while a simulated transfer touches it. */
  NO_REUSE_BEFORE_END("A3", "no buffer is freed before the transfer that touches it has reported"),
  /**
   * A3: a device page that a running copy touches was neither reported as free to its client nor
   * given to another copy.
   */
  NO_WRITE_AFTER_TERMINAL("A3, S3", "no copy touches device pages after its terminal answer"),
  /** A4: bytes of leases under copy stay reserved, whatever happened to the interest. */
  DRAINING_KEEPS_BYTES("A4", "no timer, cancel or disconnect takes bytes from submitted work"),
  /** A4: a run with an unknown outcome is never freed. */
  QUARANTINE_IS_FINAL("A4", "a run with an unknown outcome is never used again"),
  /** A5: an answer belongs to the current revision of an operation of a connected session. */
  REVISION_FENCED("A5", "no result is visible to another revision, session or record"),
  /** A6: an id is accepted once; a former one is refused. */
  OPERATION_ID_USED_ONCE("A6", "an operation id is used once"),
  /** A6: asking creates no work and changes no state. */
  ASK_CREATES_NOTHING("A6", "asking for a state creates no work"),
  /** A7: the total limit holds. */
  TOTAL_BUDGET("A7", "reserved bytes stay within the total budget"),
  /** A7: the limit of one instance holds over its leases. */
  INSTANCE_BUDGET("A7", "leased bytes of an instance stay within its budget"),
  /** A7: what is reserved is what the open leases, copies and reads account for. */
  BUDGET_BY_OWNER("A7", "reserved bytes are the sum over their owners"),
  /** A7, A8: speculation stays within its quarter. */
  SPECULATIVE_QUARTER("A7, A8", "speculative bytes stay within a quarter of the budget"),
  /** A8: a speculative read that a demand waits for is raised to the foreground. */
  JOINED_READ_RAISED("A8", "a speculative read with a foreground waiter is raised"),
  /** A9: the end of one owner's interest gives no other owner of the read a miss. */
  SHARED_READ_SURVIVES("A9", "cancelling one owner of a shared read does not end another"),
  /** A10: an offer that lapsed, or whose client is gone, can be restored by nobody. */
  UNDELIVERED_OFFER_RELEASED("A10", "a closed or lapsed lease is never restored"),
  /** A10: only a message or a report about an offer lets its board record be used again. */
  BOARD_RECORD_OWNED("A10", "a board record with an untaken offer is not overwritten"),
  /** A11: a publish is answered only after its copy reported. */
  PUBLISH_HOLDS_SOURCE("A11", "a publish is answered after its copy has reported, not before"),
  /** A12: each injected failure is counted as what it became. */
  FAILURES_COUNTED("A12", "each failure is a miss or a drop that a counter shows"),
  /** A13: what is stale is refused or ignored and changes nothing. */
  STALE_WITHOUT_EFFECT("A13", "a message of a former session, lease or id changes nothing"),
  /** A14: asking over the socket repeats the answer that a client missed. */
  LOST_ANSWER_REPAIRED("A14", "asking repeats the answer that was lost"),
  /** A15: statistics about use count complete evidence: prepared = restored + unused + pending. */
  USEFULNESS_ACCOUNTED("A15", "every prepared page is restored, unused or pending"),

  /** S1: each accepted operation has one terminal answer. */
  ENDS_EXACTLY_ONCE("S1", "each accepted operation ends exactly once"),
  /** S1: the end comes within the operation's lifetime, devices that never report included. */
  ENDS_IN_TIME("S1", "each accepted operation ends in bounded time"),
  /** S1: a control request has one reply. */
  CONTROL_ANSWERED_ONCE("S1", "each control request has exactly one reply"),
  /** S2: states of pages add up to what is allocated, and that to the arenas. */
  ARENA_CONSERVED("S2", "the states of all pages add up to the capacity"),
  /** S3: a run has one writer and nobody else, or readers alone. */
  ONE_WRITER_OR_READERS("S3", "a run has one writer or any readers while a transfer touches it"),
  /** S3: the content of a page never changes from its one write to its end. */
  CONTENT_CONSTANT("S3", "the content of a page is constant from its seal to its end"),
  /**
   * S3: the bytes of a restore are those of the page, group, rank, scope and geometry asked for.
   */
  RIGHT_BYTES("S3", "restored and stored bytes are those of key, group, rank and geometry"),
  /** Soundness 2.6: a rank's runs lie on its NUMA node. */
  RUN_ON_ITS_NODE("soundness 2.6", "a rank's run lies on that rank's NUMA node"),
  /** S4: demands of one instance are served in the order of their arrival. */
  WAITERS_IN_ORDER("S4", "a waiting query is not overtaken by a later one of its instance"),
  /** S4: nothing waits when nothing is held. */
  NO_WAIT_CYCLE("S4", "nobody waits while nothing is held or in flight"),
  /** S5: at most one read of a page is in flight. */
  ONE_READ_PER_PAGE("S5", "at most one backing read is in flight for a page"),
  /** S5: a read is submitted for a page that the store was said to have. */
  READS_WHAT_IS_STORED("S5", "reads are submitted for stored pages alone"),
  /** S6: device memories opened = closed at the end, each closed once. */
  MAPPINGS_BALANCED("S6", "mappings opened are closed once"),
  /** S6: no device memory is closed under a plan or used after it was closed. */
  MAPPING_OPEN_UNDER_PLANS("S6", "no mapping is closed under a plan"),
  /** S6: after an acknowledged eviction a page is findable only when published or read anew. */
  EVICTED_NOT_FINDABLE("S6", "nothing evicted is found until it is published or read anew"),
  /** S6: pages offered for writing = written + queued + lost by cause. */
  WRITES_ACCOUNTED("S6", "pages offered for writing are written, queued or counted as lost"),

  /** Policies §2: a retention policy hears of each page that comes and goes, once. */
  PAGE_EVENTS_ADD_UP("policies 2", "pages told and not removed are the pages that are there"),
  /** Policies §1: scores are about a page as it was when it was scored. */
  VICTIM_AS_SCORED(
      "policies 1",
      "a victim by score was scored low, or used like the one behind it, and not used since"),

  /** The kernel's own deep count of pages, references, bytes and operations. */
  KERNEL_LEDGER("design rule 7", "the kernel's own books agree"),
  /** What is promised is proven by a certificate that shares nothing with lookup and reads. */
  CERTIFICATE_HOLDS("A1", "the certificate of each promise holds"),
  /** Each decision is counted once: parts add up to the whole. */
  COUNTERS_ADD_UP("design rule 7", "counters add up as their documentation says"),
  /** A dense hit is a prefix without gap: every page of it was findable. */
  DENSE_HIT_CONTIGUOUS("semantics 3.2", "a dense hit is a contiguous prefix of findable pages"),
  /** Pages seal on the client's commit alone, after its copy. */
  SEALS_ON_COMMIT("soundness 1.8", "a page is findable only after its commit"),
  /** Each rank has one share of a lease. */
  SHARE_TAKEN_ONCE("soundness 1.6", "a rank restores its share of a lease once"),
  /** A lease id is never given twice. */
  LEASE_ID_UNIQUE("semantics 3.1", "a lease id is never used twice"),
  /** The events of a slot are recorded anew only when nobody waits for the record before. */
  STAGE_SLOT_ACKNOWLEDGED(
      "soundness 2.3",
      "no event slot is recorded before its restore has ended and its waits are enqueued"),
  /** A restore is told to be submitted when the copier has said so, and before its end. */
  SUBMITTED_AFTER_COPIES(
      "soundness 2.3", "submitted is told once, after the copier has submitted every copy"),
  /** Ranks of an instance that ask the same get the same. */
  RANKS_AGREE("soundness 1.6", "ranks that ask the same get one decision"),
  /** A claimed preparation has the time of a demand. */
  CLAIM_NEVER_SHORTENS("soundness 1.2", "a claim never shortens a deadline"),
  /** An unclaimed preparation is answered with its state, never with a lease. */
  PREPARATION_HAS_NO_LEASE("soundness 1.2", "an unclaimed preparation never shows a lease"),
  /** A refusal names the request that it refuses, with a reason. */
  REFUSAL_IS_PRECISE("design rule 8", "a refusal names its request and its reason"),
  /** After the end nothing is held by anybody. */
  DRAINED_TO_ZERO("A7", "a drained kernel holds nothing"),
  /** The test of the shrinker itself; no production check. */
  ARTIFICIAL("none", "never checked: fails where a test says so");

  private final String source;
  private final String summary;

  Invariant(String source, String summary) {
    this.source = source;
    this.summary = summary;
  }

  /** The name in reports, for example {@code total-budget}. */
  public String key() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  /** Where it is demanded. */
  public String source() {
    return source;
  }

  /** What holds, in one line. */
  public String summary() {
    return summary;
  }

  /** Whether runs check it. */
  public boolean checked() {
    return this != ARTIFICIAL;
  }

  /** The invariant of that name, or null. */
  public static @Nullable Invariant named(String key) {
    for (Invariant invariant : values()) {
      if (invariant.key().equals(key)) {
        return invariant;
      }
    }
    return null;
  }
}
