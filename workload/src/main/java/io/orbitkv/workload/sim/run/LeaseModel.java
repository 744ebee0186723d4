package io.orbitkv.workload.sim.run;

import io.orbitkv.api.lease.LeaseId;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A lease as its clients may rely on it. */
final class LeaseModel {
  /** Whether shares can be taken. */
  enum Standing {
    /** Certainly: a valid restore must be served. */
    OPEN,
    /** Its time ran out, or somebody's lease was taken back: either way is right. */
    UNCERTAIN,
    /** Certainly not. */
    CLOSED
  }

  final LeaseId id;
  final int instance;
  final Shape shape;
  final long[] names;
  final int[] groups;

  /** The queries that were offered it: one, or one a rank. */
  final List<Op> offers = new ArrayList<>(1);

  final int[] restoredBy;
  Standing standing = Standing.OPEN;
  boolean taken;
  long deadlineNanos;

  /** Ranks whose share is there. */
  int shares;

  /** Copies that run. */
  int copies;

  LeaseModel(LeaseId id, Op op, int hits) {
    this.id = id;
    this.instance = op.instance;
    this.shape = op.shape;
    this.names = java.util.Arrays.copyOf(op.names, hits);
    this.groups = java.util.Arrays.copyOf(op.groups, hits);
    this.shares = (1 << shape.worldSize()) - 1;
    this.restoredBy = new int[shape.worldSize()];
    offers.add(op);
  }

  Op owner() {
    return offers.getFirst();
  }

  /** The offer of a session, or null. */
  @Nullable Op offerOf(Client client) {
    for (Op op : offers) {
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
    return "lease " + id + " of " + owner() + " " + standing;
  }
}
