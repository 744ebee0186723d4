package io.orbitkv.ssd.device;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Turns transfers into requests and the ends of requests into ends of transfers. Pure state, used
 * by one thread at a time; both engines run it.
 *
 * <p><b>Requests.</b> A transfer is cut into requests of {@link SchedulerLimits#requestBytes},
 * which are in flight together; transfers of one kind that are adjacent on the device share a
 * request up to that size. What came back short is continued; an interrupted or refused-for-now
 * attempt is repeated, at most {@link #MOST_FRUITLESS} times without a byte moved. A request that
 * failed and served several transfers is repeated for each of them alone, so that a bad block costs
 * the transfer it lies in and no neighbour.
 *
 * <p><b>Order.</b> Reads first, then speculative reads, which may fill half of the reads' limit so
 * that a read finds room. The caller never submits transfers that overlap while one of them writes:
 * requests overtake each other freely. A sync goes out at once, or in a moment without reads if one
 * comes within {@link SchedulerLimits#yieldNanos}, one at a time; those that wait meanwhile share
 * the next.
 *
 * <p><b>Writes beside reads:</b> {@link WriteShare}.
 */
final class TransferScheduler {
  /** Attempts at the same bytes that move none before the transfer fails. */
  static final int MOST_FRUITLESS = 100;

  /** Result of a request of which nobody knows whether the hardware still works on it. */
  static final long LOST = Long.MAX_VALUE;

  /** The end of a transfer; see {@link StoreDevice.Completions#completed}. */
  record Ended(Transfer transfer, int error) {}

  private final SchedulerLimits limits;
  private final @Nullable RequestLog log;
  private final LinkedHashMap<Transfer, PendingTransfer> live = new LinkedHashMap<>();
  private final TransferQueue reads = new TransferQueue();
  private final TransferQueue speculative = new TransferQueue();
  private final TransferQueue writes = new TransferQueue();
  private final List<PendingTransfer> syncs = new ArrayList<>();
  private final LaneState reading = new LaneState();
  private final LaneState writing = new LaneState();
  private final WriteShare share;
  private long lastNumber;
  private boolean syncInFlight;
  private long queuedReadBytes;
  private long queuedWriteBytes;
  private long readBytes;
  private long writtenBytes;

  TransferScheduler(SchedulerLimits limits) {
    this(limits, null);
  }

  /** One that notes down its requests. */
  TransferScheduler(SchedulerLimits limits, @Nullable RequestLog log) {
    this.limits = limits;
    this.log = log;
    share = new WriteShare(limits);
  }

  /** Takes a transfer over. */
  void add(Transfer transfer, long nowNanos) {
    PendingTransfer pending = new PendingTransfer(transfer, nowNanos);
    if (live.putIfAbsent(transfer, pending) != null) {
      throw new IllegalArgumentException(
          "the transfer at [" + transfer.offset() + "] was submitted already and has not ended");
    }
    switch (transfer.kind()) {
      case READ -> reads.add(pending);
      case SPECULATIVE_READ -> speculative.add(pending);
      case WRITE -> {
        if (writes.isEmpty()) {
          share.writesBegin(nowNanos);
        }
        writes.add(pending);
      }
      case SYNC -> syncs.add(pending);
    }
    switch (Lane.of(transfer.kind())) {
      case READ -> queuedReadBytes += transfer.bytes();
      case WRITE -> queuedWriteBytes += transfer.bytes();
    }
  }

  /** Makes a speculative read that still waits, or what of it waits, an urgent one. */
  void raise(Transfer transfer) {
    PendingTransfer pending = speculative.remove(transfer);
    if (pending != null) {
      reads.add(pending);
    }
  }

  /** The next request of a lane, which counts as in flight from now on; null when none may go. */
  @Nullable Request next(Lane lane, long nowNanos) {
    Request request = of(lane).again.poll();
    if (request == null) {
      request =
          switch (lane) {
            case READ -> nextRead(nowNanos);
            case WRITE -> nextWrite(nowNanos);
          };
    }
    if (request != null) {
      request.setIssuedNanos(nowNanos);
      of(lane).inFlight.put(request.number(), request);
    }
    return request;
  }

  /** Whether {@link #next} has a request. */
  boolean ready(Lane lane, long nowNanos) {
    return !of(lane).again.isEmpty()
        || switch (lane) {
          case READ -> mayRead() != null;
          case WRITE -> maySync(nowNanos) || mayWrite(nowNanos);
        };
  }

  /**
   * How long until writes that wait may go for their patience, when nothing else happens; {@link
   * Long#MAX_VALUE} when something else must happen.
   */
  long waitNanos(long nowNanos) {
    long waitNanos = Long.MAX_VALUE;
    if (!syncs.isEmpty() && !syncInFlight && !maySync(nowNanos)) {
      waitNanos = share.yieldLeftNanos(syncs.getFirst().arrivalNanos(), nowNanos);
    }
    if (writes.isEmpty() || mayWrite(nowNanos)) {
      return waitNanos;
    }
    if (writing.bytesInFlight == 0) {
      waitNanos = Math.min(waitNanos, share.patienceLeftNanos(nowNanos));
    }
    if (share.yields(queuedWriteBytes, writes.head().arrivalNanos(), nowNanos)) {
      waitNanos = Math.min(waitNanos, share.yieldLeftNanos(writes.head().arrivalNanos(), nowNanos));
    }
    return waitNanos;
  }

  /** The request of a lane that is in flight under a number; null for a number that is not. */
  @Nullable Request inFlight(Lane lane, long number) {
    return of(lane).inFlight.get(number);
  }

  /** Requests of a lane that are in flight. */
  int requestsInFlight(Lane lane) {
    return of(lane).inFlight.size();
  }

  /**
   * A request came back.
   *
   * @param result bytes moved, the negated error number, or {@link #LOST}
   * @param ended gets the transfers that this ends
   */
  void ended(Request request, long result, long nowNanos, List<Ended> ended) {
    if (of(request.lane()).inFlight.remove(request.number()) == null) {
      throw new IllegalStateException("request [" + request.number() + "] is not in flight");
    }
    of(request.lane()).bytesInFlight -= request.bytes();
    if (log != null) {
      log.ended(request, result, nowNanos);
    }
    if (request.lane() == Lane.READ) {
      share.readSeen(nowNanos);
    } else if (request.sync()) {
      syncInFlight = false;
    }
    if (result == -Errors.EINTR || result == -Errors.EAGAIN) {
      repeat(request, (int) -result, ended);
    } else if (result < 0) {
      failed(request, (int) -result, ended);
    } else if (result > request.bytes()) {
      // More than was asked for: whatever this was, it was not our request.
      endParts(request, StoreDevice.UNKNOWN, ended);
    } else if (request.sync()) {
      endParts(request, 0, ended);
    } else {
      moved(request, result, ended);
    }
  }

  /**
   * The lane serves no more: what waits fails, and what is in flight ends as {@link
   * StoreDevice#UNKNOWN}. May be called again for what was added since.
   */
  void abandon(Lane lane, List<Ended> ended) {
    LaneState state = of(lane);
    state.again.clear();
    state.inFlight.clear();
    state.bytesInFlight = 0;
    syncInFlight &= lane != Lane.WRITE;
    Iterator<PendingTransfer> all = live.values().iterator();
    while (all.hasNext()) {
      PendingTransfer pending = all.next();
      if (Lane.of(pending.transfer().kind()) == lane) {
        all.remove();
        unqueue(pending);
        tell(pending, pending.anyOutstanding() ? StoreDevice.UNKNOWN : Errors.EIO, ended);
      }
    }
  }

  /** A picture of the load. */
  DeviceUsage usage(String engine, long nowNanos) {
    long oldestNanos =
        live.isEmpty() ? 0 : Math.max(0, nowNanos - live.firstEntry().getValue().arrivalNanos());
    return new DeviceUsage(
        engine, queuedReadBytes, queuedWriteBytes, readBytes, writtenBytes, oldestNanos);
  }

  /** Nothing was submitted that has not ended. */
  boolean idle() {
    return live.isEmpty();
  }

  /** Nothing of a lane was submitted that has not ended. */
  boolean idle(Lane lane) {
    return live.keySet().stream().noneMatch(transfer -> Lane.of(transfer.kind()) == lane);
  }

  private @Nullable TransferQueue mayRead() {
    if (reading.inFlight.size() >= limits.requestsInFlight()
        || reading.bytesInFlight >= limits.readBytesInFlight()) {
      return null;
    }
    if (!reads.isEmpty()) {
      return reads;
    }
    // The division rounds: a limit of one request still lets one speculative request go.
    return !speculative.isEmpty() && reading.bytesInFlight * 2 < limits.readBytesInFlight()
        ? speculative
        : null;
  }

  private @Nullable Request nextRead(long nowNanos) {
    TransferQueue queue = mayRead();
    if (queue == null) {
      return null;
    }
    Request request = cut(Lane.READ, queue, limits.requestBytes());
    reading.bytesInFlight += request.bytes();
    share.readSeen(nowNanos);
    if (!writes.isEmpty() || writing.bytesInFlight > 0) {
      share.earn(request.bytes());
    }
    return request;
  }

  private boolean maySync(long nowNanos) {
    return !syncs.isEmpty()
        && !syncInFlight
        && (!readsAbout() || nowNanos - syncs.getFirst().arrivalNanos() >= limits.yieldNanos());
  }

  private boolean mayWrite(long nowNanos) {
    return !writes.isEmpty()
        && writing.inFlight.size() < limits.requestsInFlight()
        && writing.bytesInFlight < limits.writeBytesInFlight()
        && share.permits(
            readsAbout(),
            writing.bytesInFlight,
            queuedWriteBytes,
            writes.head().arrivalNanos(),
            nowNanos);
  }

  private boolean readsAbout() {
    return reading.bytesInFlight > 0 || !reads.isEmpty() || !speculative.isEmpty();
  }

  private @Nullable Request nextWrite(long nowNanos) {
    if (maySync(nowNanos)) {
      Request request = new Request(++lastNumber, Lane.WRITE, true, 0, 0);
      for (PendingTransfer waiting : syncs) {
        waiting.addOutstanding();
        request.addPart(waiting, 0);
      }
      syncs.clear();
      syncInFlight = true;
      return request;
    }
    if (!mayWrite(nowNanos)) {
      return null;
    }
    boolean calm = !readsAbout() && share.calm(nowNanos);
    Request request = cut(Lane.WRITE, writes, calm ? limits.requestBytes() : limits.besideBytes());
    writing.bytesInFlight += request.bytes();
    share.spend(request.bytes(), readsAbout(), nowNanos);
    return request;
  }

  /** Cuts the next request from the head of a queue, with what follows it on the device. */
  private Request cut(Lane lane, TransferQueue queue, long mostBytes) {
    PendingTransfer head = queue.head();
    Request request = new Request(++lastNumber, lane, false, head.nextOffset(), 0);
    PendingTransfer pending = head;
    while (pending != null) {
      pending.issueTo(request, mostBytes - request.bytes(), limits.requestVectors());
      if (!pending.fullyIssued()) {
        break;
      }
      queue.remove(pending.transfer());
      boolean full = request.bytes() >= mostBytes || request.vectors() >= limits.requestVectors();
      pending = full ? null : queue.startingAt(request.offset() + request.bytes());
    }
    return request;
  }

  private void moved(Request request, long result, List<Ended> ended) {
    // A device moves whole blocks; a rest below one is moved again.
    long done = result - result % limits.blockBytes();
    switch (request.lane()) {
      case READ -> readBytes += done;
      case WRITE -> writtenBytes += done;
    }
    if (result == 0) {
      endParts(request, StoreDevice.SHORT, ended);
      return;
    }
    if (done == request.bytes()) {
      endParts(request, 0, ended);
      return;
    }
    int fruitless = done > 0 ? 0 : request.fruitless() + 1;
    if (fruitless > MOST_FRUITLESS) {
      endParts(request, StoreDevice.SHORT, ended);
      return;
    }
    Request rest = rest(request, done, request.bytes() - done, fruitless);
    long before = done;
    for (Request.Part part : request.parts()) {
      long inside = Math.min(before, part.bytes());
      before -= inside;
      if (inside == part.bytes()) {
        endPart(part.transfer(), 0, ended);
      } else {
        rest.addPart(part.transfer(), part.bytes() - inside);
      }
    }
    putAgain(rest);
  }

  private void repeat(Request request, int error, List<Ended> ended) {
    if (request.fruitless() >= MOST_FRUITLESS) {
      failed(request, error, ended);
      return;
    }
    Request repeated = rest(request, 0, request.bytes(), request.fruitless() + 1);
    request.parts().forEach(part -> repeated.addPart(part.transfer(), part.bytes()));
    putAgain(repeated);
  }

  private void failed(Request request, int error, List<Ended> ended) {
    if (request.parts().size() == 1 || request.sync()) {
      endParts(request, error, ended);
      return;
    }
    long skip = 0;
    for (Request.Part part : request.parts()) {
      Request alone = rest(request, skip, part.bytes(), request.fruitless());
      alone.addPart(part.transfer(), part.bytes());
      putAgain(alone);
      skip += part.bytes();
    }
  }

  /** A part of a request as a new one, without its parts. */
  private Request rest(Request request, long skipBytes, long takeBytes, int fruitless) {
    Request rest =
        new Request(
            ++lastNumber, request.lane(), request.sync(), request.offset() + skipBytes, fruitless);
    rest.addMemoryOf(request, skipBytes, takeBytes);
    return rest;
  }

  /** Goes before everything that waits, and needs no credit: its bytes have had theirs. */
  private void putAgain(Request request) {
    LaneState lane = of(request.lane());
    lane.again.add(request);
    lane.bytesInFlight += request.bytes();
    syncInFlight |= request.sync();
  }

  private void endParts(Request request, int error, List<Ended> ended) {
    request.parts().forEach(part -> endPart(part.transfer(), error, ended));
  }

  private void endPart(PendingTransfer pending, int error, List<Ended> ended) {
    pending.partEnded(error);
    if (pending.error() != 0) {
      unqueue(pending);
    }
    if (pending.ended()) {
      live.remove(pending.transfer());
      tell(pending, pending.error(), ended);
    }
  }

  /** What of a failed transfer was not handed out never will be. */
  private void unqueue(PendingTransfer pending) {
    Transfer transfer = pending.transfer();
    switch (transfer.kind()) {
      case READ -> reads.remove(transfer);
      case SPECULATIVE_READ -> {
        speculative.remove(transfer);
        reads.remove(transfer);
      }
      case WRITE -> writes.remove(transfer);
      case SYNC -> syncs.remove(pending);
    }
  }

  private void tell(PendingTransfer pending, int error, List<Ended> ended) {
    Transfer transfer = pending.transfer();
    switch (Lane.of(transfer.kind())) {
      case READ -> queuedReadBytes -= transfer.bytes();
      case WRITE -> queuedWriteBytes -= transfer.bytes();
    }
    ended.add(new Ended(transfer, error));
  }

  private LaneState of(Lane lane) {
    return switch (lane) {
      case READ -> reading;
      case WRITE -> writing;
    };
  }

  /** What of one lane was handed out. */
  private static final class LaneState {
    /** In flight, by number. */
    final Map<Long, Request> inFlight = new HashMap<>();

    /** To be handed out once more. Their bytes count as in flight. */
    final Deque<Request> again = new ArrayDeque<>();

    long bytesInFlight;
  }
}
