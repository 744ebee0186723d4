package io.orbitkv.ssd.store;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Pages that are being moved out of a victim. Until the victim's next header is durable such a page
 * is on the device twice, and whoever forgets it has to forget both.
 */
final class Moves {
  /** One page that is moved. */
  static final class Move {
    final long generation;
    final int block;

    /** The page that the index has: the original, later the copy. */
    int page;

    @Nullable Append append;
    boolean accepted;
    boolean swung;

    Move(int page, long generation, int block) {
      this.page = page;
      this.generation = generation;
      this.block = block;
    }
  }

  private final Catalog catalog;
  private final KillLog killLog;
  private final LogWriter writer;
  private final Counters counters;
  private final List<Move> inOrder = new ArrayList<>();
  private final Map<Integer, Move> byPage = new HashMap<>();
  private @Nullable Segment victim;

  Moves(Catalog catalog, KillLog killLog, LogWriter writer, Counters counters) {
    this.catalog = catalog;
    this.killLog = killLog;
    this.writer = writer;
    this.counters = counters;
  }

  void begin(Segment segment) {
    victim = segment;
  }

  Move add(int page) {
    Move move = new Move(page, catalog.pages.generation(page), catalog.pages.block(page));
    inOrder.add(move);
    byPage.put(page, move);
    return move;
  }

  /** Whether nobody forgot the page meanwhile. */
  boolean counts(Move move) {
    return byPage.get(move.page) == move;
  }

  /** The move did not succeed: the original stays where it is. */
  void drop(Move move) {
    byPage.remove(move.page, move);
  }

  boolean hasCopies() {
    for (Move move : inOrder) {
      if (move.accepted) {
        return true;
      }
    }
    return false;
  }

  /** All copies are durable: they take their originals' places. */
  void swing(Segment segment, int blockBytes) {
    for (Move move : inOrder) {
      Append append = move.append;
      if (append == null || !move.accepted || !counts(move)) {
        continue;
      }
      byPage.remove(move.page);
      if (catalog.pages.generation(move.page) != move.generation) {
        throw new IllegalStateException("page [" + move.page + "] changed while it was moved");
      }
      if (segment.readers > 0) {
        segment.moved.put(move.generation, catalog.pages.generation(append.page));
      }
      catalog.swing(move.page, append.page);
      move.page = append.page;
      move.swung = true;
      byPage.put(move.page, move);
      counters.reinsertedBytes += (long) append.blocks * blockBytes;
    }
  }

  /** The page is about to be forgotten: so must its other copy. */
  void forget(int page) {
    Move move = byPage.remove(page);
    Segment segment = victim;
    if (move == null || segment == null) {
      return;
    }
    Append append = move.append;
    if (move.swung) {
      killLog.add(segment, move.block);
    } else if (append != null && move.accepted) {
      killLog.add(catalog.segment(append.page), append.block);
      catalog.remove(append.page, true);
    } else if (append != null) {
      writer.forget(append);
    }
  }

  /** Nothing of the victim can be found any more. */
  void end() {
    inOrder.clear();
    byPage.clear();
    victim = null;
  }
}
