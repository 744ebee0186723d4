package io.orbitkv.workload.sim.run;

import io.orbitkv.api.lease.LeaseId;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A lease as its clients may rely on it. */
final class LeaseModel {
  /** Whether shares can be taken. */
  enum Standing {
    /** Certainly: a valid restore must be served. */
    OPEN,
    /** Somebody's lease was taken back, or others may hold it: either way is right. */
    UNCERTAIN,
    /** Certainly not. */
    CLOSED
  }

  final LeaseId id;
  final int instance;
  final Shape shape;
  final long[] names;
  final int[] groups;

  /** The query that was offered it first. */
  final Op owner;

  /** The queries that have an interest in it: one, or one a rank. */
  final List<Op> holders = new ArrayList<>(1);

  final int[] restoredBy;
  Standing standing = Standing.OPEN;
  boolean taken;

  /** Whether queries without an answer may share it: then it is never certain. */
  boolean vague;

  long deadlineNanos = Long.MAX_VALUE;

  /** Until when further ranks may ask for it, while nobody has an interest. */
  long unaskedDeadlineNanos = Long.MAX_VALUE;

  /** Ranks whose share is there. */
  int shares;

  /** Restores that run. */
  int copies;

  LeaseModel(LeaseId id, Op op, int hits) {
    this.id = id;
    this.instance = op.instance;
    this.shape = op.shape;
    this.names = Arrays.copyOf(op.names, hits);
    this.groups = Arrays.copyOf(op.groups, hits);
    this.shares = (1 << shape.worldSize()) - 1;
    this.restoredBy = new int[shape.worldSize()];
    this.owner = op;
    holders.add(op);
  }

  /** The query of a session that has an interest, or null. */
  @Nullable Op heldBy(Client client) {
    for (Op op : holders) {
      if (op.client == client) {
        return op;
      }
    }
    return null;
  }

  boolean idle() {
    return shares == (1 << shape.worldSize()) - 1 && copies == 0;
  }

  long bytes() {
    return names.length * shape.pageBytes();
  }

  @Override
  public String toString() {
    return "lease " + id + " of " + owner + " " + standing;
  }
}
