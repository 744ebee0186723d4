package io.orbitkv.kernel.transfer;

import io.orbitkv.api.backing.BackingStatus;
import io.orbitkv.api.backing.HostRun;
import io.orbitkv.api.page.GroupRule;
import io.orbitkv.api.page.SlotLayout;
import io.orbitkv.kernel.BrokenInvariant;
import io.orbitkv.kernel.Command;
import io.orbitkv.kernel.Event;
import io.orbitkv.kernel.KernelCounter;
import io.orbitkv.kernel.WriteAdmission;
import io.orbitkv.kernel.WriteSettings;
import io.orbitkv.kernel.instance.Domains;
import io.orbitkv.kernel.instance.Instance;
import io.orbitkv.kernel.policy.Asked;
import io.orbitkv.kernel.policy.Lineage;
import io.orbitkv.kernel.residency.PageState;
import io.orbitkv.kernel.residency.Residency;
import io.orbitkv.kernel.residency.StoredPages;
import io.orbitkv.kernel.step.Step;
import io.orbitkv.kernel.table.LongMap;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Sealed pages on their way to the backing tier. A page that waits is only remembered, not held: it
 * may be evicted first, and is counted then. A submitted write holds its page until its report.
 * Each offered page is counted in exactly one end. Dispatcher.
 *
 * <p>What exceeds the queue or the tier's allowance is dropped chain by chain: the deepest page of
 * the chain with the most waiting bytes, the newcomer's chain included, until the newcomer fits or
 * is itself that page. A page of a group that needs its whole prefix is of no use behind a gap: it
 * is refused unless the page before it is stored, waits or is being written. Pages before it that
 * are in host memory still are offered again first, as far as there is room that nobody wants.
 */
public final class Writes {
  /** Pages before a page that are looked at to close the gap before it. */
  private static final int MOST_BEFORE = 1024;

  private final Step step;
  private final Residency residency;
  private final StoredPages stored;
  private final Domains domains;
  private final WriteSettings settings;
  private final WriteAdmission admission;
  private final WriteQuestions questions;
  private final WriteQueue queue = new WriteQueue();
  private final LongMap<Page> inFlight = new LongMap<>();
  private final ArrayDeque<WriteBatch> batches = new ArrayDeque<>();
  private final int[] before = new int[MOST_BEFORE];
  private WriteBatch batch = new WriteBatch();
  private long inFlightBytes;
  private long allowanceBytes = Long.MAX_VALUE;
  private long lastTicket;
  private boolean held;

  // Of this step alone: the segment that grows, and the page that was refused last, with its cause.
  private WriteQueue.@Nullable Segment growing;
  private int refused = Residency.NONE;
  private KernelCounter refusedFor = KernelCounter.WRITE_BEHIND_GAP_PAGES;

  /** Nothing waits. */
  public Writes(
      Step step,
      Residency residency,
      StoredPages stored,
      Domains domains,
      WriteAdmission admission,
      Asked asked,
      Lineage lineage) {
    this.step = step;
    this.residency = residency;
    this.stored = stored;
    this.domains = domains;
    this.admission = admission;
    this.settings = step.settings().writes();
    this.questions = new WriteQuestions(step, residency, stored, asked, lineage, this);
    batches.add(batch);
  }

  /** A page that is being written. */
  private record Page(WriteQueue.Segment segment, int index, int number) {}

  // ---- offers ----------------------------------------------------------------------------------

  /**
   * A page of an instance's group has sealed.
   *
   * @param parentHigh first half of the key before it on its chain; both halves 0 for none
   * @param parentLow second half
   */
  void offer(Instance instance, int group, int number, long parentHigh, long parentLow) {
    if (!settings.present()) {
      return;
    }
    if (isKnown(number) || questions.isQuestioned(number)) {
      step.count(KernelCounter.WRITE_OFFERED_PAGES);
      step.count(KernelCounter.WRITE_DUPLICATE_PAGES);
      return;
    }
    if (questions.asks()) {
      questions.offer(instance, group, number, parentHigh, parentLow);
      return;
    }
    int domain = residency.domain(number);
    boolean first = parentHigh == 0 && parentLow == 0;
    int parent = first ? Residency.NONE : residency.find(domain, parentHigh, parentLow);
    if (needsPrefix(instance, group) && !first && !stored.contains(domain, parentHigh, parentLow)) {
      if (parent != Residency.NONE && refusedNow(parent)) {
        refuseBehind(number);
        return;
      }
      if (parent == Residency.NONE || !(isQueued(parent) || closeGap(instance, group, parent))) {
        refuseOffered(number, KernelCounter.WRITE_BEHIND_GAP_PAGES);
        return;
      }
    }
    enter(instance, group, number, parent, batch, false);
  }

  private static boolean needsPrefix(Instance instance, int group) {
    return instance.groupSpecs().get(group).rule() instanceof GroupRule.Prefix;
  }

  /**
   * A foreground query returned a resident page, or it was published again. If a policy is asked
   * what is written, that is an occasion to ask for a page that is not stored.
   *
   * @param parentHigh first half of the key before it on its chain; both halves 0 for none
   * @param parentLow second half
   */
  public void touched(Instance instance, int group, int number, long parentHigh, long parentLow) {
    if (listensToTouches() && residency.state(number) == PageState.RESIDENT) {
      offerAgain(instance, group, number, parentHigh, parentLow);
    }
  }

  /** Whether touches are of any interest. */
  public boolean listensToTouches() {
    return settings.present() && questions.asks();
  }

  /** The same for a page whose turn has come again. */
  void offerAgain(Instance instance, int group, int number, long parentHigh, long parentLow) {
    if (!isKnown(number) && !questions.isQuestioned(number)) {
      offer(instance, group, number, parentHigh, parentLow);
    }
  }

  /** A policy let a page of a run in. Pages come in their order. */
  void admitted(WriteRun run, int index) {
    int domain = run.domain();
    int number = run.number(index);
    if (!residency.is(number, domain, run.keyHigh(index), run.keyLow(index))) {
      step.count(KernelCounter.WRITE_OFFERED_PAGES);
      step.count(KernelCounter.WRITE_EVICTED_PAGES);
      return;
    }
    if (isKnown(number)) {
      step.count(KernelCounter.WRITE_OFFERED_PAGES);
      step.count(KernelCounter.WRITE_DUPLICATE_PAGES);
      return;
    }
    long high = run.parentHigh(index);
    long low = run.parentLow(index);
    boolean first = high == 0 && low == 0;
    int parent = first ? Residency.NONE : residency.find(domain, high, low);
    if (!first
        && needsPrefix(run.instance(), run.group())
        && !stored.contains(domain, high, low)
        && (parent == Residency.NONE || !isQueued(parent))) {
      refuseOffered(
          number,
          parent != Residency.NONE && refusedNow(parent)
              ? refusedFor
              : KernelCounter.WRITE_BEHIND_GAP_PAGES);
      return;
    }
    enter(run.instance(), run.group(), number, parent, run.batch(), true);
  }

  /** Whether a page is the one that was refused last in this step. */
  boolean refusedNow(int number) {
    return refused == number;
  }

  /** A page that follows the one that was refused last goes the same way. */
  void refuseBehind(int number) {
    refuseOffered(number, refusedFor);
  }

  /** A page is offered, and lost. */
  void refuseOffered(int number, KernelCounter cause) {
    step.count(KernelCounter.WRITE_OFFERED_PAGES);
    refuse(number, cause);
  }

  /** The pages that are waited for together with those that come now. */
  WriteBatch batch() {
    return batch;
  }

  /** The answer to a question about pages to be written; returns whether it was one. */
  public boolean advised(Event.AdmissionAdvice advice) {
    return questions.advised(advice);
  }

  /** When something is to be asked for again, or {@link Long#MAX_VALUE}. */
  public long nextDeadlineNanos() {
    return questions.nextDeadlineNanos();
  }

  /** Offers what is missing up to a page, if there is room for all of it and one page more. */
  private boolean closeGap(Instance instance, int group, int parent) {
    int count = 0;
    int page = parent;
    while (page != Residency.NONE && !isKnown(page)) {
      if (count == MOST_BEFORE) {
        return false;
      }
      before[count++] = page;
      if (residency.beginsChain(page)) {
        break;
      }
      page = residency.parent(page);
    }
    if (page == Residency.NONE || !hasRoom((count + 1) * residency.bytes(parent))) {
      return false;
    }
    for (int i = count - 1; i >= 0; i--) {
      int next = before[i];
      int previous = residency.beginsChain(next) ? Residency.NONE : residency.parent(next);
      if (!enter(instance, group, next, previous, batch, false)) {
        return false;
      }
    }
    return true;
  }

  /** A page comes whose predecessor is there. Returns whether it waits now. */
  private boolean enter(
      Instance instance, int group, int number, int parent, WriteBatch into, boolean admitted) {
    step.count(KernelCounter.WRITE_OFFERED_PAGES);
    WriteQueue.Segment behind =
        parent != Residency.NONE && isQueued(parent) ? queue.segmentOf(parent) : null;
    WriteQueue.Chain chain = behind == null ? null : behind.chain();
    int depth = behind == null ? 0 : behind.depth(queue.indexOf(parent)) + 1;
    long bytes = residency.bytes(number);
    WriteQueue.Segment segment = growing;
    boolean grows = segment != null && segment.endsWith(parent);
    if (!grows && !admitted && !admits(number, bytes, depth)) {
      refuse(number, KernelCounter.WRITE_REFUSED_PAGES);
      return false;
    }
    KernelCounter cause = makeRoom(chain, depth, bytes);
    if (cause != null) {
      refuse(number, cause);
      return false;
    }
    int domain = residency.domain(number);
    // What made room may have been the end of the segment that grew.
    if (segment == null || !segment.endsWith(parent)) {
      WriteQueue.Kind kind = new WriteQueue.Kind(domain, bytes, instance.slotBytes(group));
      segment = queue.begin(chain, depth, kind, into);
      growing = segment;
    }
    queue.append(segment, number, residency.keyHigh(number), residency.keyLow(number));
    return true;
  }

  private boolean admits(int number, long bytes, int depth) {
    return admission.admits(
        new WriteAdmission.Piece(
            domains.stored(
                residency.domain(number), residency.keyHigh(number), residency.keyLow(number)),
            bytes,
            depth));
  }

  /** Drops what must go for a page. Returns null, or why the page itself must go. */
  private @Nullable KernelCounter makeRoom(
      WriteQueue.@Nullable Chain chain, int depth, long bytes) {
    if (bytes > settings.queueBytes()) {
      return KernelCounter.WRITE_QUEUE_FULL_PAGES;
    }
    if (bytes > allowanceBytes - inFlightBytes) {
      return KernelCounter.WRITE_BUDGET_PAGES;
    }
    for (KernelCounter cause = shortage(bytes); cause != null; cause = shortage(bytes)) {
      WriteQueue.Chain largest = queue.largest();
      long own = (chain == null ? 0 : chain.bytes()) + bytes;
      if (largest == null || largest == chain || own >= largest.bytes()) {
        if (chain == null || depth >= chain.deepest()) {
          return cause;
        }
        largest = chain;
      }
      drop(largest, cause);
    }
    return null;
  }

  /** Whether so many bytes more may wait without driving others out. */
  boolean hasRoom(long bytes) {
    return shortage(bytes) == null;
  }

  /** What is short when so many bytes more wait, or null. */
  private @Nullable KernelCounter shortage(long bytes) {
    if (bytes > settings.queueBytes() - queue.bytes()) {
      return KernelCounter.WRITE_QUEUE_FULL_PAGES;
    }
    return bytes > allowanceBytes - inFlightBytes - queue.bytes()
        ? KernelCounter.WRITE_BUDGET_PAGES
        : null;
  }

  private void drop(WriteQueue.Chain chain, KernelCounter cause) {
    queue.dropDeepest(chain);
    step.count(cause);
  }

  private void refuse(int number, KernelCounter cause) {
    refused = number;
    refusedFor = cause;
    step.count(cause);
  }

  /** Whether a resident page is stored, waits to be written or is being written. */
  boolean isKnown(int number) {
    return isQueued(number)
        || stored.contains(
            residency.domain(number), residency.keyHigh(number), residency.keyLow(number));
  }

  boolean isQueued(int number) {
    if (number == Residency.NONE) {
      return false;
    }
    WriteQueue.Segment segment = queue.segmentOf(number);
    if (segment == null) {
      return false;
    }
    // The number may belong to another page by now.
    int index = queue.indexOf(number);
    return segment.kind().domain() == residency.domain(number)
        && segment.keyHigh(index) == residency.keyHigh(number)
        && segment.keyLow(index) == residency.keyLow(number);
  }

  /**
   * How much may be written from now on, as the tier says: what is submitted and not reported is to
   * fit into it.
   *
   * @param bytes {@link Long#MAX_VALUE} for no limit
   */
  public void allowance(long bytes) {
    allowanceBytes = bytes;
    while (queue.bytes() > 0 && shortage(0) == KernelCounter.WRITE_BUDGET_PAGES) {
      WriteQueue.Chain largest = queue.largest();
      if (largest == null) {
        throw new BrokenInvariant("[" + queue.bytes() + "] bytes wait on no chain");
      }
      drop(largest, KernelCounter.WRITE_BUDGET_PAGES);
    }
  }

  // ---- writing ---------------------------------------------------------------------------------

  /** The maintenance tick. */
  public void tick() {
    questions.tick();
  }

  /** At the end of each step: asks what is to be asked, and submits what may be in flight. */
  public void pump() {
    questions.pump();
    growing = null;
    refused = Residency.NONE;
    if (held) {
      return;
    }
    for (WriteQueue.Segment segment = queue.oldest();
        segment != null && fits(segment);
        segment = queue.oldest()) {
      int index = WriteQueue.next(segment);
      int domain = segment.kind().domain();
      long high = segment.keyHigh(index);
      long low = segment.keyLow(index);
      if (stored.contains(domain, high, low)) {
        // Stored while it waited: an earlier copy of it was in flight.
        queue.skip(segment);
        step.count(KernelCounter.WRITE_DUPLICATE_PAGES);
      } else if (residency.is(segment.number(index), domain, high, low)) {
        queue.take(segment);
        submit(segment, index);
      } else {
        queue.skip(segment);
        step.count(KernelCounter.WRITE_EVICTED_PAGES);
      }
    }
  }

  private boolean fits(WriteQueue.Segment segment) {
    return inFlight.size() == 0
        || inFlightBytes + segment.kind().bytes() <= settings.inFlightBytes();
  }

  private void submit(WriteQueue.Segment segment, int index) {
    int number = segment.number(index);
    residency.hold(number);
    inFlightBytes += segment.kind().bytes();
    long ticket = ++lastTicket;
    inFlight.put(ticket, new Page(segment, index, number));
    long[] slotBytes = segment.kind().slotBytes();
    List<HostRun> runs = new ArrayList<>(slotBytes.length);
    for (int rank = 0; rank < slotBytes.length; rank++) {
      long payload = slotBytes[rank];
      runs.add(
          new HostRun(
              residency.address(number, rank),
              payload,
              Math.ceilDiv(payload, SlotLayout.RUN_ALIGNMENT) * SlotLayout.RUN_ALIGNMENT));
    }
    int domain = segment.kind().domain();
    step.emit(
        new Command.Write(
            ticket,
            domains.stored(domain, segment.keyHigh(index), segment.keyLow(index)),
            domains.scope(domain),
            List.copyOf(runs)));
  }

  /** The one report of a write. */
  public void completed(Event.PageWritten report) {
    Page page = inFlight.remove(report.ticket());
    if (page == null) {
      throw new BrokenInvariant(
          "write [" + report.ticket() + "] reports its end, but does not run");
    }
    WriteQueue.Segment segment = page.segment();
    int domain = segment.kind().domain();
    long bytes = segment.kind().bytes();
    inFlightBytes -= bytes;
    if (allowanceBytes != Long.MAX_VALUE && report.status() == BackingStatus.DONE) {
      // Until the tier says anew what is left.
      allowanceBytes = Math.max(0, allowanceBytes - bytes);
    }
    queue.written(segment, page.index());
    if (report.status() == BackingStatus.UNKNOWN) {
      residency.quarantine(page.number()); // The device may still read it.
    }
    residency.letGoOfWrite(page.number());
    if (report.status() == BackingStatus.DONE) {
      stored.add(domain, segment.keyHigh(page.index()), segment.keyLow(page.index()));
      step.count(KernelCounter.WRITTEN_PAGES);
      step.count(KernelCounter.WRITTEN_BYTES, bytes);
    } else {
      step.count(
          report.status() == BackingStatus.FULL
              ? KernelCounter.WRITE_STORE_FULL_PAGES
              : KernelCounter.WRITE_FAILED_PAGES);
    }
  }

  // ---- waiting for writes ----------------------------------------------------------------------

  /** Nothing is submitted from now on, until {@link #resume}. */
  void hold() {
    held = true;
  }

  /** Pages are submitted again, at the end of this step. */
  void resume() {
    held = false;
  }

  /** The pages that were queued until now, as one batch together with all that came before. */
  WriteBatch mark() {
    WriteBatch marked = batch;
    batch = new WriteBatch();
    batches.add(batch);
    return marked;
  }

  /** The oldest marked batch if none of its pages is left; it is not returned again. */
  @Nullable WriteBatch ended() {
    WriteBatch oldest = batches.getFirst();
    return oldest == batch || oldest.pending() > 0 ? null : batches.removeFirst();
  }

  // ---- books -----------------------------------------------------------------------------------

  /** Pages that wait. */
  public int queued() {
    return queue.pages();
  }

  /** Bytes of pages that wait. */
  public long queuedBytes() {
    return queue.bytes();
  }

  /** Submitted writes. */
  public int running() {
    return inFlight.size();
  }

  /** Adds the references that writes hold, by page. For the deep check. */
  public void countReferences(int[] references) {
    long bytes = 0;
    for (Page page : inFlight.values()) {
      references[page.number()]++;
      bytes += page.segment().kind().bytes();
    }
    queue.verify();
    long pending = 0;
    for (WriteBatch each : batches) {
      pending += each.pending();
    }
    questions.verify();
    int waitedFor = queue.pages() + inFlight.size() + questions.pages();
    if (bytes != inFlightBytes || pending != waitedFor) {
      throw new IllegalStateException(
          "writes in flight have ["
              + bytes
              + "] bytes, booked are ["
              + inFlightBytes
              + "]; ["
              + pending
              + "] pages are waited for, there are ["
              + waitedFor
              + "]");
    }
  }
}
