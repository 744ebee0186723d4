package io.orbitkv.ssd.store;

import io.orbitkv.api.backing.BackingRead;
import io.orbitkv.api.backing.BackingStatus;
import io.orbitkv.api.backing.BackingWrite;
import io.orbitkv.api.backing.StoredKey;
import io.orbitkv.api.page.Namespace;
import io.orbitkv.ssd.device.BlockFile;
import io.orbitkv.ssd.device.Geometry;
import io.orbitkv.ssd.device.Span;
import io.orbitkv.ssd.device.Transfer;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.random.RandomGenerator;

/**
 * A log-structured store of pages on one device: pure state, driven by its owner's thread. It
 * starts no thread, reads no clock and moves no byte itself: what is to be done leaves through a
 * {@link StoreOutbox}, synchronously inside the calls, and comes back as {@link #completed} and
 * {@link #checked}.
 */
public final class Store {
  private static final int OPENING_WINDOW_BYTES = 1 << 20;

  private final BlockFile file;
  private final Parts parts;
  private final StoreOutbox outbox;
  private final Transfers transfers;
  private final Catalog catalog;
  private final KillLog killLog;
  private final LogWriter writer;
  private final Health health;
  private StoreUsage.Start start = new StoreUsage.Start(false, false, 0, 0, 0, 0, 0, 0, 0, 0);
  private boolean closed;

  private Store(BlockFile file, Parts parts) {
    this.file = file;
    this.parts = parts;
    this.outbox = parts.outbox;
    this.transfers = parts.transfers;
    this.catalog = parts.catalog;
    this.killLog = parts.killLog;
    this.writer = parts.writer;
    this.health = parts.health;
  }

  /**
   * Boot thread, blocking. Makes a store of an empty file, recovers it otherwise, and tells each
   * recovered page through {@link StoreOutbox#stored}.
   *
   * @param file open and locked; stays the caller's, and is used again by {@link #close}
   * @param random for the identity of a new store and of this opening
   * @param nowNanos of the clock that {@link #tick} tells
   * @throws IOException when the device fails
   * @throws IllegalStateException saying why the file cannot be used and what to do
   */
  public static Store open(
      BlockFile file,
      StoreSettings settings,
      RandomGenerator random,
      long nowNanos,
      StoreOutbox outbox)
      throws IOException {
    Geometry geometry = file.geometry();
    long alignment = Math.max(geometry.blockBytes(), geometry.memoryAlignment());
    try (Arena arena = Arena.ofConfined()) {
      long windowBytes = Math.max(OPENING_WINDOW_BYTES, geometry.blockBytes());
      Opening opening = new Opening(file, settings, random, arena.allocate(windowBytes, alignment));
      Superblock found = opening.superblock();
      Layout layout = opening.layout(found.segmentBytes(), found.blockBytes());
      Parts parts =
          new Parts(
              geometry,
              settings,
              layout,
              found.ofShard(settings.shard(), settings.shards()),
              random.nextLong(),
              nowNanos,
              outbox);
      if (opening.isDoubtful()) {
        parts.superblocks.doubt();
      }
      Store store = new Store(file, parts);
      long footerBytes = (layout.mostFooterBlocks() + 1L) * layout.blockBytes();
      try {
        store.recover(
            found,
            opening.isFormatted(),
            arena.allocate(
                Math.max(OPENING_WINDOW_BYTES, footerBytes) + Payloads.WINDOW_BYTES, alignment));
      } catch (IOException | RuntimeException failed) {
        parts.scratch.close();
        throw failed;
      }
      return store;
    }
  }

  private void recover(Superblock found, boolean formatted, MemorySegment window)
      throws IOException {
    Recovery recovery = new Recovery(file, parts.layout, found, parts.settings, catalog, window);
    recovery.run(formatted);
    start = recovery.start(formatted);
    parts.budget.restore(found.budgetBytes());
    killLog.resume(recovery.kills());
    for (Segment segment : catalog.segments) {
      parts.superblocks.sawPass(segment.pass);
      if (segment.state == Segment.State.FREE
          && !recovery.damaged().contains(segment)
          && !recovery.unsealed().contains(segment)) {
        parts.drain.addFree(segment);
      }
    }
    // First what must not be found again, for the kill log may forget it afterwards.
    recovery.damaged().forEach(parts.drain::renew);
    do {
      parts.drain.pump();
      parts.superblocks.pump();
    } while (transfers.carryOut(file));
    recovery.unsealed().forEach(parts.sealer::seal);
    for (int i = 0; i < recovery.dead().size(); i++) {
      long place = recovery.dead().get(i);
      Segment segment = catalog.segments.get((int) (place >>> 32));
      // A renewed one has a new pass, whose records must not die for those of the old one.
      if (!recovery.damaged().contains(segment)) {
        killLog.add(segment, (int) place);
      }
    }
    if (found.shards() != parts.settings.shards() || found.shard() != parts.settings.shard()) {
      parts.superblocks.want();
    }
    carryOut();
    IOException failure = transfers.failure();
    if (failure != null) {
      throw failure;
    }
    transfers.leaveBlocking();
    for (int page = 0; page < catalog.pages.limit(); page++) {
      if (catalog.pages.state(page) == PageTable.STORED) {
        outbox.stored(catalog.key(page), catalog.pages.payloadBytes(page));
      }
    }
  }

  private void carryOut() {
    do {
      parts.drain.pump();
      parts.sealer.pump();
      killLog.pump();
      parts.superblocks.pump();
    } while (transfers.carryOut(file));
  }

  /** The shard, from 0, that a page belongs to. A part of the format: it never changes. */
  public static int shardOf(StoredKey key, int shards) {
    return Mix.shard(key, shards);
  }

  /** Offset of a block that no store uses, for a probe of the device; -1 for none. */
  public static long unusedBlock(int blockBytes) {
    return Layout.unusedBlock(blockBytes);
  }

  /** Memory of the store's own, the same until it is closed, for registration with the device. */
  public List<Span> scratch() {
    return List.of(parts.scratch.whole());
  }

  /**
   * Takes a read; false when too many are in flight: it is offered again after a report. What ends
   * at once is reported inside this call.
   */
  public boolean read(BackingRead read) {
    boolean taken = parts.reads.read(read);
    pump();
    return taken;
  }

  /**
   * Takes a write; false when too many are in flight: it is offered again after a report. A page
   * that is stored already is {@code DONE} at once, one that is being written ends as that write
   * does; one that is evicted meanwhile is {@code ABSENT}.
   */
  public boolean write(BackingWrite write) {
    boolean taken = parts.writes.write(write);
    pump();
    return taken;
  }

  /** A speculative read has a waiter now; one that has been reported changes nothing. */
  public void raise(long ticket) {
    parts.reads.raise(ticket);
  }

  /** Forgets a page; {@link StoreOutbox#evicted} follows once that is durable. */
  public void evict(long ticket, StoredKey key) {
    int page = catalog.find(key);
    if (page != PageTable.NONE) {
      evict(page);
    }
    killLog.whenDurable(durable -> outbox.evicted(ticket));
    pump();
  }

  /**
   * Forgets every page without telling so one by one; one {@link StoreOutbox#forgotten} follows
   * once all of that is durable.
   */
  public void evictAll(long ticket) {
    long pages = 0;
    for (int page = 0; page < catalog.pages.limit(); page++) {
      int state = catalog.pages.state(page);
      // Copies go with their originals.
      if (state != 0 && state != PageTable.COPY) {
        pages += state == PageTable.STORED ? 1 : 0;
        evict(page);
      }
    }
    whenForgotten(ticket, pages);
  }

  /**
   * Forgets the pages of a scope whose namespace is none of those that are kept, and tells those
   * that were findable as lost; one {@link StoreOutbox#forgotten} follows once all of that is
   * durable.
   */
  public void keep(long ticket, Namespace scope, List<Namespace> kept) {
    long pages = 0;
    for (int page = 0; page < catalog.pages.limit(); page++) {
      int state = catalog.pages.state(page);
      if (state != 0 && state != PageTable.COPY && isOutOf(scope, kept, page)) {
        if (state == PageTable.STORED) {
          pages++;
          outbox.lost(catalog.key(page));
        }
        evict(page);
      }
    }
    whenForgotten(ticket, pages);
  }

  private boolean isOutOf(Namespace scope, List<Namespace> kept, int page) {
    int number = catalog.pages.namespace(page);
    return catalog.namespaces.scope(number).equals(scope)
        && !kept.contains(catalog.namespaces.get(number));
  }

  private void whenForgotten(long ticket, long pages) {
    killLog.whenDurable(durable ->
        outbox.forgotten(ticket, durable ? BackingStatus.DONE : BackingStatus.DEVICE_ERROR, pages));
    pump();
  }

  private void evict(int page) {
    switch (catalog.pages.state(page)) {
      case PageTable.WRITING -> {
        parts.counters.evictedPages++;
        parts.writes.forget(page);
      }
      case PageTable.STORED -> {
        parts.counters.evictedPages++;
        parts.removal.forget(page);
      }
      default -> parts.removal.forget(page);
    }
  }

  /** Makes every write durable that was reported; {@link StoreOutbox#flushed} follows. */
  public void flush(long ticket) {
    transfers.sync(error -> {
      if (error == 0) {
        outbox.flushed(ticket, BackingStatus.DONE);
      } else {
        health.failed(error);
        outbox.flushed(ticket, BackingStatus.DEVICE_ERROR);
      }
    });
    pump();
  }

  /**
   * Advice on retention: pages with higher scores are kept longer. By itself a page's score is the
   * number of writes and reads that the store had seen when the page was last used; whoever gives
   * advice uses that scale, or gives it for every page.
   */
  public void score(StoredKey key, long score) {
    int page = catalog.find(key);
    if (page != PageTable.NONE && catalog.pages.state(page) == PageTable.STORED) {
      catalog.score(page, score);
    }
  }

  /**
   * The completion of a transfer that left through the outbox.
   *
   * @param error 0, or as {@link io.orbitkv.ssd.device.StoreDevice.Completions} has it
   * @throws IllegalStateException when the transfer is not under way
   */
  public void completed(Transfer transfer, int error) {
    transfers.completed(transfer, error);
    pump();
  }

  /**
   * The result of a check that left through the outbox.
   *
   * @throws IllegalStateException when the check is not under way
   */
  public void checked(long number, boolean good) {
    parts.checks.checked(number, good);
    pump();
  }

  /** Tells the time, once in a while. */
  public void tick(long nowNanos) {
    health.tick(nowNanos);
    transfers.tick(nowNanos);
    parts.budget.tick(nowNanos);
    parts.reads.tick();
    if (health.wantsProbe()) {
      parts.superblocks.probe();
    }
    pump();
  }

  /** Stops writing pages until the store is opened again, as when its file was replaced. */
  public void degrade(String reason) {
    health.degrade(reason);
    pump();
  }

  private void pump() {
    long before;
    do {
      before = transfers.submitted();
      if (!health.takesPages()) {
        parts.counters.refusedDegraded += writer.refuseWaiting(BackingStatus.DEVICE_ERROR);
      }
      // What has just become ready is written at once.
      parts.drain.pump();
      writer.pump();
      parts.sealer.pump();
      killLog.pump();
      parts.keepBudget();
      parts.superblocks.pump();
      if (writer.hasWaiting()) {
        // What has no place yet may wait for a segment, and that for a sync.
        transfers.hurry();
      }
      transfers.pump();
    } while (transfers.submitted() != before);
    if (writer.hasWaiting() && transfers.outstanding() == 0 && parts.checks.outstanding() == 0) {
      // Nothing is under way that could make room.
      parts.counters.refusedFull += writer.refuseWaiting(BackingStatus.FULL);
    }
  }

  /** A picture of the store. */
  public StoreUsage usage() {
    return new StoreUsage(
        catalog.findable(),
        catalog.liveBytes(),
        parts.layout.capacityBytes(),
        parts.layout.segmentBytes(),
        parts.layout.segments(),
        parts.drain.freeSegments(),
        parts.reads.inFlight(),
        parts.writes.inFlight(),
        parts.counters.deviceWrittenBytes,
        parts.counters.payloadWrittenBytes,
        parts.counters.reinsertedBytes,
        parts.formerlyWrittenBytes + parts.counters.deviceWrittenBytes,
        parts.counters.evictedPages,
        parts.counters.lostPages,
        parts.counters.corruptPages,
        parts.counters.unreadablePages,
        parts.counters.readErrors,
        parts.counters.writeErrors,
        parts.counters.duplicateWrites,
        parts.counters.refusedFull,
        parts.counters.refusedBudget,
        parts.counters.refusedDegraded,
        parts.counters.uncertainEvictions,
        start,
        parts.budget.left(),
        health.degraded());
  }

  /** The store is to be idle soon: nothing waits any longer in order to share a sync. */
  public void hurry() {
    transfers.hurry();
    pump();
  }

  /** Whether nothing is under way: every operation was reported. */
  public boolean idle() {
    return transfers.outstanding() == 0
        && !transfers.hasPatient()
        && parts.checks.outstanding() == 0
        && !writer.hasWaiting()
        && killLog.isIdle()
        && (parts.drain.isIdle() || health.isFailing());
  }

  /**
   * After {@link #idle}: stops cleanly, blocking, through the file, and frees the store's memory.
   * What cannot be written is left to the recovery of the next opening.
   */
  public void close() {
    if (closed) {
      return;
    }
    closed = true;
    transfers.enterBlocking();
    transfers.hurry();
    writer.closeOpen();
    do {
      parts.sealer.pump();
      killLog.pump();
      parts.superblocks.pump();
    } while (transfers.carryOut(file));
    if (!health.isFailing()) {
      parts.superblocks.stop();
    }
    while (transfers.carryOut(file)) {
      parts.sealer.pump();
    }
    parts.scratch.close();
  }
}
