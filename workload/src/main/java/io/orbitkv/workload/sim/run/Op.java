package io.orbitkv.workload.sim.run;

import io.orbitkv.api.lease.LeaseId;
import io.orbitkv.api.query.AnswerState;
import io.orbitkv.api.query.QueryKind;
import io.orbitkv.kernel.Event;
import org.jspecify.annotations.Nullable;

/** One revision of one operation of a client: what was asked, and what was answered. */
final class Op {
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

  final long submittedNanos;
  int record;
  QueryKind query = QueryKind.DEMAND;
  Event.@Nullable Submit submit;

  // What the kernel said.
  boolean accepted;
  boolean loading;
  boolean prepared;
  boolean superseded;
  @Nullable AnswerState end;
  int hits;
  @Nullable LeaseModel lease;
  long answeredNanos;
  long order;

  // What the client knows and did.
  boolean seen;
  boolean acknowledged;
  boolean claimed;
  long deadlineNanos;

  // Publishes.
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

  Op(
      Client client,
      long id,
      int revision,
      Kind kind,
      int instance,
      Shape shape,
      long[] names,
      int[] groups,
      long nowNanos) {
    this.client = client;
    this.id = id;
    this.revision = revision;
    this.kind = kind;
    this.instance = instance;
    this.shape = shape;
    this.names = names;
    this.groups = groups;
    this.submittedNanos = nowNanos;
  }

  /** Accepted, the current revision, without a terminal answer, and its client is there. */
  boolean pending() {
    return accepted && !superseded && end == null && client.alive;
  }

  long page(int place) {
    return shape.page(groups[place], names[place]);
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
        + (end != null ? " " + end : loading ? " LOADING" : "");
  }
}
