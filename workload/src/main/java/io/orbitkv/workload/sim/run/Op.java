package io.orbitkv.workload.sim.run;

import io.orbitkv.api.copy.CopyPlan;
import io.orbitkv.api.lease.LeaseId;
import io.orbitkv.api.query.AnswerState;
import io.orbitkv.api.query.QueryKind;
import io.orbitkv.kernel.Event;
import org.jspecify.annotations.Nullable;

/** One revision of one operation of a client: what was asked, and what was answered. */
final class Op {
  /** No rank of its instance. */
  static final int NO_RANK = -1;

  /** What kind of operation. */
  enum Kind {
    QUERY,
    RESTORE,
    PUBLISH
  }

  final Client client;
  final long id;
  final int revision;
  final Kind kind;
  final int instance;
  final Shape shape;

  /** Names of the pages, group after group. */
  final long[] names;

  /** The group of each page. */
  final int[] groups;

  /** Where its answer goes; a claim changes it. */
  int record;

  QueryKind query = QueryKind.DEMAND;
  Event.@Nullable Submit submit;

  // What the kernel said.
  long submittedNanos;
  boolean accepted;
  boolean loading;
  boolean prepared;

  /** Pages of it were read while it waited: it may have been admitted. */
  boolean admitted;

  boolean superseded;
  @Nullable AnswerState end;
  int hits;
  @Nullable LeaseModel lease;
  int rank = NO_RANK;
  long order;
  @Nullable Question question;

  // What the client knows and did.
  boolean seen;
  boolean acknowledged;
  boolean left;
  boolean claimed;

  /** A claim in vain, or a next revision for which there was no room, was answered with BUSY. */
  boolean busyLast;

  long claimedNanos;
  long offerDeadlineNanos = Long.MAX_VALUE;

  // Publishes.
  boolean inQuestion;
  boolean garbage;
  boolean rejected;
  boolean committed;
  boolean copied;
  boolean copyFailed;

  /** Places of the pages that are copied. */
  int[] plannedPlaces = new int[0];

  // Restores.
  @Nullable LeaseId restores;
  int[] devicePages = new int[0];
  int running;

  // Staged ones.
  boolean staged;
  boolean copiesSubmitted;
  boolean told;
  boolean waited;
  boolean unknown;
  int stageSlot = CopyPlan.NO_STAGE;

  /** Whether a slot of events is its own: its copy runs, or its client may wait for them. */
  boolean holdsStage() {
    return stageSlot != CopyPlan.NO_STAGE && (running > 0 || unknown || (told && !waited));
  }

  Op(
      Client client,
      long id,
      int revision,
      Kind kind,
      int instance,
      Shape shape,
      long[] names,
      int[] groups) {
    this.client = client;
    this.id = id;
    this.revision = revision;
    this.kind = kind;
    this.instance = instance;
    this.shape = shape;
    this.names = names;
    this.groups = groups;
  }

  long page(int place) {
    return shape.page(groups[place], names[place]);
  }

  long bytes() {
    return names.length * shape.pageBytes();
  }

  /** Whether all pages or none are wanted. */
  boolean strict() {
    return query == QueryKind.PRODUCER_WAIT || (submit != null && submit.demand() != null);
  }

  /** Whether its request was in a queue: the kernel may have prepared it. */
  boolean announced() {
    return submit != null && submit.requestId().startsWith(SpeculationActor.QUEUED);
  }

  /** Whether it is speculation that nobody claimed. */
  boolean speculative() {
    return query == QueryKind.WARM || (query == QueryKind.PREPARE && !claimed);
  }

  /** Whether another query shares the question, which the kernel decides once. */
  boolean asksLike(Op other) {
    return question != null && question == other.question;
  }

  @Override
  public String toString() {
    return (kind == Kind.QUERY ? query.toString() : kind.toString())
        + " "
        + client.id
        + "/"
        + id
        + "."
        + revision
        + (record == Event.NO_RECORD ? "" : " record " + record)
        + (end != null ? " " + end : prepared ? " PREPARED" : loading ? " LOADING" : "");
  }
}
