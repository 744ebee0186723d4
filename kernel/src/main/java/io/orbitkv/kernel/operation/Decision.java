package io.orbitkv.kernel.operation;

import io.orbitkv.api.lease.ReservationPhase;
import io.orbitkv.api.policy.CutoffPolicy;
import io.orbitkv.api.query.QueryKind;
import io.orbitkv.api.recovery.RecoveryDemand;
import io.orbitkv.kernel.BrokenInvariant;
import io.orbitkv.kernel.Event;
import io.orbitkv.kernel.budget.Permit;
import io.orbitkv.kernel.budget.Reservation;
import io.orbitkv.kernel.instance.Instance;
import io.orbitkv.kernel.lease.Lease;
import io.orbitkv.kernel.read.ReadTask;
import io.orbitkv.kernel.recovery.Certificate;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What is decided once for one question, whoever asks: one session, the ranks of an instance that
 * ask the same thing each for itself, or the kernel for a queued request. It waits for bytes, is
 * read, and ends as a lease, as a miss or as nothing. Dispatcher.
 */
final class Decision implements ReadTask.Owner, Lease.Holder {
  private static final long[] NO_KEYS = new long[0];
  private static final int[] NO_PAGES = new int[0];

  private final Decisions owner;
  private final Instance instance;
  private final QueryKind kind;
  private final String requestId;
  private final int[] groups;
  private final int[] pagesOfGroup;
  private final int pages;
  private final @Nullable RecoveryDemand demand;
  private final ContentDigest digest;
  private final long bytes;
  private final long sequence;
  private final List<QueryOperation> queries = new ArrayList<>(1);
  private long[] keys;
  private State state = State.NEW;
  private boolean speculative;
  private int joinedRanks;
  private int leftRanks;

  /** After it an undecided question is a miss and an unclaimed preparation is given up. */
  long deadlineNanos;

  /** After it no further batch is submitted; {@link Long#MAX_VALUE} for none. */
  long readDeadlineNanos = Long.MAX_VALUE;

  /** From when on its read deadline counts: its submission, or its claim. */
  long submittedNanos;

  /** Whether a dense query gets what is there when its read deadline passes. */
  boolean handOver;

  /** How a policy wants it read, once it said so. */
  CutoffPolicy.@Nullable ReadLimits plan;

  /** Places of what it holds that were read, or null for none. */
  @Nullable BitSet read;

  /** Until when other ranks may join it. */
  long joinableUntilNanos;

  /** Whether it ended without a word that others should be told too. */
  boolean abandoned;

  /** Whether it is counted as a query. */
  boolean counted;

  /** Whether a preparation of the kernel's own was claimed for it. */
  boolean claimedFromQueue;

  /** Of what it found, if that is to be proven. */
  @Nullable Certificate certificate;

  @Nullable ReadTask task;

  /** Until when ranks that have not asked may find its lease, while nobody has an interest. */
  long unaskedDeadlineNanos;

  @Nullable Lease lease;
  @Nullable Reservation held;
  int[] heldPages = NO_PAGES;

  /** Of a preparation for a queued request: the permit that no session holds. */
  @Nullable Permit queuePermit;

  Decision(
      Decisions owner,
      Event.Submit question,
      ContentDigest digest,
      Instance instance,
      long bytes,
      long sequence) {
    this.owner = owner;
    this.instance = instance;
    this.kind = question.kind();
    this.requestId = question.requestId();
    this.groups = question.groups();
    this.pagesOfGroup = question.pagesOfGroup();
    this.pages = question.keys().length / 2;
    this.demand = question.demand();
    this.keys = question.keys();
    this.digest = digest;
    this.bytes = bytes;
    this.sequence = sequence;
    this.speculative = kind == QueryKind.PREPARE || kind == QueryKind.WARM;
  }

  /** Where a decision stands. */
  enum State {
    /** Not judged yet. */
    NEW,
    /** In the line for bytes. */
    WAITING,
    /** Pages are read. */
    READING,
    /** A preparation holds its pages and waits for its claim. */
    PREPARED,
    /** A lease is offered or taken. */
    OPEN,
    /** Nothing is left but what drains. */
    ENDED
  }

  /** The lease is gone. */
  @Override
  public void closed() {
    owner.leaseClosed(this);
  }

  Instance instance() {
    return instance;
  }

  QueryKind kind() {
    return kind;
  }

  String requestId() {
    return requestId;
  }

  int[] groups() {
    return groups;
  }

  int[] pagesOfGroup() {
    return pagesOfGroup;
  }

  int pages() {
    return pages;
  }

  /** How many pages of each group its first pages are. Less than all: of a prefix. */
  int[] pagesOfGroup(int found) {
    return found == pages ? pagesOfGroup : new int[] {found};
  }

  @Nullable RecoveryDemand demand() {
    return demand;
  }

  ContentDigest digest() {
    return digest;
  }

  /** What it wants to reserve. */
  long bytes() {
    return bytes;
  }

  /** Order of arrival. */
  long sequence() {
    return sequence;
  }

  /** The keys; empty when they are not needed any more. */
  long[] keys() {
    return keys;
  }

  /** What its keys take of the heap now. */
  long keyBytes() {
    return PendingKeys.bytesOf(keys);
  }

  void forgetKeys() {
    keys = NO_KEYS;
  }

  /** It has ended, and may be remembered for a while: its pages are not. */
  void forgetPages() {
    lease = null;
    heldPages = NO_PAGES;
    certificate = null;
    plan = null;
    read = null;
  }

  /** Whether all pages or none are wanted. */
  boolean strict() {
    return demand != null || kind == QueryKind.PRODUCER_WAIT;
  }

  /** Whether read cut-offs apply. */
  boolean stoppable() {
    return kind != QueryKind.PRODUCER_WAIT;
  }

  boolean warming() {
    return kind == QueryKind.WARM;
  }

  /** Whether nobody claimed it. */
  boolean speculative() {
    return speculative;
  }

  /** Somebody wants it now. */
  void makeForeground() {
    speculative = false;
  }

  /** The phase of its bytes until it is decided. */
  ReservationPhase phase() {
    if (warming()) {
      return ReservationPhase.WARMING;
    }
    return speculative ? ReservationPhase.PRELOADING : ReservationPhase.PREPARING;
  }

  /** The queries that share it. */
  List<QueryOperation> queries() {
    return queries;
  }

  /** Whether a rank asked already. */
  boolean hasJoined(int rank) {
    return (joinedRanks & 1 << rank) != 0;
  }

  void join(QueryOperation query) {
    queries.add(query);
    if (query.rank() != QueryOperation.NO_RANK) {
      joinedRanks |= 1 << query.rank();
    }
  }

  /** A rank lost its interest before there was anything to share. */
  void leave(QueryOperation query) {
    queries.remove(query);
    if (query.rank() != QueryOperation.NO_RANK) {
      leftRanks |= 1 << query.rank();
    }
  }

  /** Whether a rank needs no share: it left before there was one. */
  boolean hasLeft(int rank) {
    return (leftRanks & 1 << rank) != 0;
  }

  /** Whether each rank asked. */
  boolean everybodyJoined() {
    return Integer.bitCount(joinedRanks) == instance.worldSize();
  }

  State state() {
    return state;
  }

  /** Whether it is neither answered nor given up. */
  boolean undecided() {
    return state != State.OPEN && state != State.ENDED;
  }

  /** Whether it waits for bytes or is read. */
  boolean loading() {
    return state == State.WAITING || state == State.READING;
  }

  /** Whether it is a preparation that is over and holds no page. */
  boolean foundNothing() {
    return state == State.PREPARED && held == null;
  }

  /** Moves on; a decision never goes back. */
  void become(State next) {
    boolean legal =
        switch (state) {
          case NEW -> true;
          case WAITING -> next != State.NEW && next != State.WAITING;
          case READING -> next == State.PREPARED || next == State.OPEN || next == State.ENDED;
          case PREPARED -> next == State.OPEN || next == State.ENDED;
          case OPEN -> next == State.ENDED;
          case ENDED -> false;
        };
    if (!legal) {
      throw new BrokenInvariant("request [" + requestId + "] goes from " + state + " to " + next);
    }
    state = next;
  }
}
