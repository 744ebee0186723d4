package io.orbitkv.kernel.transfer;

import io.orbitkv.api.backing.BackingStatus;
import io.orbitkv.api.backing.HostRun;
import io.orbitkv.api.page.SlotLayout;
import io.orbitkv.kernel.BrokenInvariant;
import io.orbitkv.kernel.Command;
import io.orbitkv.kernel.Event;
import io.orbitkv.kernel.KernelCounter;
import io.orbitkv.kernel.WriteSettings;
import io.orbitkv.kernel.instance.Domains;
import io.orbitkv.kernel.instance.Instance;
import io.orbitkv.kernel.residency.Residency;
import io.orbitkv.kernel.residency.StoredPages;
import io.orbitkv.kernel.step.Step;
import io.orbitkv.kernel.table.LongMap;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;

/**
 * Sealed pages on their way to the backing tier. A page that waits is only remembered, not held: it
 * may be evicted first, and is counted then. A submitted write holds its page until its report.
 * Each offered page is counted in exactly one end. Dispatcher.
 */
public final class Writes {
  private final Step step;
  private final Residency residency;
  private final StoredPages stored;
  private final Domains domains;
  private final WriteSettings settings;
  private final ArrayDeque<Page> queue = new ArrayDeque<>();
  private final LongMap<Page> inFlight = new LongMap<>();
  private final LongMap<Page> pending = new LongMap<>();
  private long queuedBytes;
  private long inFlightBytes;
  private long lastTicket;

  /** Nothing waits. */
  public Writes(Step step, Residency residency, StoredPages stored, Domains domains) {
    this.step = step;
    this.residency = residency;
    this.stored = stored;
    this.domains = domains;
    this.settings = step.settings().writes();
  }

  /** A page that is to be written. It is equal to itself alone. */
  private static final class Page {
    final int number;
    final int domain;
    final long keyHigh;
    final long keyLow;
    final long bytes;
    final long[] slotBytes;

    Page(int number, int domain, long keyHigh, long keyLow, long bytes, long[] slotBytes) {
      this.number = number;
      this.domain = domain;
      this.keyHigh = keyHigh;
      this.keyLow = keyLow;
      this.bytes = bytes;
      this.slotBytes = slotBytes;
    }
  }

  /** A page of an instance's group has sealed. */
  void offer(Instance instance, int group, int number) {
    if (!settings.present()) {
      return;
    }
    step.count(KernelCounter.WRITE_OFFERED_PAGES);
    int domain = residency.domain(number);
    long high = residency.keyHigh(number);
    long low = residency.keyLow(number);
    Page former = pending.get(number);
    boolean queued =
        former != null && former.domain == domain && former.keyHigh == high && former.keyLow == low;
    if (queued || stored.contains(domain, high, low)) {
      step.count(KernelCounter.WRITE_DUPLICATE_PAGES);
      return;
    }
    long bytes = residency.bytes(number);
    if (queuedBytes + bytes > settings.queueBytes()) {
      step.count(KernelCounter.WRITE_QUEUE_FULL_PAGES);
      return;
    }
    long[] slotBytes = new long[instance.worldSize()];
    for (int rank = 0; rank < slotBytes.length; rank++) {
      slotBytes[rank] = instance.slotBytes(group, rank);
    }
    Page page = new Page(number, domain, high, low, bytes, slotBytes);
    pending.put(number, page);
    queue.add(page);
    queuedBytes += bytes;
  }

  /** Submits what may be in flight. */
  public void pump() {
    for (Page page = queue.peek(); page != null && fits(page); page = queue.peek()) {
      queue.remove();
      queuedBytes -= page.bytes;
      if (stored.contains(page.domain, page.keyHigh, page.keyLow)) {
        // Stored while it waited: an earlier copy of it was in flight.
        forget(page);
        step.count(KernelCounter.WRITE_DUPLICATE_PAGES);
      } else if (residency.is(page.number, page.domain, page.keyHigh, page.keyLow)) {
        submit(page);
      } else {
        forget(page);
        step.count(KernelCounter.WRITE_EVICTED_PAGES);
      }
    }
  }

  private boolean fits(Page page) {
    return inFlight.size() == 0 || inFlightBytes + page.bytes <= settings.inFlightBytes();
  }

  private void submit(Page page) {
    residency.hold(page.number);
    inFlightBytes += page.bytes;
    long ticket = ++lastTicket;
    inFlight.put(ticket, page);
    List<HostRun> runs = new ArrayList<>(page.slotBytes.length);
    for (int rank = 0; rank < page.slotBytes.length; rank++) {
      long payload = page.slotBytes[rank];
      runs.add(
          new HostRun(
              residency.address(page.number, rank),
              payload,
              Math.ceilDiv(payload, SlotLayout.RUN_ALIGNMENT) * SlotLayout.RUN_ALIGNMENT));
    }
    step.emit(
        new Command.Write(
            ticket, domains.stored(page.domain, page.keyHigh, page.keyLow), List.copyOf(runs)));
  }

  /** The one report of a write. */
  public void completed(Event.PageWritten report) {
    Page page = inFlight.remove(report.ticket());
    if (page == null) {
      throw new BrokenInvariant(
          "write [" + report.ticket() + "] reports its end, but does not run");
    }
    inFlightBytes -= page.bytes;
    forget(page);
    if (report.status() == BackingStatus.UNKNOWN) {
      residency.quarantine(page.number); // The device may still read it.
    }
    residency.letGoOfWrite(page.number);
    if (report.status() == BackingStatus.DONE) {
      stored.add(page.domain, page.keyHigh, page.keyLow);
      step.count(KernelCounter.WRITTEN_PAGES);
      step.count(KernelCounter.WRITTEN_BYTES, page.bytes);
    } else {
      step.count(
          report.status() == BackingStatus.FULL
              ? KernelCounter.WRITE_STORE_FULL_PAGES
              : KernelCounter.WRITE_FAILED_PAGES);
    }
  }

  private void forget(Page page) {
    if (pending.get(page.number) == page) {
      pending.remove(page.number);
    }
  }

  // ---- books -----------------------------------------------------------------------------------

  /** Pages that wait. */
  public int queued() {
    return queue.size();
  }

  /** Bytes of pages that wait. */
  public long queuedBytes() {
    return queuedBytes;
  }

  /** Submitted writes. */
  public int running() {
    return inFlight.size();
  }

  /** Adds the references that writes hold, by page. For the deep check. */
  public void countReferences(int[] references) {
    long bytes = 0;
    for (Page page : inFlight.values()) {
      references[page.number]++;
      bytes += page.bytes;
    }
    long waiting = 0;
    for (Page page : queue) {
      waiting += page.bytes;
    }
    if (bytes != inFlightBytes || waiting != queuedBytes) {
      throw new IllegalStateException(
          "writes in flight have ["
              + bytes
              + "] bytes, booked are ["
              + inFlightBytes
              + "]; waiting have ["
              + waiting
              + "], booked are ["
              + queuedBytes
              + "]");
    }
  }
}
