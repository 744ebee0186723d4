package io.orbitkv.kernel.read;

import io.orbitkv.api.backing.BackingRead;
import io.orbitkv.api.backing.BackingStatus;
import io.orbitkv.api.backing.HostRun;
import io.orbitkv.api.policy.Facts;
import io.orbitkv.api.policy.PageBatch.Origin;
import io.orbitkv.kernel.BrokenInvariant;
import io.orbitkv.kernel.Command;
import io.orbitkv.kernel.Event;
import io.orbitkv.kernel.KernelCounter;
import io.orbitkv.kernel.budget.Budget;
import io.orbitkv.kernel.budget.Permits;
import io.orbitkv.kernel.budget.Reservation;
import io.orbitkv.kernel.instance.Domains;
import io.orbitkv.kernel.instance.Instance;
import io.orbitkv.kernel.policy.Asked;
import io.orbitkv.kernel.policy.PageIds;
import io.orbitkv.kernel.read.PageRead.Batch;
import io.orbitkv.kernel.read.PageRead.Waiter;
import io.orbitkv.kernel.residency.PageState;
import io.orbitkv.kernel.residency.Residency;
import io.orbitkv.kernel.residency.RetentionClass;
import io.orbitkv.kernel.residency.StoredPages;
import io.orbitkv.kernel.step.Step;
import io.orbitkv.kernel.table.LongMap;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Reads from the backing tier. Each task has some batches in flight; a page that is in flight for
 * one task is shared by every other that wants it. When the interest in a task ends its submitted
 * reads go on: pages, bytes and permit stay booked until the last report. Dispatcher.
 */
public final class Reads {
  private static final long[] NO_KEYS = new long[0];

  private final Step step;
  private final Residency residency;
  private final StoredPages stored;
  private final Domains domains;
  private final Budget budget;
  private final Permits permits;
  private final ReadSteps steps;
  private final LongMap<PageRead> byTicket = new LongMap<>();
  private final LongMap<PageRead> byPage = new LongMap<>();
  private final Set<ReadTask> tasks = new LinkedHashSet<>();
  private final ArrayDeque<ReadTask> ready = new ArrayDeque<>();
  private long lastTicket;
  private long lastEvicted;

  /** Nothing is read. */
  public Reads(
      Step step,
      Residency residency,
      StoredPages stored,
      Domains domains,
      Budget budget,
      Permits permits,
      Asked asked) {
    this.step = step;
    this.residency = residency;
    this.stored = stored;
    this.domains = domains;
    this.budget = budget;
    this.permits = permits;
    this.steps = new ReadSteps(step, asked);
  }

  /**
   * What a task came to.
   *
   * @param pages of the first places, with a reference each
   * @param reservation of exactly these; null without pages
   */
  public record Conclusion(int[] pages, @Nullable Reservation reservation) {}

  /** Whether a page can be had without the engine: from memory, from a read, from the tier. */
  public boolean obtainable(int domain, long keyHigh, long keyLow) {
    return stored.contains(domain, keyHigh, keyLow)
        || residency.findReading(domain, keyHigh, keyLow) != Residency.NONE;
  }

  // ---- submission ------------------------------------------------------------------------------

  /**
   * Takes what is in memory and submits the first batches, or waits for the plan. The task may be
   * ready at once.
   */
  public void start(ReadTask task) {
    tasks.add(task);
    if (task.holds()) {
      takeResident(task);
    }
    advance(task);
  }

  /**
   * The plan of a task is there.
   *
   * @param limits of its batches
   * @param stepwise whether somebody is asked before each further batch
   * @param wanted places from the first one on; fewer end a prefix there
   */
  public void proceed(ReadTask task, ReadTask.ReadLimits limits, boolean stepwise, int wanted) {
    task.limits(limits);
    task.stepwise = stepwise;
    task.planned = true;
    if (wanted < task.end) {
      task.cut(wanted);
    }
    advance(task);
  }

  /** The answer to a question about a further batch; returns whether it was one. */
  public boolean stepAdvised(Event.ReadOnAdvice advice) {
    ReadTask task = steps.answered(advice);
    if (task == null) {
      return false;
    }
    if (task.attached) {
      if (!advice.goOn()) {
        stop(task);
      }
      advance(task);
    }
    return true;
  }

  /** Takes what is in memory, or its own reads would evict it; and ends a prefix at a sure gap. */
  private void takeResident(ReadTask task) {
    for (int place = 0; place < task.end; place++) {
      int page = find(task, place);
      if (page != Residency.NONE) {
        take(task, place, page);
      } else if (!task.strict()) {
        int domain = task.instance().domain(task.groupOf(place));
        if (!obtainable(domain, task.keys[2 * place], task.keys[2 * place + 1])) {
          task.cut(place);
        }
      }
    }
  }

  /** The next task with nothing left to wait for, or null. It is still attached. */
  public @Nullable ReadTask ready() {
    ReadTask task = ready.poll();
    while (task != null && !task.attached) {
      task = ready.poll();
    }
    return task;
  }

  private void advance(ReadTask task) {
    ReadTask.ReadLimits limits = task.limits();
    while (maySubmit(task) && task.batchesInFlight < limits.pipeline()) {
      if (limits.maxBatches() > 0 && task.batchesSubmitted >= limits.maxBatches()) {
        stop(task);
      } else if (!steps.mayStep(task)) {
        break; // The answer goes on here.
      } else {
        submitBatch(task);
      }
    }
    if (task.attached && task.complete() && !task.listedReady) {
      task.listedReady = true;
      ready.add(task);
    }
  }

  private static boolean maySubmit(ReadTask task) {
    return task.attached && task.planned && !task.failed && task.next < task.end;
  }

  /** No further batch may be submitted; pages that are in memory anyway still count. */
  private void stop(ReadTask task) {
    while (maySubmit(task)) {
      int place = task.next;
      int page = task.isHere(place) ? task.page(place) : find(task, place);
      if (page == Residency.NONE) {
        step.count(KernelCounter.READ_STOPS);
        giveUp(task, place);
      } else {
        task.next++;
        if (!task.isHere(place)) {
          take(task, place, page);
        }
      }
    }
  }

  private void submitBatch(ReadTask task) {
    Batch batch = new Batch();
    List<BackingRead> reads = new ArrayList<>();
    while (maySubmit(task) && batch.size < task.limits().batchPages()) {
      int place = task.next++;
      if (!task.isHere(place)) {
        look(task, place, batch, reads, true);
      }
    }
    if (batch.left > 0) {
      task.batchesInFlight++;
      task.batchesSubmitted++;
      task.mayStep = false;
    }
    emit(reads);
  }

  private void emit(List<BackingRead> reads) {
    if (!reads.isEmpty()) {
      for (BackingRead read : reads) {
        PageRead running = byTicket.get(read.ticket());
        if (running != null) {
          running.submitted = true;
        }
      }
      step.emit(new Command.Read(List.copyOf(reads)));
    }
  }

  private int find(ReadTask task, int place) {
    int domain = task.instance().domain(task.groupOf(place));
    return residency.find(domain, task.keys[2 * place], task.keys[2 * place + 1]);
  }

  private void look(
      ReadTask task, int place, Batch batch, List<BackingRead> reads, boolean mayReplan) {
    int group = task.groupOf(place);
    int domain = task.instance().domain(group);
    long high = task.keys[2 * place];
    long low = task.keys[2 * place + 1];
    int page = residency.find(domain, high, low);
    if (page != Residency.NONE) {
      take(task, place, page);
      return;
    }
    page = residency.findReading(domain, high, low);
    if (page != Residency.NONE) {
      join(task, place, batch, page, mayReplan);
      return;
    }
    if (!stored.contains(domain, high, low)) {
      giveUp(task, place);
      return;
    }
    Instance instance = task.instance();
    page = residency.allocateForRead(domain, high, low, instance.runBytes(group), instance.nodes());
    if (page == Residency.NONE) {
      step.count(KernelCounter.READ_UNALLOCATED_PAGES);
      giveUp(task, place);
      return;
    }
    PageRead read = new PageRead(++lastTicket, page, domain, high, low, task.speculative);
    byTicket.put(read.ticket, read);
    byPage.put(page, read);
    wait(task, place, batch, read, false);
    step.count(KernelCounter.READ_PAGES);
    reads.add(
        new BackingRead(
            read.ticket,
            domains.stored(domain, high, low),
            runs(instance, group, page),
            read.speculative));
  }

  /** The runs of a page of an instance's group, for the backing tier. */
  private List<HostRun> runs(Instance instance, int group, int page) {
    long[] runBytes = instance.runBytes(group);
    List<HostRun> runs = new ArrayList<>(runBytes.length);
    for (int rank = 0; rank < runBytes.length; rank++) {
      runs.add(
          new HostRun(
              residency.address(page, rank), instance.slotBytes(group, rank), runBytes[rank]));
    }
    return runs;
  }

  private void join(ReadTask task, int place, Batch batch, int page, boolean mayReplan) {
    PageRead read = byPage.get(page);
    if (read == null) {
      throw new BrokenInvariant("page [" + page + "] is being read by nobody");
    }
    step.count(KernelCounter.READ_JOINED_PAGES);
    wait(task, place, batch, read, mayReplan);
    if (!task.speculative) {
      raise(read);
    }
  }

  private static void wait(
      ReadTask task, int place, Batch batch, PageRead read, boolean mayReplan) {
    read.waiters.add(new Waiter(task, place, batch, mayReplan));
    task.inFlight(place, read.page);
    batch.size++;
    batch.left++;
  }

  private void take(ReadTask task, int place, int page) {
    if (task.holds()) {
      residency.lease(page);
    }
    task.here(place, page);
  }

  private static void giveUp(ReadTask task, int place) {
    if (task.strict()) {
      task.failed = true;
    } else {
      task.cut(place);
    }
  }

  /** Speculation became foreground work: its reads go first from now on. */
  public void raise(ReadTask task) {
    task.speculative = false;
    permits.makeForeground(task.permit());
    for (int place = 0; place < task.total(); place++) {
      PageRead read = task.isInFlight(place) ? byPage.get(task.page(place)) : null;
      if (read != null) {
        raise(read);
      }
    }
  }

  private void raise(PageRead read) {
    if (read.speculative) {
      read.speculative = false;
      if (read.submitted) {
        step.emit(new Command.RaiseRead(read.ticket));
      }
    }
  }

  private BackingRead asItIsNow(BackingRead read) {
    PageRead running = byTicket.get(read.ticket());
    return running == null || running.speculative == read.speculative()
        ? read
        : new BackingRead(read.ticket(), read.key(), read.runs(), running.speculative);
  }

  // ---- reports ---------------------------------------------------------------------------------

  /** Every stored page is evicted: what is in flight is of no use to anybody any more. */
  public void evictInFlight() {
    lastEvicted = lastTicket;
  }

  private boolean evicted(PageRead read) {
    return read.ticket <= lastEvicted;
  }

  /** The one report of a page. */
  public void completed(Event.PageRead report) {
    PageRead read = byTicket.remove(report.ticket());
    if (read == null) {
      throw new BrokenInvariant("read [" + report.ticket() + "] reports its end, but does not run");
    }
    byPage.remove(read.page);
    BackingStatus status = report.status();
    int page =
        settle(read, status == BackingStatus.DONE && evicted(read) ? BackingStatus.ABSENT : status);
    List<BackingRead> again = new ArrayList<>();
    for (Waiter waiter : read.waiters) {
      arrived(waiter, page, again);
    }
    // Only now is it known who waits for a page that is read again.
    again.replaceAll(this::asItIsNow);
    emit(again);
    if (page == read.page && read.speculated && !warms(read)) {
      residency.cameAhead(page);
    }
    for (Waiter waiter : read.waiters) {
      advance(waiter.task());
    }
  }

  /** Whether a page is for whoever comes. */
  private static boolean warms(PageRead read) {
    for (Waiter waiter : read.waiters) {
      if (!waiter.task().holds()) {
        return true;
      }
    }
    return false;
  }

  /** What the report means for the page: the resident one, or none. */
  private int settle(PageRead read, BackingStatus status) {
    if (status == BackingStatus.DONE) {
      step.count(KernelCounter.READ_DONE_PAGES);
      step.count(KernelCounter.READ_BYTES, residency.bytes(read.page));
      int resident = residency.find(read.domain, read.keyHigh, read.keyLow);
      if (resident != Residency.NONE) {
        // A publish was faster: a key is never overwritten.
        residency.discardRead(read.page);
        return resident;
      }
      RetentionClass retention =
          read.speculative ? RetentionClass.RECLAIMABLE : RetentionClass.PROBATIONARY;
      residency.read(read.page, retention, read.speculated, place(read));
      return read.page;
    }
    step.count(
        switch (status) {
          case ABSENT -> KernelCounter.READ_ABSENT_PAGES;
          case CORRUPT -> KernelCounter.READ_CORRUPT_PAGES;
          case DONE, SHORT, FULL, DEVICE_ERROR, UNKNOWN -> KernelCounter.READ_FAILED_PAGES;
        });
    // What was evicted may be stored anew by now.
    if ((status == BackingStatus.ABSENT || status == BackingStatus.CORRUPT) && !evicted(read)) {
      stored.remove(read.domain, read.keyHigh, read.keyLow);
    }
    if (status == BackingStatus.UNKNOWN) {
      residency.quarantineRead(read.page);
    } else {
      residency.discardRead(read.page);
    }
    // A publish may have brought the page meanwhile.
    return residency.find(read.domain, read.keyHigh, read.keyLow);
  }

  /** Where on its chain a page is, as far as those who wait for it know. */
  private static Residency.Place place(PageRead read) {
    Origin origin = read.speculative ? Origin.PREPARATION : Origin.DEMAND;
    if (read.speculative && warms(read)) {
      origin = Origin.WARMING;
    }
    for (Waiter waiter : read.waiters) {
      ReadTask task = waiter.task();
      int place = waiter.place();
      // Pages of the prefix group come first, one after another from the chain's beginning.
      if (task.keys.length > 0 && task.groupOf(place) == 0) {
        long parent =
            place == 0
                ? Facts.UNKNOWN
                : PageIds.of(task.keys[2 * place - 2], task.keys[2 * place - 1]);
        return new Residency.Place(origin, place, parent);
      }
    }
    return new Residency.Place(origin, 0, Facts.UNKNOWN);
  }

  private void arrived(Waiter waiter, int page, List<BackingRead> again) {
    ReadTask task = waiter.task();
    int place = waiter.place();
    task.notInFlight(place);
    waiter.batch().left--;
    if (waiter.batch().left == 0) {
      task.batchesInFlight--;
    }
    if (!task.attached) {
      drained(task, place);
    } else if (!task.failed && place < task.end) {
      if (page != Residency.NONE) {
        task.arrived++;
        task.readAt(place);
        take(task, place, page);
      } else if (waiter.mayReplan()) {
        Batch batch = new Batch();
        look(task, place, batch, again, false);
        task.batchesInFlight += batch.left;
      } else {
        giveUp(task, place);
      }
    }
  }

  private void drained(ReadTask task, int place) {
    Reservation reservation = task.reservation;
    budget.shrink(
        reservation, reservation.bytes() - task.instance().pageBytes(task.groupOf(place)));
    if (task.outstanding == 0) {
      over(task, true);
    }
  }

  private void over(ReadTask task, boolean release) {
    if (release) {
      budget.release(task.reservation);
    }
    permits.release(task.permit());
    tasks.remove(task);
  }

  // ---- the end of the interest -----------------------------------------------------------------

  /**
   * The decision takes the first pages and leaves the rest. What is in flight drains.
   *
   * @param keep places that are all there
   */
  public Conclusion conclude(ReadTask task, int keep) {
    if (!task.attached || keep > task.prefix()) {
      throw new BrokenInvariant("[" + keep + "] pages are taken from a read that has not got them");
    }
    follow(task);
    task.attached = false;
    task.keys = NO_KEYS;
    long inFlight = 0;
    for (int place = task.total() - 1; place >= 0; place--) {
      if (task.isInFlight(place)) {
        inFlight += task.instance().pageBytes(task.groupOf(place));
      } else if (place >= keep && task.isHere(place) && task.holds()) {
        residency.letGo(task.page(place));
      }
    }
    Reservation all = task.reservation;
    if (keep == 0) {
      budget.shrink(all, inFlight);
      if (task.outstanding == 0) {
        over(task, true);
      }
      return new Conclusion(task.firstPages(0), null);
    }
    long kept = task.bytesOf(keep);
    budget.shrink(all, kept + inFlight);
    if (task.outstanding == 0) {
      over(task, false);
      return new Conclusion(task.firstPages(keep), all);
    }
    return new Conclusion(task.firstPages(keep), budget.split(all, kept));
  }

  /** Pages of the prefix group follow one another, so that the tail is evicted first. */
  private void follow(ReadTask task) {
    if (task.groups()[0] != 0) {
      return;
    }
    int domain = task.instance().domain(0);
    int before = Residency.NONE;
    for (int place = 0; place < task.pagesOfGroup()[0]; place++) {
      int page = task.isHere(place) ? task.page(place) : Residency.NONE;
      if (page != Residency.NONE
          && !residency.is(page, domain, task.keys[2 * place], task.keys[2 * place + 1])) {
        page = Residency.NONE; // Nobody holds what is warmed: it may be gone again.
      }
      if (page != Residency.NONE && before != Residency.NONE) {
        residency.follow(page, before);
      }
      before = page;
    }
  }

  // ---- books -----------------------------------------------------------------------------------

  /** Pages in flight. */
  public int running() {
    return byTicket.size();
  }

  /** Tasks that own bytes, attached or draining. */
  public int tasks() {
    return tasks.size();
  }

  /** Adds the references that tasks hold, by page, and checks the books. For the deep check. */
  public void countReferences(int[] references) {
    int waiters = 0;
    for (PageRead read : byTicket.values()) {
      waiters += read.waiters.size();
      if (residency.state(read.page) != PageState.READING
          || byPage.get(read.page) != read
          || read.waiters.isEmpty()) {
        throw new IllegalStateException(
            "read ["
                + read.ticket
                + "] fills the page ["
                + read.page
                + "], which is "
                + residency.state(read.page));
      }
    }
    int outstanding = 0;
    for (ReadTask task : tasks) {
      outstanding += task.outstanding;
      long inFlight = 0;
      for (int place = 0; place < task.total(); place++) {
        if (task.isInFlight(place)) {
          inFlight += task.instance().pageBytes(task.groupOf(place));
        } else if (task.attached && task.holds() && task.isHere(place)) {
          references[task.page(place)]++;
        }
      }
      long bytes = task.attached ? task.bytesOf(task.total()) : inFlight;
      if (bytes != task.reservation.bytes() || (!task.attached && task.outstanding == 0)) {
        throw new IllegalStateException(
            "a read with ["
                + task.outstanding
                + "] pages in flight is charged ["
                + task.reservation.bytes()
                + "] bytes, not ["
                + bytes
                + "]");
      }
    }
    if (waiters != outstanding || byTicket.size() != residency.pages(PageState.READING)) {
      throw new IllegalStateException(
          "[" + waiters + "] places wait for reads, [" + outstanding + "] are booked");
    }
  }
}
