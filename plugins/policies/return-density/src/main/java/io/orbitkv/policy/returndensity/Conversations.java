package io.orbitkv.policy.returndensity;

import io.orbitkv.api.policy.Facts;
import io.orbitkv.api.policy.History;
import io.orbitkv.api.policy.PageBatch;
import io.orbitkv.api.policy.PageEvents;
import io.orbitkv.api.policy.PolicyContext;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Tells conversations apart by the events of their pages and remembers when each had its last turn.
 *
 * <p>A conversation is named by the first page behind what everybody shares: behind the last page
 * of its chain that many conversations hang on. A turn is noticed at that page: it is used, or it
 * enters a tier while no tier has it. That the same page enters a second tier, or is read back from
 * it, is no turn. Events of one chain come one after another, or continue where an earlier run of
 * them ended.
 */
final class Conversations {
  /** The conversation had one turn so far. */
  static final int FIRST_TURN = 0;

  /** It had two. */
  static final int SECOND_TURN = 1;

  /** It had three or four. */
  static final int FEW_TURNS = 2;

  /** It had more. */
  static final int MANY_TURNS = 3;

  /** It came back quickly the last time, however many turns it had. */
  static final int QUICK = 4;

  /** The page is shared by many conversations. */
  static final int SHARED = 5;

  /** Number of kinds. */
  static final int KINDS = 6;

  /** With so many children that are there a page is what everybody shares. */
  private static final int SHARED_CHILDREN = 8;

  private static final int MOST_SHARED_PAGES = 1 << 14;
  private static final int MOST_RUN_ENDS = 1 << 12;
  private static final int FEW = 4;
  private static final double NANOS_PER_SECOND = 1e9;

  private final int most;
  private final ReturnTimes times;

  /** By the id of the page that names them, the last turn longest ago first. */
  private final LinkedHashMap<Long, Conversation> byPage = new LinkedHashMap<>();

  private final LinkedHashMap<Long, Conversation> byRunEnd = new LinkedHashMap<>();
  private final History sharedPages;
  private long lastPage = Facts.UNKNOWN;
  private @Nullable Conversation current;
  private long turns;
  private long turnsAtFit;

  private static final class Conversation {
    private long lastNanos;
    private int turns = 1;
    private int kind = FIRST_TURN;

    /** Tiers that have the page that names it, as far as was heard. */
    private int copies;

    Conversation(long atNanos) {
      lastNanos = atNanos;
    }
  }

  Conversations(int most, ReturnTimes times, PolicyContext context) {
    this.most = most;
    this.times = times;
    sharedPages = context.history(MOST_SHARED_PAGES);
  }

  /**
   * An insertion or use.
   *
   * @return the kind of the page's conversation from now on
   */
  int heard(PageEvents events, int i) {
    PageBatch pages = events.pages();
    long id = pages.id(i);
    Conversation of = continued(pages.parent(i));
    lastPage = id;
    if (shared(pages, i)) {
      current = null;
      return SHARED;
    }
    if (of == null) {
      of = named(id, events.kind(i) == PageEvents.Kind.INSERTED, events.nanoTime(i));
    }
    current = of;
    return of.kind;
  }

  /** A page left a tier. */
  void removed(long id) {
    Conversation named = byPage.get(id);
    if (named != null && named.copies > 0) {
      named.copies--;
    }
  }

  /** The conversation that the page continues, or null when it begins one. */
  private @Nullable Conversation continued(long parent) {
    if (parent != Facts.UNKNOWN && parent == lastPage) {
      return current;
    }
    if (current != null) {
      byRunEnd.putLast(lastPage, current);
      if (byRunEnd.size() > MOST_RUN_ENDS) {
        byRunEnd.pollFirstEntry();
      }
    }
    return parent == Facts.UNKNOWN ? null : byRunEnd.get(parent);
  }

  private boolean shared(PageBatch pages, int i) {
    boolean shared = pages.children(i) >= SHARED_CHILDREN || sharedPages.count(pages.id(i)) > 0;
    if (shared) {
      int _ = sharedPages.touch(pages.id(i));
    }
    return shared;
  }

  private Conversation named(long id, boolean inserted, long atNanos) {
    Conversation known = byPage.get(id);
    if (known == null) {
      Conversation fresh = new Conversation(atNanos);
      fresh.copies = inserted ? 1 : 0;
      byPage.put(id, fresh);
      if (byPage.size() > most) {
        Conversation oldest = byPage.pollFirstEntry().getValue();
        times.lost(oldest.kind, seconds(atNanos - oldest.lastNanos));
      }
      turn(atNanos);
      return fresh;
    }
    boolean copied = inserted && known.copies > 0;
    known.copies += inserted ? 1 : 0;
    double pause = seconds(atNanos - known.lastNanos);
    // A request is heard of once by each tier that has its pages.
    if (!copied && pause >= ReturnTimes.SHORTEST_SECONDS) {
      times.returned(known.kind, pause);
      known.turns++;
      known.lastNanos = atNanos;
      known.kind = kind(known.turns, times.quick(pause));
      byPage.putLast(id, known);
      turn(atNanos);
    }
    return known;
  }

  private static int kind(int turns, boolean quick) {
    if (quick) {
      return QUICK;
    }
    return turns == 2 ? SECOND_TURN : turns <= FEW ? FEW_TURNS : MANY_TURNS;
  }

  /** Learns anew once an eighth as many turns came as there are conversations to look through. */
  private void turn(long nowNanos) {
    turns++;
    long since = turns - turnsAtFit;
    if (since < Math.max(64, byPage.size() / 8)) {
      return;
    }
    turnsAtFit = turns;
    times.startFit(since);
    for (Map.Entry<Long, Conversation> entry : byPage.entrySet()) {
      Conversation open = entry.getValue();
      times.open(open.kind, seconds(nowNanos - open.lastNanos));
    }
    times.fit();
  }

  private static double seconds(long nanos) {
    return Math.max(0, nanos) / NANOS_PER_SECOND;
  }
}
