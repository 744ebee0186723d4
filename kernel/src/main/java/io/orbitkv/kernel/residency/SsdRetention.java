package io.orbitkv.kernel.residency;

import io.orbitkv.api.backing.StoredKey;
import io.orbitkv.api.policy.Facts;
import io.orbitkv.api.policy.PageBatch.Origin;
import io.orbitkv.api.policy.PageEvents.Kind;
import io.orbitkv.api.policy.PolicySlot;
import io.orbitkv.kernel.BrokenInvariant;
import io.orbitkv.kernel.Command;
import io.orbitkv.kernel.Event;
import io.orbitkv.kernel.KernelCounter;
import io.orbitkv.kernel.policy.Asked;
import io.orbitkv.kernel.policy.PageColumns;
import io.orbitkv.kernel.policy.PageIds;
import io.orbitkv.kernel.step.Step;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Retention in the backing tier while a policy is asked. The policy hears what happens to stored
 * pages; at each tick it is asked about those that were just used and about the next ones in turn,
 * and its scores go to the tier, which picks its victims itself. Dispatcher.
 */
final class SsdRetention {
  /** Most pages of a question, and of a slice that is handed to a new policy. */
  static final int SLICE = 4096;

  /** Of a question at most those that were just used. */
  static final int MOST_USED = SLICE / 4;

  /** Entries that are looked at for a slice. */
  private static final int MOST_ENTRIES = 1 << 16;

  private static final PolicySlot SLOT = PolicySlot.RETENTION_SSD;

  private final Step step;
  private final Asked asked;
  private final StoredPages stored;
  private final Retention.StoredNames names;
  private final Residency residency;
  private final PageFacts hostFacts;
  private final StoredFacts facts;
  private final ColumnPool questions;
  private final ColumnPool told;
  private final EventLog events;
  private final Chosen chosen = new Chosen(SLICE);

  // Pages that were used since the last question.
  private final int[] usedDomain = new int[MOST_USED];
  private final long[] usedHigh = new long[MOST_USED];
  private final long[] usedLow = new long[MOST_USED];
  private int usedCount;

  // What a page takes, by key space; 0 for not known.
  private long[] pageBytes = new long[8];

  private ColumnPool.@Nullable Batch asking;
  private long ticket;
  private boolean adoption;
  private int adoptingPart;
  private int turnPart;
  private int turnEntry;

  /** A policy serves from now on; it knows no page. */
  SsdRetention(
      Step step,
      Asked asked,
      StoredPages stored,
      Retention.StoredNames names,
      Residency residency,
      PageFacts hostFacts,
      StoredFacts facts) {
    this.step = step;
    this.asked = asked;
    this.stored = stored;
    this.names = names;
    this.residency = residency;
    this.hostFacts = hostFacts;
    this.facts = facts;
    questions = new ColumnPool(SLICE, 2, true, batch -> {});
    told = new ColumnPool(EventLog.BATCH, EventLog.BATCHES, true, this::takeMarks);
    events = new EventLog(SLOT, step, told);
  }

  /** The facts of the entries, which move with them. */
  StoredFacts facts() {
    return facts;
  }

  // ---- what happens to pages -------------------------------------------------------------------

  /** The set has a further page. */
  void inserted(int part, int entry) {
    int domain = stored.domain(part, entry);
    int page = residency.find(domain, stored.keyHigh(part, entry), stored.keyLow(part, entry));
    if (page == Residency.NONE) {
      facts.set(part, entry, Origin.RECOVERED, Facts.UNKNOWN, 0, Facts.UNKNOWN);
    } else {
      PageTable table = residency.table();
      int parent = table.parent(page);
      learnBytes(domain, residency.bytes(page));
      facts.set(
          part,
          entry,
          Origin.PUBLISH,
          hostFacts.lastUseNanos(page),
          hostFacts.depth(page, table),
          parent == PageTable.NONE
              ? Facts.UNKNOWN
              : PageIds.of(table.keyHigh(parent), table.keyLow(parent)));
    }
    facts.tell(part, entry);
    tell(part, entry, Kind.INSERTED);
  }

  /** Foreground work used a page that may be stored. */
  void used(int domain, long keyHigh, long keyLow) {
    int entry = stored.entryOf(domain, keyHigh, keyLow);
    if (entry < 0) {
      return;
    }
    int part = StoredPages.partOf(domain, keyHigh, keyLow);
    facts.used(part, entry, step.nowNanos());
    if (facts.isTold(part, entry)) {
      tell(part, entry, Kind.USED);
    }
    if (usedCount < MOST_USED) {
      usedDomain[usedCount] = domain;
      usedHigh[usedCount] = keyHigh;
      usedLow[usedCount++] = keyLow;
    }
  }

  /** How many events can be told of before a message is sent. */
  int room() {
    return events.room();
  }

  /** A page is about to leave the set. */
  void removed(int part, int entry) {
    if (facts.isTold(part, entry)) {
      tell(part, entry, Kind.REMOVED);
    }
  }

  /** All pages are about to leave the set: more of them than can be told, perhaps. */
  void cleared() {
    long left = stored.size();
    boolean fits = true;
    for (int part = 0; part < StoredPages.PARTS && fits; part++) {
      for (int entry = 0; entry < stored.entries(part) && fits; entry++) {
        if (stored.isUsed(part, entry)) {
          left--;
          fits = !facts.isTold(part, entry) || tell(part, entry, Kind.REMOVED);
        }
      }
    }
    step.count(KernelCounter.PAGE_EVENTS_DROPPED, left);
    facts.clear();
  }

  private boolean tell(int part, int entry, Kind kind) {
    ColumnPool.Batch batch = events.next();
    if (batch == null) {
      events.dropped(1);
      return false;
    }
    events.happened(batch.columns(), add(batch, part, entry), 1, kind);
    return true;
  }

  private int add(ColumnPool.Batch batch, int part, int entry) {
    int domain = stored.domain(part, entry);
    long high = stored.keyHigh(part, entry);
    long low = stored.keyLow(part, entry);
    int i =
        batch
            .columns()
            .add(
                part,
                PageIds.of(high, low),
                facts.parentId(part, entry),
                facts.depth(part, entry),
                (int) Facts.UNKNOWN,
                bytes(domain),
                facts.lastUseNanos(part, entry),
                facts.uses(part, entry),
                facts.origin(part, entry),
                facts.mark(part, entry));
    batch.domain[i] = domain;
    batch.keyHigh[i] = high;
    batch.keyLow[i] = low;
    batch.insertion[i] = facts.insertion(part, entry);
    return i;
  }

  private void learnBytes(int domain, long bytes) {
    if (domain >= pageBytes.length) {
      pageBytes = Arrays.copyOf(pageBytes, Math.max(domain + 1, pageBytes.length * 2));
    }
    pageBytes[domain] = bytes;
  }

  private long bytes(int domain) {
    return domain >= pageBytes.length || pageBytes[domain] == 0 ? Facts.UNKNOWN : pageBytes[domain];
  }

  /** What a policy has marked in columns that came back. */
  private void takeMarks(ColumnPool.Batch batch) {
    PageColumns columns = batch.columns();
    for (int i = 0; i < columns.size(); i++) {
      if (columns.marked(i)) {
        int entry = entryOf(batch, i);
        int part = columns.handle(i);
        if (entry >= 0
            && facts.insertion(part, entry) == batch.insertion[i]
            && facts.isTold(part, entry)) {
          facts.setMark(part, entry, columns.mark(i));
        }
      }
    }
  }

  private int entryOf(ColumnPool.Batch batch, int i) {
    return stored.entryOf(batch.domain[i], batch.keyHigh[i], batch.keyLow[i]);
  }

  // ---- questions -------------------------------------------------------------------------------

  /** The maintenance tick. */
  void tick() {
    events.flush();
    if (asking == null && adopted() && stored.size() > 0 && !step.draining()) {
      ask();
    }
  }

  /** At the end of each step. */
  void pump() {
    events.pump();
    if (adopts()) {
      adopt();
    }
  }

  private void ask() {
    ColumnPool.Batch batch = questions.take();
    if (batch == null) {
      return;
    }
    chosen.clear();
    for (int i = 0; i < usedCount; i++) {
      int entry = stored.entryOf(usedDomain[i], usedHigh[i], usedLow[i]);
      if (entry >= 0) {
        choose(batch, StoredPages.partOf(usedDomain[i], usedHigh[i], usedLow[i]), entry);
      }
    }
    usedCount = 0;
    int looked = 0;
    for (int parts = 0; parts <= StoredPages.PARTS && looked < MOST_ENTRIES; parts++) {
      int entries = stored.entries(turnPart);
      for (; turnEntry < entries && !batch.columns().full(); turnEntry++) {
        if (stored.isUsed(turnPart, turnEntry)) {
          choose(batch, turnPart, turnEntry);
        }
        looked++;
      }
      if (batch.columns().full()) {
        break;
      }
      turnEntry = 0;
      turnPart = (turnPart + 1) % StoredPages.PARTS;
    }
    send(batch, false);
  }

  private void choose(ColumnPool.Batch batch, int part, int entry) {
    // Two pages of one name are one candidate less, which matters to nobody.
    long name = PageIds.of(stored.keyHigh(part, entry), stored.keyLow(part, entry));
    if (name != 0 && chosen.add(name)) {
      add(batch, part, entry);
    }
  }

  private void send(ColumnPool.Batch batch, boolean adopt) {
    if (batch.columns().size() == 0) {
      batch.back(batch.columns());
      return;
    }
    // What happened to the pages comes first.
    events.flush();
    asking = batch;
    adoption = adopt;
    ticket = asked.nextTicket();
    step.count(KernelCounter.RETENTION_QUESTIONS);
    step.emit(new Command.AskScores(ticket, SLOT, batch.columns(), adopt));
  }

  // ---- adoption --------------------------------------------------------------------------------

  private boolean adopted() {
    return adoptingPart == StoredPages.PARTS;
  }

  /** Hands the next pages that the policy has not heard of to it, one slice at a time. */
  private void adopt() {
    ColumnPool.Batch batch = questions.take();
    if (batch == null) {
      return;
    }
    int looked = 0;
    while (!adopted() && !batch.columns().full() && looked < MOST_ENTRIES) {
      int entries = stored.entries(adoptingPart);
      // What was told is passed over, since entries move between two slices.
      int entry = 0;
      for (; entry < entries && !batch.columns().full(); entry++) {
        if (stored.isUsed(adoptingPart, entry) && !facts.isTold(adoptingPart, entry)) {
          facts.tell(adoptingPart, entry);
          add(batch, adoptingPart, entry);
        }
      }
      looked += entries;
      adoptingPart += entry == entries ? 1 : 0;
    }
    step.count(KernelCounter.ADOPTED_PAGES, batch.columns().size());
    send(batch, true);
  }

  /** Whether a further slice is to follow although nothing happens. */
  boolean adopts() {
    return !adopted() && asking == null && !step.draining();
  }

  // ---- answers ---------------------------------------------------------------------------------

  /** Whether the answer belongs to a question of this policy. */
  boolean answered(Event.ScoresAdvice advice) {
    ColumnPool.Batch batch = asking;
    if (batch == null || advice.ticket() != ticket) {
      return false;
    }
    told.drain();
    asking = null;
    if (advice.byDefault()) {
      step.count(KernelCounter.RETENTION_DEFAULTS);
      questions.abandon(batch);
      return true;
    }
    if (advice.scored() != batch.columns()) {
      throw new BrokenInvariant(
          "question [" + advice.ticket() + "] is answered in columns that were not its own");
    }
    step.count(KernelCounter.RETENTION_ANSWERS);
    takeMarks(batch);
    if (!adoption) {
      passOn(batch);
    }
    batch.back(batch.columns());
    return true;
  }

  /** Scores of pages that are still stored go to the tier. */
  private void passOn(ColumnPool.Batch batch) {
    PageColumns columns = batch.columns();
    List<StoredKey> keys = new ArrayList<>(columns.size());
    long[] scores = new long[columns.size()];
    for (int i = 0; i < columns.size(); i++) {
      if (entryOf(batch, i) >= 0) {
        scores[keys.size()] = columns.scores()[i];
        keys.add(names.of(batch.domain[i], batch.keyHigh[i], batch.keyLow[i]));
      }
    }
    if (!keys.isEmpty()) {
      step.count(KernelCounter.STORED_PAGES_SCORED, keys.size());
      step.emit(new Command.ScoreStored(keys, Arrays.copyOf(scores, keys.size())));
    }
  }

  /** Tickets that are answered later, to nobody. */
  void openTickets(LongConsumer each) {
    if (asking != null) {
      each.accept(ticket);
    }
  }
}
