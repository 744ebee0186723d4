package io.orbitkv.ssd.store;

import io.orbitkv.api.backing.BackingRead;
import io.orbitkv.api.backing.BackingStatus;
import io.orbitkv.api.backing.HostRun;
import io.orbitkv.ssd.device.Span;
import io.orbitkv.ssd.device.StoreDevice;
import io.orbitkv.ssd.device.Transfer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Reads pages: header and runs in one transfer. The header is compared before the payload is
 * checked, and what is served has passed both.
 */
final class Reads {
  private static final int MOST_ERRORS = 2;

  private final Layout layout;
  private final Shapes shapes;
  private final int most;
  private final Scratch scratch;
  private final Transfers transfers;
  private final Checks checks;
  private final Catalog catalog;
  private final Superblocks superblocks;
  private final Removal removal;
  private final Health health;
  private final Counters counters;
  private final StoreOutbox outbox;
  private final Map<Long, Transfer> speculative = new HashMap<>();
  private int inFlight;
  private int sinceTick;
  private int beforeTick;

  Reads(
      Layout layout,
      Shapes shapes,
      int most,
      Scratch scratch,
      Transfers transfers,
      Checks checks,
      Catalog catalog,
      Superblocks superblocks,
      Removal removal,
      Health health,
      Counters counters,
      StoreOutbox outbox) {
    this.layout = layout;
    this.shapes = shapes;
    this.most = most;
    this.scratch = scratch;
    this.transfers = transfers;
    this.checks = checks;
    this.catalog = catalog;
    this.superblocks = superblocks;
    this.removal = removal;
    this.health = health;
    this.counters = counters;
    this.outbox = outbox;
  }

  /**
   * A read under way.
   *
   * @param generation that the page had, for it may be another one when the read ends
   */
  private record Read(
      BackingRead read, int page, long generation, Segment segment, Place place, long header) {}

  boolean read(BackingRead read) {
    int page = catalog.find(read.key());
    if (page == PageTable.NONE || catalog.pages.state(page) != PageTable.STORED) {
      outbox.readDone(read.ticket(), BackingStatus.ABSENT);
      return true;
    }
    if (!isOfShape(page, read.runs())) {
      outbox.readDone(read.ticket(), BackingStatus.SHORT);
      return true;
    }
    if (inFlight == most || !scratch.hasReadHeader()) {
      return false;
    }
    inFlight++;
    sinceTick++;
    catalog.use(page);
    Segment segment = catalog.segment(page);
    segment.readers++;
    long offset = layout.offset(segment.number, catalog.pages.block(page));
    Read under =
        new Read(
            read,
            page,
            catalog.pages.generation(page),
            segment,
            new Place(segment.mountEpoch, segment.pass, offset),
            scratch.takeReadHeader());
    List<Span> spans = new ArrayList<>(1 + read.runs().size());
    spans.add(scratch.block(under.header));
    for (HostRun run : read.runs()) {
      spans.add(new Span(run.address(), run.runBytes()));
    }
    Transfer transfer =
        transfers.submit(
            read.speculative() ? Transfer.Kind.SPECULATIVE_READ : Transfer.Kind.READ,
            offset,
            spans,
            error -> completed(under, error));
    if (read.speculative()) {
      speculative.put(read.ticket(), transfer);
    }
    return true;
  }

  private boolean isOfShape(int page, List<HostRun> runs) {
    return catalog.pages.layout(page) == RecordHeader.layout(runs)
        && shapes.isTransferable(runs)
        && shapes.blocks(runs) == catalog.pages.blocks(page);
  }

  void raise(long ticket) {
    Transfer transfer = speculative.remove(ticket);
    if (transfer != null) {
      outbox.raise(transfer);
    }
  }

  private boolean isStillThere(Read read) {
    return isWhereItWas(read) || wasMoved(read);
  }

  /** Whether the page was moved while it was read, and its copy is what the index has. */
  private boolean wasMoved(Read read) {
    Long copy = read.segment.moved.get(read.generation);
    if (copy == null) {
      return false;
    }
    int page = catalog.find(read.read.key());
    return page != PageTable.NONE
        && catalog.pages.state(page) == PageTable.STORED
        && catalog.pages.generation(page) == copy;
  }

  private boolean isWhereItWas(Read read) {
    return catalog.pages.generation(read.page) == read.generation
        && catalog.pages.state(read.page) == PageTable.STORED;
  }

  private void completed(Read read, int error) {
    if (read.read.speculative()) {
      speculative.remove(read.read.ticket());
    }
    if (Transfers.isUnknown(error)) {
      // The device may still write into them: header and segment stay taken.
      scratch.abandon();
      counters.readErrors++;
      end(read, BackingStatus.UNKNOWN);
      return;
    }
    boolean good = error == 0 && isStillThere(read) && isRightHeader(read);
    int checksum = RecordHeader.checksum(scratch.memory, read.header);
    scratch.giveReadHeader(read.header);
    if (error != 0) {
      failed(read, error);
    } else if (!isStillThere(read)) {
      end(read, BackingStatus.ABSENT);
    } else if (good) {
      checks.begin(read.read.runs(), checksum, intact -> checked(read, intact));
    } else {
      corrupt(read);
    }
  }

  private boolean isRightHeader(Read read) {
    return RecordHeader.isOf(
            scratch.memory, read.header, layout.blockBytes(), superblocks.store(), read.place)
        && RecordHeader.isOfPage(
            scratch.memory, read.header, read.read.key(), read.generation, catalog.namespaces)
        && RecordHeader.hasRuns(scratch.memory, read.header, read.read.runs());
  }

  private void failed(Read read, int error) {
    counters.readErrors++;
    boolean isShort = error == StoreDevice.SHORT;
    if (isShort) {
      health.degrade(
          "the file ends before byte ["
              + (read.place.offset() + Shapes.runBytes(read.read.runs()))
              + "]: it was truncated or replaced; restore it or restart with an empty one");
    }
    if (isWhereItWas(read) && (isShort || catalog.pages.countError(read.page) >= MOST_ERRORS)) {
      counters.unreadablePages++;
      removal.lose(read.page);
    }
    end(read, isShort ? BackingStatus.SHORT : BackingStatus.DEVICE_ERROR);
  }

  private void checked(Read read, boolean intact) {
    if (!isStillThere(read)) {
      end(read, BackingStatus.ABSENT);
    } else if (intact) {
      end(read, BackingStatus.DONE);
    } else {
      corrupt(read);
    }
  }

  private void corrupt(Read read) {
    if (isWhereItWas(read)) {
      // Otherwise it was moved, and its copy was checked.
      counters.corruptPages++;
      removal.lose(read.page);
    }
    end(read, BackingStatus.CORRUPT);
  }

  private void end(Read read, BackingStatus status) {
    inFlight--;
    if (status != BackingStatus.UNKNOWN) {
      read.segment.readers--;
    }
    outbox.readDone(read.read.ticket(), status);
  }

  /** Tells that some time has passed. */
  void tick() {
    beforeTick = sinceTick;
    sinceTick = 0;
  }

  /** Whether pages are being read these days: what else is read must not get in their way. */
  boolean isBusy() {
    return inFlight > 0 || sinceTick > 0 || beforeTick > 0;
  }

  int inFlight() {
    return inFlight;
  }
}
