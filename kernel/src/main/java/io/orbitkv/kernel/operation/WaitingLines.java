package io.orbitkv.kernel.operation;

import io.orbitkv.kernel.instance.Instance;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Queries that wait for bytes: in arrival order per instance, round robin over instances. The
 * instance at the turn keeps its turn while its head waits for the total budget, so no head is
 * overtaken by more than what an instance limit of its own lets pass.
 */
final class WaitingLines {
  private final List<Line> ring = new ArrayList<>();
  private int turn;

  /** The line of one instance. */
  static final class Line {
    final Instance instance;
    final Deque<QueryOperation> queries = new ArrayDeque<>();
    long headSinceNanos;

    Line(Instance instance) {
      this.instance = instance;
    }

    QueryOperation head() {
      return queries.element();
    }
  }

  boolean isEmpty() {
    return ring.isEmpty();
  }

  void add(QueryOperation query, long nowNanos) {
    Line line = find(query.instance());
    if (line == null) {
      line = new Line(query.instance());
      line.headSinceNanos = nowNanos;
      // At the end of the round that is going on.
      ring.add(turn, line);
      turn = ring.size() == 1 ? 0 : (turn + 1) % ring.size();
    }
    line.queries.add(query);
  }

  void remove(QueryOperation query, long nowNanos) {
    Line line = find(query.instance());
    if (line == null) {
      return;
    }
    boolean head = line.head() == query;
    line.queries.remove(query);
    if (line.queries.isEmpty()) {
      drop(line);
    } else if (head) {
      line.headSinceNanos = nowNanos;
    }
  }

  /** The line at the turn. */
  Line current() {
    return ring.get(turn);
  }

  /** The next line has the turn. */
  void advance() {
    if (!ring.isEmpty()) {
      turn = (turn + 1) % ring.size();
    }
  }

  /** Takes the head of the line at the turn and passes the turn on. */
  QueryOperation take(long nowNanos) {
    Line line = current();
    QueryOperation query = line.queries.remove();
    line.headSinceNanos = nowNanos;
    if (line.queries.isEmpty()) {
      drop(line);
    } else {
      advance();
    }
    return query;
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
