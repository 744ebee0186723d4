package io.orbitkv.ssd.sim.run;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.function.Supplier;

/** The last events of a run, as text; keeps none unless the run is traced. */
final class Trail {
  /** Lines that are kept, unless the property says otherwise. */
  private static final int KEPT = Integer.getInteger("orbitkv.sim.trail", 60);

  private final boolean traced;
  private final Deque<String> lines = new ArrayDeque<>();

  Trail(boolean traced) {
    this.traced = traced;
  }

  void add(Supplier<String> line) {
    if (!traced) {
      return;
    }
    if (lines.size() == KEPT) {
      lines.removeFirst();
    }
    lines.addLast(line.get());
  }

  List<String> lines() {
    return new ArrayList<>(lines);
  }
}
