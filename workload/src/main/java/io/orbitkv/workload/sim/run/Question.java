package io.orbitkv.workload.sim.run;

import io.orbitkv.kernel.Event;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A question that ranks of one instance may ask each for itself: decided once. */
final class Question {
  final List<Op> askers = new ArrayList<>(2);
  final long askedNanos;
  private int ranks;

  /** What it was decided to be, once somebody was told. */
  @Nullable LeaseModel lease;

  boolean missed;

  Question(long askedNanos) {
    this.askedNanos = askedNanos;
  }

  /** Equal for what the kernel must decide once. */
  static String key(Event.Submit submit) {
    StringBuilder key = new StringBuilder(64);
    key.append(submit.instance()).append(' ').append(submit.requestId());
    key.append(' ').append(submit.revision()).append(' ').append(submit.kind().code());
    for (int group : submit.groups()) {
      key.append(' ').append(group);
    }
    for (int count : submit.pagesOfGroup()) {
      key.append(',').append(count);
    }
    for (int i = 1; i < submit.keys().length; i += 2) {
      key.append(' ').append(submit.keys()[i]);
    }
    return submit.demand() == null
        ? key.toString()
        : key.append(' ').append(submit.demand().startToken()).toString();
  }

  /** Whether a rank of an instance of so many may share the decision. */
  boolean open(int rank, int worldSize, long nowNanos, long lifetimeNanos) {
    boolean everybody = Integer.bitCount(ranks) == worldSize;
    boolean asked = rank != Op.NO_RANK && (ranks & 1 << rank) != 0;
    return !everybody && !asked && !abandoned() && nowNanos - askedNanos < lifetimeNanos;
  }

  private boolean abandoned() {
    if (lease != null || missed) {
      return false;
    }
    for (Op op : askers) {
      if (!op.left && !op.superseded && op.end == null) {
        return false;
      }
    }
    return true;
  }

  void ask(Op op) {
    askers.add(op);
    if (op.rank != Op.NO_RANK) {
      ranks |= 1 << op.rank;
    }
  }
}
