package io.orbitkv.kernel.residency;

import io.orbitkv.api.policy.Facts;
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
import java.util.SplittableRandom;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Retention in host memory while a policy is asked. The policy hears what happens to pages; before
 * memory is short it is asked what the coldest leaves and as many drawn by chance are worth, and
 * the lowest quarter of them are the next victims. Nothing waits for it: without a victim the
 * built-in LRU takes one. What is evicted is always a leaf that nobody refers to, whatever the
 * scores.
 *
 * <p>A conversation has one leaf, however long it is. So that a question does not take one page
 * each off many conversations where few would do, the page before a victim takes its place at once
 * if it became a leaf thereby and was used when the victim was, and as often: the policy can hardly
 * tell the two apart. Other such pages are candidates of the next question.
 *
 * <p>Reclaimable pages go before all others, as without a policy.
 */
final class DramRetention {
  /** Most pages of a question. */
  static final int CANDIDATES = 1024;

  /** Of them drawn by chance. */
  static final int SAMPLE = CANDIDATES / 2;

  /** Of them at most what was left of the last question, or became a leaf since. */
  static final int MOST_AGAIN = CANDIDATES / 4;

  /** With fewer victims than that, half of the most, the next question is due. */
  static final int FEW_VICTIMS = CANDIDATES / 8;

  /** Most pages that are handed to a new policy at a time. */
  static final int ADOPTED = 4096;

  private static final PolicySlot SLOT = PolicySlot.RETENTION_DRAM;

  private final Step step;
  private final Asked asked;
  private final Residency residency;
  private final PageTable table;
  private final EvictionLists lists;
  private final PageMemory memory;
  private final PageFacts facts;
  private final Leaves leaves;
  private final SplittableRandom random;
  private final Victims victims;
  private final ColumnPool questions;
  private final ColumnPool slices;
  private final ColumnPool told;
  private final EventLog events;

  /** Pages that are candidates of the next question, since the page behind them was evicted. */
  private final int[] parents = new int[MOST_AGAIN];

  private int parentCount;

  /** The page before the victim if nothing else follows it, or {@link PageTable#NONE}. */
  private int parentOfVictim = PageTable.NONE;

  /** Whether it may take the victim's place. */
  private boolean parentFollows;

  private final Chosen chosen = new Chosen(CANDIDATES);
  private final int[] picked = new int[CANDIDATES];
  private int pickedCount;
  private final FactBlock block = new FactBlock();
  private ColumnPool.@Nullable Batch scoring;
  private long scoringTicket;
  private ColumnPool.@Nullable Batch adopting;
  private long adoptingTicket;

  /** Pages below are told to the policy. */
  private int adopted;

  private boolean adoptionEnded;
  private int lastVictims;
  private boolean tickSinceAnswer = true;
  private boolean changed = true;
  private long evictedByDefault;

  /** A policy serves from now on; it knows no page. */
  DramRetention(Step step, Asked asked, Residency residency, PageFacts facts, Leaves leaves) {
    this.step = step;
    this.asked = asked;
    this.residency = residency;
    this.facts = facts;
    this.leaves = leaves;
    table = residency.table();
    lists = residency.lists();
    memory = residency.memory();
    // Drawn once: what is asked must not change the names of leases.
    random = new SplittableRandom(step.random().nextLong());
    victims = new Victims(table, residency.nodeSets(), CANDIDATES);
    questions = new ColumnPool(CANDIDATES, 2, false, batch -> {});
    slices = new ColumnPool(ADOPTED, 2, false, batch -> {});
    told = new ColumnPool(EventLog.BATCH, EventLog.BATCHES, false, this::takeToldMarks);
    events = new EventLog(SLOT, step, told);
  }

  // ---- what happens to pages -------------------------------------------------------------------

  /**
   * A page entered host memory.
   *
   * @param parentId the page before it, or {@link Facts#UNKNOWN}
   */
  void inserted(int page, long parentId) {
    facts.tell(page);
    tell(page, parentId, Kind.INSERTED);
  }

  /** Foreground work used pages that the policy has heard of, whose facts were just read. */
  void used(FactBlock pages) {
    for (int told = 0; told < pages.size; ) {
      changed = true;
      ColumnPool.Batch batch = events.next();
      if (batch == null) {
        events.dropped(pages.size - told);
        return;
      }
      int end = Math.min(pages.size, told + batch.columns().room());
      // Not before: with the columns that were taken may have come what a policy marked.
      pages.complete(told, end, table, memory, facts);
      int entry = pages.addTo(batch, told, end);
      events.happened(batch.columns(), entry, end - told, Kind.USED);
      told = end;
    }
  }

  /** How many events can be told of before a message is sent. */
  int room() {
    return events.room();
  }

  /** A page leaves host memory; it is still what it was. */
  void removed(int page) {
    if (facts.isTold(page)) {
      tell(page, parentId(page), Kind.REMOVED);
    }
  }

  private void tell(int page, long parentId, Kind kind) {
    changed = true;
    ColumnPool.Batch batch = events.next();
    if (batch == null) {
      events.dropped(1);
    } else {
      events.happened(batch.columns(), add(batch, page, parentId), 1, kind);
    }
  }

  private int add(ColumnPool.Batch batch, int page, long parentId) {
    return facts.add(
        batch,
        page,
        PageIds.of(table.keyHigh(page), table.keyLow(page)),
        parentId,
        facts.depth(page, table),
        table.children(page),
        memory.bytes(page));
  }

  private long parentId(int page) {
    int parent = table.parent(page);
    return parent == PageTable.NONE
        ? Facts.UNKNOWN
        : PageIds.of(table.keyHigh(parent), table.keyLow(parent));
  }

  /** What a policy has marked when it heard of pages: it would score them otherwise now. */
  private void takeToldMarks(ColumnPool.Batch batch) {
    takeMarks(batch);
    changed = true;
  }

  /** What a policy has marked in columns that came back. */
  private void takeMarks(ColumnPool.Batch batch) {
    PageColumns columns = batch.columns();
    for (int i = 0; i < columns.size(); i++) {
      if (columns.marked(i)) {
        setMark(columns.handle(i), batch.insertion[i], columns.mark(i));
      }
    }
  }

  /** Marks a page if it is still the one that was handed out. */
  private void setMark(int page, int insertion, long mark) {
    if (table.state(page) == PageState.RESIDENT
        && facts.insertion(page) == insertion
        && facts.isTold(page)) {
      facts.setMark(page, mark);
    }
  }

  // ---- victims ---------------------------------------------------------------------------------

  /**
   * The page to evict now, or {@link PageTable#NONE}.
   *
   * @param node a NUMA node, or -1 for any
   */
  int victim(int node) {
    int oldest = lists.victim(node);
    if (oldest == PageTable.NONE) {
      return PageTable.NONE;
    }
    int scored = victims.peek(node);
    int victim = oldest;
    if (scored == PageTable.NONE) {
      evictedByDefault++;
      step.count(KernelCounter.VICTIMS_BY_DEFAULT);
    } else if (table.retention(oldest).code < table.retention(scored).code) {
      step.count(KernelCounter.VICTIMS_BY_CLASS);
    } else {
      victim = scored;
      step.count(KernelCounter.VICTIMS_BY_SCORE);
    }
    int parent = table.parent(victim);
    boolean last = parent != PageTable.NONE && table.children(parent) == 1;
    parentOfVictim = last ? parent : PageTable.NONE;
    parentFollows = last && victim == scored && facts.usedAlike(victim, parent);
    return victim;
  }

  /** The victim was evicted. */
  void evicted() {
    int parent = parentOfVictim;
    parentOfVictim = PageTable.NONE;
    if (parent == PageTable.NONE) {
      return;
    }
    if (parentFollows && table.listed(parent)) {
      victims.follow(parent);
    } else if (parentCount < parents.length) {
      parents[parentCount++] = parent;
    }
  }

  // ---- questions -------------------------------------------------------------------------------

  /** The maintenance tick. */
  void tick() {
    tickSinceAnswer = true;
    events.flush();
  }

  /** At the end of each step. */
  void pump() {
    events.pump();
    if (!adoptionEnded) {
      adopt();
    } else if (scoring == null && dueForScores()) {
      ask();
    }
  }

  /**
   * When the victims run out and memory is nearly full, or was on some node. After an answer that
   * brought few, or none, more of them are asked for only when half are gone, or with the tick.
   */
  private boolean dueForScores() {
    int few = tickSinceAnswer ? FEW_VICTIMS : Math.min(FEW_VICTIMS, lastVictims / 2);
    return victims.left() < few
        && changed
        && !step.draining()
        && leaves.count() > 0
        && (residency.nearlyFull() || evictedByDefault > 0);
  }

  private void ask() {
    ColumnPool.Batch batch = questions.take();
    if (batch == null) {
      return;
    }
    choose();
    block.begin();
    for (int from = 0; from < pickedCount; from += FactBlock.PAGES) {
      int count = Math.min(FactBlock.PAGES, pickedCount - from);
      facts.read(picked, from, count, block);
      block.complete(0, count, table, memory, facts);
      int entry = block.addTo(batch, 0, count);
      for (int i = 0; i < count; i++) {
        batch.use[entry + i] = table.lastUse(picked[from + i]);
      }
    }
    evictedByDefault = 0;
    changed = false;
    scoring = batch;
    scoringTicket = asked.nextTicket();
    question(scoringTicket, batch, false);
  }

  private void question(long ticket, ColumnPool.Batch batch, boolean adopt) {
    // What happened to the pages comes first.
    events.flush();
    step.count(KernelCounter.RETENTION_QUESTIONS);
    step.emit(new Command.AskScores(ticket, SLOT, batch.columns(), adopt));
  }

  /** Picks the candidates. */
  private void choose() {
    chosen.clear();
    pickedCount = 0;
    for (int i = 0; i < victims.left() && i < FEW_VICTIMS; i++) {
      if (victims.isValid(i)) {
        pick(victims.page(i));
      }
    }
    for (int i = 0; i < parentCount && pickedCount < MOST_AGAIN; i++) {
      if (table.listed(parents[i])) {
        pick(parents[i]);
      }
    }
    parentCount = 0;
    lists.walk(page -> {
      if (pickedCount < CANDIDATES - SAMPLE) {
        pick(page);
      }
      return pickedCount < CANDIDATES - SAMPLE;
    });
    for (int i = 0; i < SAMPLE && pickedCount < leaves.count(); i++) {
      pick(leaves.get(random.nextInt(leaves.count())));
    }
  }

  private void pick(int page) {
    if (chosen.add(page + 1L)) {
      picked[pickedCount++] = page;
    }
  }

  // ---- adoption --------------------------------------------------------------------------------

  /** Hands the next pages that the policy has not heard of to it, one slice at a time. */
  private void adopt() {
    if (adopting != null || step.draining()) {
      return;
    }
    ColumnPool.Batch batch = slices.take();
    if (batch == null) {
      return;
    }
    int end = Math.min(table.highWater(), adopted + ADOPTED);
    for (; adopted < end; adopted++) {
      if (table.listed(adopted)) {
        leaves.add(adopted);
      }
      if (table.state(adopted) == PageState.RESIDENT && !facts.isTold(adopted)) {
        facts.tell(adopted);
        add(batch, adopted, parentId(adopted));
      }
    }
    adoptionEnded = adopted == table.highWater();
    int pages = batch.columns().size();
    if (pages == 0) {
      batch.back(batch.columns());
      return;
    }
    step.count(KernelCounter.ADOPTED_PAGES, pages);
    adopting = batch;
    adoptingTicket = asked.nextTicket();
    question(adoptingTicket, batch, true);
  }

  /** Whether a further slice is to follow although nothing happens. */
  boolean adopts() {
    return !adoptionEnded && adopting == null && !step.draining();
  }

  // ---- answers ---------------------------------------------------------------------------------

  /** Whether the answer belongs to a question of this policy. */
  boolean answered(Event.ScoresAdvice advice) {
    ColumnPool.Batch score = scoring;
    ColumnPool.Batch slice = adopting;
    if (score != null && advice.ticket() == scoringTicket) {
      scoring = null;
      if (isMeant(advice, score, questions)) {
        takeScores(score);
      }
      // The question was put together before this came back, so this counts more.
      told.drain();
      lastVictims = advice.byDefault() ? 0 : victims.left();
      tickSinceAnswer = false;
      return true;
    }
    if (slice != null && advice.ticket() == adoptingTicket) {
      told.drain();
      adopting = null;
      if (isMeant(advice, slice, slices)) {
        takeMarks(slice);
        slice.back(slice.columns());
      }
      return true;
    }
    return false;
  }

  /** Whether the answer is the policy's own; columns that it may still write to are given up. */
  private boolean isMeant(Event.ScoresAdvice advice, ColumnPool.Batch batch, ColumnPool pool) {
    if (advice.byDefault()) {
      step.count(KernelCounter.RETENTION_DEFAULTS);
      pool.abandon(batch);
      return false;
    }
    if (advice.scored() != batch.columns()) {
      throw new BrokenInvariant(
          "question [" + advice.ticket() + "] is answered in columns that were not its own");
    }
    step.count(KernelCounter.RETENTION_ANSWERS);
    return true;
  }

  private void takeScores(ColumnPool.Batch batch) {
    takeMarks(batch);
    victims.replace(batch);
    batch.back(batch.columns());
  }

  /** Tickets that are answered later, to nobody. */
  void openTickets(LongConsumer each) {
    if (scoring != null) {
      each.accept(scoringTicket);
    }
    if (adopting != null) {
      each.accept(adoptingTicket);
    }
  }

  /** The deep check: whom the policy knows, and who may be drawn. */
  void verify() {
    for (int page = 0; page < table.highWater() && adoptionEnded; page++) {
      boolean resident = table.state(page) == PageState.RESIDENT;
      boolean leaf = resident && table.listed(page);
      if (leaf != leaves.contains(page)) {
        throw new IllegalStateException("retention: leaves and lists differ, page [" + page + "]");
      }
      if (resident && !facts.isTold(page)) {
        throw new IllegalStateException("retention: page [" + page + "] was never told");
      }
    }
    if (adoptionEnded && leaves.count() != lists.listed()) {
      throw new IllegalStateException(
          "retention: [" + leaves.count() + "] leaves, listed are [" + lists.listed() + "]");
    }
  }
}
