package io.orbitkv.kernel.transfer;

import io.orbitkv.api.page.GroupRule;
import io.orbitkv.api.policy.PolicySlot;
import io.orbitkv.api.policy.TierKind;
import io.orbitkv.kernel.Command;
import io.orbitkv.kernel.Event;
import io.orbitkv.kernel.KernelCounter;
import io.orbitkv.kernel.instance.Instance;
import io.orbitkv.kernel.policy.AdmissionVerdict;
import io.orbitkv.kernel.policy.Asked;
import io.orbitkv.kernel.policy.Lineage;
import io.orbitkv.kernel.residency.Residency;
import io.orbitkv.kernel.residency.StoredPages;
import io.orbitkv.kernel.step.AdmissionCount;
import io.orbitkv.kernel.step.Step;
import io.orbitkv.kernel.table.LongLongMap;
import io.orbitkv.kernel.table.LongMap;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Pages for which a policy is asked before they may wait to be written. Pages of one step that
 * follow one another are one question, but those that somebody asked for before and new ones are
 * two: what is known of the first would be said of the others. A run that follows another one waits
 * for that one's answer and is refused with it. A page in question is only remembered, not held; it
 * is offered, and counted, when the answer has come. Dispatcher.
 */
final class WriteQuestions {
  /** Pages before a page that are looked at to close the gap before it. */
  private static final int MOST_BEFORE = 1024;

  private static final int INDEX_BITS = 24;
  private static final long INDEX_MASK = (1L << INDEX_BITS) - 1;

  private final Step step;
  private final Residency residency;
  private final StoredPages stored;
  private final Asked asked;
  private final Lineage lineage;
  private final Writes writes;
  private final AdmissionCount count;
  private final WriteRetries retries;
  private final LongMap<WriteRun> runs = new LongMap<>();
  private final LongMap<WriteRun> byTicket = new LongMap<>();
  // Run and index of a page in question, by page number.
  private final LongLongMap places = new LongLongMap();
  private final int[] before = new int[MOST_BEFORE];
  private @Nullable WriteRun growing;
  private final List<WriteRun> grown = new ArrayList<>();
  private long lastId;
  private int pages;
  private long bytes;

  WriteQuestions(
      Step step,
      Residency residency,
      StoredPages stored,
      Asked asked,
      Lineage lineage,
      Writes writes) {
    this.step = step;
    this.residency = residency;
    this.stored = stored;
    this.asked = asked;
    this.lineage = lineage;
    this.writes = writes;
    this.count = new AdmissionCount(step);
    this.retries = new WriteRetries();
  }

  /** Whether a policy is asked before pages may wait. */
  boolean asks() {
    return asked.asks(PolicySlot.ADMISSION_SSD);
  }

  // ---- offers ----------------------------------------------------------------------------------

  /** A page could be written that is neither stored nor waits. */
  void offer(Instance instance, int group, int number, long parentHigh, long parentLow) {
    int domain = residency.domain(number);
    boolean first = parentHigh == 0 && parentLow == 0;
    int parent = first ? Residency.NONE : residency.find(domain, parentHigh, parentLow);
    WriteRun behind = null;
    if (!first && needsPrefix(instance, group) && !stored.contains(domain, parentHigh, parentLow)) {
      if (parent != Residency.NONE && writes.refusedNow(parent)) {
        writes.refuseBehind(number);
        return;
      }
      if (parent == Residency.NONE
          || !(writes.isQueued(parent)
              || isQuestioned(parent)
              || gather(instance, group, parent))) {
        writes.refuseOffered(number, KernelCounter.WRITE_BEHIND_GAP_PAGES);
        return;
      }
      behind = runOf(parent);
    }
    enter(instance, group, number, parentHigh, parentLow, behind);
  }

  private static boolean needsPrefix(Instance instance, int group) {
    return instance.groupSpecs().get(group).rule() instanceof GroupRule.Prefix;
  }

  /**
   * Takes what is missing up to a page into question, if there is room for it and one page more.
   */
  private boolean gather(Instance instance, int group, int parent) {
    int found = 0;
    int page = parent;
    while (page != Residency.NONE && !writes.isKnown(page) && !isQuestioned(page)) {
      if (found == MOST_BEFORE) {
        return false;
      }
      before[found++] = page;
      if (residency.beginsChain(page)) {
        break;
      }
      page = residency.parent(page);
    }
    if (page == Residency.NONE || !writes.hasRoom((found + 1) * residency.bytes(parent))) {
      return false;
    }
    for (int i = found - 1; i >= 0; i--) {
      int next = before[i];
      int previous = residency.beginsChain(next) ? Residency.NONE : residency.parent(next);
      boolean begins = previous == Residency.NONE;
      if (!enter(
          instance,
          group,
          next,
          begins ? 0 : residency.keyHigh(previous),
          begins ? 0 : residency.keyLow(previous),
          begins ? null : runOf(previous))) {
        return false;
      }
    }
    return true;
  }

  private boolean enter(
      Instance instance,
      int group,
      int number,
      long parentHigh,
      long parentLow,
      @Nullable WriteRun behind) {
    long size = residency.bytes(number);
    if (bytes + size > step.settings().writes().queueBytes()) {
      writes.refuseOffered(number, KernelCounter.WRITE_QUEUE_FULL_PAGES);
      return false;
    }
    boolean used = lineage.isUsed(residency.keyHigh(number), residency.keyLow(number));
    WriteRun run = growing;
    if (run == null || !run.continuesWith(instance, group, used, parentHigh, parentLow)) {
      run =
          new WriteRun(
              ++lastId,
              instance,
              group,
              residency.domain(number),
              size,
              used,
              parentHigh,
              parentLow,
              behind,
              writes.batch());
      runs.put(run.id(), run);
      growing = run;
      grown.add(run);
    }
    places.put(number, run.id() << INDEX_BITS | run.size());
    run.add(number, residency.keyHigh(number), residency.keyLow(number));
    run.batch().add(1);
    pages++;
    bytes += size;
    return true;
  }

  /** Whether a resident page is in question. */
  boolean isQuestioned(int number) {
    return runOf(number) != null;
  }

  private @Nullable WriteRun runOf(int number) {
    long place = places.get(number);
    WriteRun run = place == LongLongMap.ABSENT ? null : runs.get(place >> INDEX_BITS);
    // The number may belong to another page by now.
    return run != null && run.is((int) (place & INDEX_MASK), residency, number) ? run : null;
  }

  // ---- questions -------------------------------------------------------------------------------

  /** The maintenance tick: what was put off long enough comes again. */
  void tick() {
    for (WriteRun run = retries.next(step.nowNanos());
        run != null;
        run = retries.next(step.nowNanos())) {
      again(run);
    }
  }

  /** At the end of each step: asks for what has come. */
  void pump() {
    if (grown.isEmpty()) {
      return;
    }
    for (WriteRun run : grown) {
      WriteRun behind = run.behind();
      if (behind == null || runs.get(behind.id()) == null) {
        ask(run);
      } else {
        behind.followers().add(run);
      }
    }
    grown.clear();
    growing = null;
  }

  private void again(WriteRun run) {
    for (int i = 0; i < run.size(); i++) {
      if (residency.is(run.number(i), run.domain(), run.keyHigh(i), run.keyLow(i))) {
        writes.offerAgain(
            run.instance(), run.group(), run.number(i), run.parentHigh(i), run.parentLow(i));
      }
    }
  }

  private void ask(WriteRun run) {
    long ticket = asked.nextTicket();
    byTicket.put(ticket, run);
    retries.forget(run.chain());
    count.asked();
    step.emit(
        new Command.AskAdmission(
            ticket,
            PolicySlot.ADMISSION_SSD,
            lineage.chain(
                run.parentHigh(0),
                run.parentLow(0),
                run.keys(),
                0,
                run.size(),
                run.size() * run.pageBytes(),
                TierKind.DRAM)));
  }

  // ---- answers ---------------------------------------------------------------------------------

  /** The answer to a question; returns whether it was one. */
  boolean advised(Event.AdmissionAdvice advice) {
    WriteRun run = byTicket.remove(advice.ticket());
    if (run == null) {
      return false;
    }
    AdmissionVerdict verdict = count.verdict(run.chain(), advice.verdict());
    switch (verdict) {
      case ADMIT -> admit(run);
      case DROP -> refuse(run, KernelCounter.WRITE_REFUSED_PAGES, 0);
      case LATER ->
          refuse(run, KernelCounter.WRITE_PUT_OFF_PAGES, Math.max(0, advice.retryNanos()));
    }
    return true;
  }

  private void admit(WriteRun run) {
    end(run);
    for (int i = 0; i < run.size(); i++) {
      writes.admitted(run, i);
    }
    run.batch().add(-run.size());
    for (WriteRun follower : run.followers()) {
      if (stored.contains(run.domain(), follower.parentHigh(0), follower.parentLow(0))
          || writes.isQueued(
              residency.find(run.domain(), follower.parentHigh(0), follower.parentLow(0)))) {
        ask(follower);
      } else {
        refuse(follower, KernelCounter.WRITE_BEHIND_GAP_PAGES, 0);
      }
    }
  }

  /** What follows a refused page is refused, and put off with it. */
  private void refuse(WriteRun run, KernelCounter cause, long retryNanos) {
    end(run);
    step.count(KernelCounter.WRITE_OFFERED_PAGES, run.size());
    step.count(cause, run.size());
    run.batch().add(-run.size());
    if (retryNanos > 0) {
      retries.add(run, step.nowNanos(), retryNanos);
    }
    for (WriteRun follower : run.followers()) {
      refuse(follower, cause, retryNanos);
    }
  }

  private void end(WriteRun run) {
    runs.remove(run.id());
    for (int i = 0; i < run.size(); i++) {
      if (places.get(run.number(i)) == (run.id() << INDEX_BITS | i)) {
        places.remove(run.number(i));
      }
    }
    pages -= run.size();
    bytes -= run.size() * run.pageBytes();
  }

  // ---- books -----------------------------------------------------------------------------------

  /** When something that was put off is to be asked for again, or {@link Long#MAX_VALUE}. */
  long nextDeadlineNanos() {
    return retries.nextDeadlineNanos();
  }

  /** Pages in question. */
  int pages() {
    return pages;
  }

  /** The deep check. */
  void verify() {
    int counted = 0;
    long countedBytes = 0;
    int waiting = 0;
    for (WriteRun run : runs.values()) {
      counted += run.size();
      countedBytes += run.size() * run.pageBytes();
      waiting += run.followers().size();
    }
    if (counted != pages
        || countedBytes != bytes
        || places.size() > pages
        || byTicket.size() + waiting != runs.size()) {
      throw new IllegalStateException(
          "["
              + counted
              + "] pages of ["
              + countedBytes
              + "] bytes are in question, booked are ["
              + pages
              + "] of ["
              + bytes
              + "], and ["
              + (byTicket.size() + waiting)
              + "] of ["
              + runs.size()
              + "] runs will be answered");
    }
  }
}
