package io.orbitkv.ssd.store;

import io.orbitkv.api.backing.BackingStatus;
import io.orbitkv.api.backing.HostRun;
import io.orbitkv.ssd.device.Transfer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Keeps segments ready to be written. Those that hold nothing get a new header; when there are
 * none, a victim is emptied: its hot pages are moved, through a buffer of a fixed size, the copies
 * made durable and swung into the index, the rest told as lost, and then its header replaced. One
 * victim at a time.
 */
final class Drain {
  private enum Phase {
    IDLE,
    MOVING,
    SYNCING,
    RENEWING
  }

  /** So much of a victim is read at once while others read: a burst would hold them up. */
  private static final long MOST_BESIDE_READS_BYTES = 1 << 20;

  private final Layout layout;
  private final StoreSettings settings;
  private final Scratch scratch;
  private final Transfers transfers;
  private final Checks checks;
  private final Catalog catalog;
  private final Superblocks superblocks;
  private final KillLog killLog;
  private final LogWriter writer;
  private final Moves moves;
  private final Removal removal;
  private final Reads reads;
  private final Renewals renewals;
  private final WriteBudget budget;
  private final Health health;
  private final Counters counters;
  private final StoreOutbox outbox;

  private final ArrayDeque<Segment> free = new ArrayDeque<>();
  private final ArrayDeque<Segment> occupied = new ArrayDeque<>();
  private Phase phase = Phase.IDLE;
  private @Nullable Segment victim;
  private List<Long> candidates = List.of();
  private int nextCandidate;
  private int moving;
  private boolean bufferLost;

  Drain(
      Layout layout,
      StoreSettings settings,
      Scratch scratch,
      Transfers transfers,
      Checks checks,
      Catalog catalog,
      Superblocks superblocks,
      KillLog killLog,
      LogWriter writer,
      Moves moves,
      Removal removal,
      Reads reads,
      WriteBudget budget,
      Health health,
      Counters counters,
      StoreOutbox outbox) {
    this.layout = layout;
    this.settings = settings;
    this.scratch = scratch;
    this.transfers = transfers;
    this.checks = checks;
    this.catalog = catalog;
    this.superblocks = superblocks;
    this.killLog = killLog;
    this.writer = writer;
    this.moves = moves;
    this.removal = removal;
    this.reads = reads;
    this.budget = budget;
    this.health = health;
    this.counters = counters;
    this.outbox = outbox;
    this.renewals = new Renewals(layout, scratch, transfers, superblocks, health, this::renewed);
  }

  /** A segment holds nothing. */
  void addFree(Segment segment) {
    segment.state = Segment.State.FREE;
    free.add(segment);
  }

  /** A segment must get a new header now, whether it is needed or not. */
  void renew(Segment segment) {
    segment.state = Segment.State.RENEWING;
    renewals.add(segment);
  }

  void pump() {
    for (int i = occupied.size(); i > 0; i--) {
      makeReady(occupied.removeFirst());
    }
    while (wantsSegment() && !free.isEmpty()) {
      renew(free.removeFirst());
    }
    if (phase == Phase.IDLE && !health.isFailing()) {
      if (killLog.isCrowded()) {
        Segment crowded = Victims.mostKilled(catalog);
        if (crowded != null) {
          begin(crowded, false);
        }
      } else if (wantsSegment()) {
        Segment least = Victims.leastWorth(catalog);
        if (least != null) {
          begin(least, health.takesPages() && !bufferLost);
        }
      }
    }
    Segment emptied = victim;
    if (phase == Phase.MOVING && moving == 0 && emptied != null) {
      advance(emptied);
    }
    renewals.pump();
  }

  private boolean wantsSegment() {
    int coming = writer.preparedSegments() + renewals.pending() + occupied.size();
    return writer.isWanted() && coming <= settings.reserveSegments();
  }

  // ---- moving ----------------------------------------------------------------------------------

  private void begin(Segment segment, boolean move) {
    victim = segment;
    segment.state = Segment.State.DRAINING;
    phase = Phase.MOVING;
    moves.begin(segment);
    candidates = new ArrayList<>();
    nextCandidate = 0;
    long most = (long) layout.segmentBlocks() * settings.reinsertPercent() / 100;
    if (move && budget.allows(most * layout.blockBytes())) {
      long mostRecord = scratch.copyBytes / layout.blockBytes();
      for (int page : Victims.hotPages(catalog, segment, most, mostRecord)) {
        candidates.add(catalog.pages.generation(page));
        candidates.add((long) page);
      }
    }
  }

  private void moveSome(Segment segment) {
    long most = reads.isBusy() ? MOST_BESIDE_READS_BYTES : scratch.copyBytes;
    long used = 0;
    while (nextCandidate < candidates.size() && moving < Scratch.COPY_HEADERS) {
      int page = (int) (long) candidates.get(nextCandidate + 1);
      if (catalog.pages.generation(page) != candidates.get(nextCandidate)
          || catalog.pages.state(page) != PageTable.STORED) {
        nextCandidate += 2;
        continue;
      }
      long bytes = (long) catalog.pages.blocks(page) * layout.blockBytes();
      if (used + bytes > scratch.copyBytes || (used > 0 && used + bytes > most)) {
        break;
      }
      nextCandidate += 2;
      moving++;
      load(segment, page, scratch.copies + used, bytes);
      used += bytes;
    }
  }

  private void load(Segment segment, int page, long at, long bytes) {
    Moves.Move move = moves.add(page);
    long offset = layout.offset(segment.number, move.block);
    transfers.submit(
        // Writes wait for it, and so does their share; behind all reads it would never have a turn.
        Transfer.Kind.READ,
        offset,
        List.of(scratch.span(at, bytes)),
        error -> loaded(segment, move, at, bytes, offset, error));
  }

  private void loaded(
      Segment segment, Moves.Move move, long at, long bytes, long offset, int error) {
    if (error != 0 || !moves.counts(move)) {
      loseBufferIf(Transfers.isUnknown(error));
      counters.readErrors += error == 0 ? 0 : 1;
      moves.drop(move);
      moving--;
      return;
    }
    Place place = new Place(segment.mountEpoch, segment.pass, offset);
    boolean good =
        RecordHeader.isOf(scratch.memory, at, layout.blockBytes(), superblocks.store(), place)
            && RecordHeader.describes(
                scratch.memory, at, catalog.pages, move.page, catalog.namespaces);
    List<HostRun> runs =
        good
            ? RecordHeader.runs(
                scratch.memory, at, scratch.memory.address() + at + layout.blockBytes())
            : List.of();
    if (!good || Shapes.runBytes(runs) != bytes - layout.blockBytes()) {
      corrupt(move);
      return;
    }
    // The checksum made at sealing goes on with the page; it is never made anew.
    int checksum = RecordHeader.checksum(scratch.memory, at);
    checks.begin(runs, checksum, intact -> checked(move, runs, checksum, intact));
  }

  private void checked(Moves.Move move, List<HostRun> runs, int checksum, boolean intact) {
    if (!moves.counts(move)) {
      moving--;
    } else if (!intact) {
      corrupt(move);
    } else {
      int copy = catalog.createCopy(move.page);
      Append append =
          new Append(
              copy,
              true,
              runs,
              checksum,
              catalog.pages.blocks(copy),
              (_, status) -> copied(move, status));
      move.append = append;
      writer.append(append);
    }
  }

  private void corrupt(Moves.Move move) {
    counters.corruptPages++;
    moves.drop(move);
    removal.lose(move.page);
    moving--;
  }

  private void copied(Moves.Move move, BackingStatus status) {
    loseBufferIf(status == BackingStatus.UNKNOWN);
    if (status == BackingStatus.DONE) {
      move.accepted = true;
    } else {
      moves.drop(move);
    }
    moving--;
  }

  private void loseBufferIf(boolean unknown) {
    if (unknown) {
      bufferLost = true;
      scratch.abandon();
    }
  }

  /** No move is under way: the next ones, or what comes after the last. */
  private void advance(Segment segment) {
    if (nextCandidate < candidates.size() && !bufferLost) {
      moveSome(segment);
      if (moving > 0) {
        return;
      }
    }
    if (moves.hasCopies()) {
      phase = Phase.SYNCING;
      // Whether or not the device takes the sync: the copies are what is left of these pages.
      transfers.patientSync(error -> {
        if (error != 0) {
          health.failed(error);
        }
        empty(segment);
      });
    } else {
      empty(segment);
    }
  }

  // ---- emptying --------------------------------------------------------------------------------

  private void empty(Segment segment) {
    moves.swing(segment, layout.blockBytes());
    for (int page = segment.firstPage; page != PageTable.NONE; page = catalog.pages.next(page)) {
      if (catalog.pages.state(page) == PageTable.STORED) {
        counters.lostPages++;
        outbox.lost(catalog.key(page));
        catalog.lose(page);
      }
    }
    phase = Phase.RENEWING;
    renewals.add(segment);
  }

  private void renewed(Segment segment, SegmentHeader header) {
    if (segment == victim) {
      victim = null;
      phase = Phase.IDLE;
      moves.end();
    }
    while (segment.firstPage != PageTable.NONE) {
      catalog.remove(segment.firstPage, true);
    }
    killLog.forget(segment);
    segment.renew(header.pass(), header.mountEpoch());
    makeReady(segment);
  }

  private void makeReady(Segment segment) {
    if (segment.readers == 0) {
      segment.moved.clear();
      writer.prepared(segment);
    } else {
      segment.state = Segment.State.RENEWING;
      occupied.add(segment);
    }
  }

  /** Whether no victim is being emptied and no header is under way. */
  boolean isIdle() {
    return phase == Phase.IDLE && renewals.pending() == 0;
  }

  int freeSegments() {
    return free.size() + writer.preparedSegments();
  }
}
