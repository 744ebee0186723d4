package io.orbitkv.kernel.operation;

import io.orbitkv.kernel.instance.Instance;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Queries that wait for bytes: in arrival order per instance, round robin over instances. Who is
 * next and waits for the total budget is overtaken by nobody; who waits for the budget of its own
 * instance lets the others pass, since they do not delay it.
 */
final class WaitingLines {
  private final List<Line> ring = new ArrayList<>();
  private int turn;

  /** The line of one instance. */
  static final class Line {
    final Instance instance;
    final Deque<Decision> decisions = new ArrayDeque<>();
    long headSinceNanos;

    Line(Instance instance) {
      this.instance = instance;
    }

    Decision head() {
      return decisions.element();
    }
  }

  void add(Decision decision, long nowNanos) {
    Line line = find(decision.instance());
    if (line == null) {
      line = new Line(decision.instance());
      line.headSinceNanos = nowNanos;
      // At the end of the round that is going on.
      ring.add(turn, line);
      turn = ring.size() == 1 ? 0 : (turn + 1) % ring.size();
    }
    line.decisions.add(decision);
  }

  void remove(Decision decision, long nowNanos) {
    Line line = find(decision.instance());
    if (line == null) {
      return;
    }
    boolean head = line.head() == decision;
    line.decisions.remove(decision);
    if (line.decisions.isEmpty()) {
      drop(line);
    } else if (head) {
      line.headSinceNanos = nowNanos;
    }
  }

  /** The line that is so many places after the turn. */
  Line fromTurn(int places) {
    return ring.get((turn + places) % ring.size());
  }

  /** Takes the head of a line; the next line has the turn. */
  Decision take(Line line, long nowNanos) {
    Decision decision = line.decisions.remove();
    line.headSinceNanos = nowNanos;
    turn = (ring.indexOf(line) + 1) % ring.size();
    if (line.decisions.isEmpty()) {
      drop(line);
    }
    return decision;
  }

  int lines() {
    return ring.size();
  }

  /** A copy. */
  List<Line> all() {
    return List.copyOf(ring);
  }

  private void drop(Line line) {
    int place = ring.indexOf(line);
    ring.remove(place);
    if (place < turn) {
      turn--;
    }
    if (turn >= ring.size()) {
      turn = 0;
    }
  }

  private @Nullable Line find(Instance instance) {
    for (Line line : ring) {
      if (line.instance == instance) {
        return line;
      }
    }
    return null;
  }
}
