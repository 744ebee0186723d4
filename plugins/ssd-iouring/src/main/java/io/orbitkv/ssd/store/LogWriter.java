package io.orbitkv.ssd.store;

import io.orbitkv.api.backing.BackingStatus;
import io.orbitkv.api.backing.HostRun;
import io.orbitkv.ssd.device.Span;
import io.orbitkv.ssd.device.Transfer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Appends records to the open segment, one transfer each, one behind the other, so that the device
 * can merge neighbours. Ends are reported in the order of the places: one that failed takes all
 * behind it in its segment with it, and the segment is sealed at the part that held.
 */
final class LogWriter {
  private final Layout layout;
  private final int reserveSegments;
  private final Scratch scratch;
  private final Transfers transfers;
  private final Catalog catalog;
  private final Superblocks superblocks;
  private final KillLog killLog;
  private final Sealer sealer;
  private final Health health;
  private final ArrayDeque<Append> copies = new ArrayDeque<>();
  private final ArrayDeque<Append> waiting = new ArrayDeque<>();
  private final ArrayDeque<Segment> prepared = new ArrayDeque<>();
  private @Nullable Segment open;
  private boolean wanted;

  LogWriter(
      Layout layout,
      int reserveSegments,
      Scratch scratch,
      Transfers transfers,
      Catalog catalog,
      Superblocks superblocks,
      KillLog killLog,
      Sealer sealer,
      Health health) {
    this.layout = layout;
    this.reserveSegments = reserveSegments;
    this.scratch = scratch;
    this.transfers = transfers;
    this.catalog = catalog;
    this.superblocks = superblocks;
    this.killLog = killLog;
    this.sealer = sealer;
    this.health = health;
  }

  /** Whether a segment with nothing else in it holds such a record. */
  boolean fits(long blocks) {
    return 1 + blocks + Footer.blocks(1, layout.blockBytes()) <= layout.segmentBlocks();
  }

  void append(Append append) {
    wanted = true;
    (append.copy ? copies : waiting).add(append);
  }

  /** A segment is ready to be written. */
  void prepared(Segment segment) {
    segment.state = Segment.State.PREPARED;
    prepared.add(segment);
  }

  int preparedSegments() {
    return prepared.size();
  }

  /** Whether anything was ever appended: only then are segments prepared. */
  boolean isWanted() {
    return wanted;
  }

  void pump() {
    // Copies first and from the reserve too: they are what makes room.
    place(copies, 0);
    place(waiting, reserveSegments);
  }

  private void place(ArrayDeque<Append> queue, int reserve) {
    while (!queue.isEmpty() && scratch.hasWriteHeader()) {
      Segment segment = roomFor(queue.getFirst().blocks, reserve);
      if (segment == null) {
        return;
      }
      write(queue.removeFirst(), segment);
    }
  }

  private @Nullable Segment roomFor(int blocks, int reserve) {
    Segment present = open;
    if (present != null) {
      int footer = Footer.blocks(present.records + 1, layout.blockBytes());
      if (present.nextBlock + blocks + footer <= layout.segmentBlocks()) {
        return present;
      }
    }
    if (prepared.size() <= reserve) {
      return null;
    }
    closeOpen();
    Segment next = prepared.removeFirst();
    next.state = Segment.State.OPEN;
    open = next;
    return next;
  }

  private void write(Append append, Segment segment) {
    append.segment = segment;
    append.block = segment.nextBlock;
    append.header = scratch.takeWriteHeader();
    segment.nextBlock += append.blocks;
    segment.records++;
    segment.pending.add(append);
    long offset = layout.offset(segment.number, append.block);
    catalog.place(append.page, segment, append.block);
    RecordHeader.encode(
        scratch.memory,
        append.header,
        layout.blockBytes(),
        superblocks.store(),
        new Place(segment.mountEpoch, segment.pass, offset),
        catalog.pages,
        append.page,
        catalog.namespaces,
        append.runs,
        append.checksum);
    List<Span> spans = new ArrayList<>(1 + append.runs.size());
    spans.add(scratch.block(append.header));
    for (HostRun run : append.runs) {
      spans.add(new Span(run.address(), run.runBytes()));
    }
    transfers.submit(
        Transfer.Kind.WRITE, offset, spans, error -> completed(append, segment, error));
  }

  private void completed(Append append, Segment segment, int error) {
    append.completed = true;
    append.error = error;
    if (Transfers.isUnknown(error)) {
      scratch.abandon();
      segment.uncertain = true;
    } else {
      scratch.giveWriteHeader(append.header);
    }
    if (error == 0) {
      health.succeeded();
    } else {
      health.failed(error);
    }
    settle(segment);
  }

  private void settle(Segment segment) {
    while (!segment.pending.isEmpty() && segment.pending.getFirst().completed) {
      Append first = segment.pending.removeFirst();
      if (first.error != 0) {
        segment.failed = true;
      }
      if (segment.failed) {
        fail(first, segment);
      } else {
        accept(first);
      }
    }
    if (segment.failed && segment == open) {
      closeOpen();
    } else if (segment.state == Segment.State.SEALING && segment.pending.isEmpty()) {
      sealer.seal(segment);
    }
  }

  private void accept(Append append) {
    if (append.forgotten) {
      append.end.ended(append, BackingStatus.ABSENT);
      return;
    }
    catalog.accept(append.page);
    append.end.ended(append, BackingStatus.DONE);
  }

  private void fail(Append append, Segment segment) {
    // Its header may be on the device: a later eviction of the page must hold for it too.
    if (!append.forgotten) {
      killLog.add(segment, append.block);
      catalog.remove(append.page, false);
    }
    append.end.ended(
        append,
        Transfers.isUnknown(append.error) ? BackingStatus.UNKNOWN : BackingStatus.DEVICE_ERROR);
  }

  /** An append's page was evicted; what is under way ends as it does. */
  void forget(Append append) {
    append.forgotten = true;
    Segment segment = append.segment;
    catalog.remove(append.page, false);
    if (segment != null) {
      killLog.add(segment, append.block);
    } else if (copies.remove(append) || waiting.remove(append)) {
      append.end.ended(append, BackingStatus.ABSENT);
    }
  }

  /** Ends everything that has no place yet and returns how many pages of the owner that were. */
  int refuseWaiting(BackingStatus status) {
    int refused = waiting.size();
    for (ArrayDeque<Append> queue : List.of(copies, waiting)) {
      while (!queue.isEmpty()) {
        Append append = queue.removeFirst();
        catalog.remove(append.page, false);
        append.end.ended(append, status);
      }
    }
    return refused;
  }

  boolean hasWaiting() {
    return !waiting.isEmpty() || !copies.isEmpty();
  }

  /** No more records into the open segment. */
  void closeOpen() {
    Segment segment = open;
    open = null;
    if (segment != null) {
      segment.state = Segment.State.SEALING;
      if (segment.pending.isEmpty()) {
        sealer.seal(segment);
      }
    }
  }
}
