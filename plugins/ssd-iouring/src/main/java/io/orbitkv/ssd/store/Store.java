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
  private final StoreSettings settings;
  private final StoreOutbox outbox;
  private final Layout layout;
  private final Counters counters;
  private final WriteBudget budget;
  private final Health health;
  private final Transfers transfers;
  private final Checks checks;
  private final Catalog catalog;
  private final Scratch scratch;
  private final Superblocks superblocks;
  private final KillLog killLog;
  private final Sealer sealer;
  private final LogWriter writer;
  private final Removal removal;
  private final Drain drain;
  private final Reads reads;
  private final Writes writes;
  private final long formerlyWrittenBytes;
  private StoreUsage.Start start = new StoreUsage.Start(false, false, 0, 0, 0, 0, 0, 0, 0);
  private boolean closed;

  private Store(
      BlockFile file,
      StoreSettings settings,
      Layout layout,
      Superblock found,
      long mountEpoch,
      long nowNanos,
      StoreOutbox outbox) {
    this.file = file;
    this.settings = settings;
    this.outbox = outbox;
    this.layout = layout;
    formerlyWrittenBytes = found.deviceWrittenBytes();
    counters = new Counters();
    budget = new WriteBudget(settings.writesPerDayBytes(), nowNanos);
    health = new Health(counters, nowNanos);
    transfers = new Transfers(outbox, budget, counters);
    checks = new Checks(outbox);
    catalog = new Catalog(layout);
    scratch = new Scratch(layout, file.geometry(), settings);
    superblocks =
        new Superblocks(layout, scratch, transfers, health, found, mountEpoch, this::figures);
    killLog =
        new KillLog(
            layout,
            scratch,
            transfers,
            superblocks,
            health,
            counters,
            catalog.segments,
            outbox::evicted);
    sealer = new Sealer(layout, scratch, transfers, catalog, superblocks, health);
    writer =
        new LogWriter(
            layout,
            settings.reserveSegments(),
            scratch,
            transfers,
            catalog,
            superblocks,
            killLog,
            sealer,
            health);
    Moves moves = new Moves(catalog, killLog, writer, counters);
    removal = new Removal(catalog, killLog, moves, outbox);
    drain =
        new Drain(
            layout,
            settings,
            scratch,
            transfers,
            checks,
            catalog,
            superblocks,
            killLog,
            writer,
            moves,
            removal,
            budget,
            health,
            counters,
            outbox);
    Shapes shapes = new Shapes(layout, file.geometry());
    int most = settings.mostPagesInFlight();
    reads =
        new Reads(
            layout,
            shapes,
            most,
            scratch,
            transfers,
            checks,
            catalog,
            superblocks,
            moves,
            removal,
            health,
            counters,
            outbox);
    writes =
        new Writes(
            layout, shapes, most, catalog, writer, removal, budget, health, counters, outbox);
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
      Opening opening =
          new Opening(file, settings, random, arena.allocate(windowBytes, alignment));
      Superblock found = opening.superblock();
      Layout layout = opening.layout(found.segmentBytes(), found.blockBytes());
      Store store =
          new Store(
              file,
              settings,
              layout,
              found.ofShard(settings.shard(), settings.shards()),
              random.nextLong(),
              nowNanos,
              outbox);
      long footerBytes = (layout.mostFooterBlocks() + 1L) * layout.blockBytes();
      try {
        store.recover(
            found,
            opening.isFormatted(),
            arena.allocate(Math.max(OPENING_WINDOW_BYTES, footerBytes), alignment));
      } catch (IOException | RuntimeException failed) {
        store.scratch.close();
        throw failed;
      }
      return store;
    }
  }

  private void recover(Superblock found, boolean formatted, MemorySegment window)
      throws IOException {
    Recovery recovery = new Recovery(file, layout, found, settings, catalog, window);
    recovery.run();
    start = recovery.start(formatted);
    budget.restore(found.budgetBytes());
    if (!found.clean()) {
      budget.spend(recovery.walkedBytes());
    }
    killLog.resume(recovery.kills());
    for (Segment segment : catalog.segments) {
      superblocks.sawPass(segment.pass);
      if (segment.state == Segment.State.FREE
          && !recovery.damaged().contains(segment)
          && !recovery.unsealed().contains(segment)) {
        drain.addFree(segment);
      }
    }
    // First what must not be found again, for the kill log may forget it afterwards.
    recovery.damaged().forEach(drain::renew);
    do {
      drain.pump();
      superblocks.pump();
    } while (transfers.carryOut(file));
    recovery.unsealed().forEach(sealer::seal);
    for (int i = 0; i < recovery.dead().size(); i++) {
      long place = recovery.dead().get(i);
      killLog.add(catalog.segments.get((int) (place >>> 32)), (int) place);
    }
    if (found.shards() != settings.shards() || found.shard() != settings.shard()) {
      superblocks.want();
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
      drain.pump();
      sealer.pump();
      killLog.pump();
      superblocks.pump();
    } while (transfers.carryOut(file));
  }

  private Superblock figures(Superblock next) {
    return next.withFigures(
        killLog.durableGeneration(),
        killLog.durableBlocks(),
        formerlyWrittenBytes + counters.deviceWrittenBytes,
        budget.left());
  }

  /** The shard, from 0, that a page belongs to. A part of the format: it never changes. */
  public static int shardOf(StoredKey key, int shards) {
    return Mix.shard(key, shards);
  }

  /** Memory of the store's own, the same until it is closed, for registration with the device. */
  public List<Span> scratch() {
    return List.of(scratch.whole());
  }

  /**
   * Takes a read; false when too many are in flight: it is offered again after a report. What ends
   * at once is reported inside this call.
   */
  public boolean read(BackingRead read) {
    boolean taken = reads.read(read);
    pump();
    return taken;
  }

  /**
   * Takes a write; false when too many are in flight: it is offered again after a report. A page
   * that is stored already is {@code DONE} at once, one that is being written ends as that write
   * does; one that is evicted meanwhile is {@code ABSENT}.
   */
  public boolean write(BackingWrite write) {
    boolean taken = writes.write(write);
    pump();
    return taken;
  }

  /** A speculative read has a waiter now; one that has been reported changes nothing. */
  public void raise(long ticket) {
    reads.raise(ticket);
  }

  /** Forgets a page; {@link StoreOutbox#evicted} follows once that is durable. */
  public void evict(long ticket, StoredKey key) {
    int page = catalog.find(key);
    if (page != PageTable.NONE) {
      evict(page);
    }
    killLog.whenDurable(ticket);
    pump();
  }

  /**
   * Forgets all pages of a namespace and tells those that were findable as lost; one {@link
   * StoreOutbox#evicted} follows once all of that is durable.
   */
  public void dropNamespace(long ticket, Namespace namespace) {
    int number = catalog.namespaces.find(namespace);
    for (int page = 0; number != Namespaces.NONE && page < catalog.pages.limit(); page++) {
      int state = catalog.pages.state(page);
      // Copies go with their originals.
      if (state != 0 && state != PageTable.COPY && catalog.pages.namespace(page) == number) {
        if (state == PageTable.STORED) {
          outbox.lost(catalog.key(page));
        }
        evict(page);
      }
    }
    killLog.whenDurable(ticket);
    pump();
  }

  private void evict(int page) {
    switch (catalog.pages.state(page)) {
      case PageTable.WRITING -> {
        counters.evictedPages++;
        writes.forget(page);
      }
      case PageTable.STORED -> {
        counters.evictedPages++;
        removal.forget(page);
      }
      default -> removal.forget(page);
    }
  }

  /** Makes every write durable that was reported; {@link StoreOutbox#flushed} follows. */
  public void flush(long ticket) {
    transfers.sync(
        error -> {
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
    checks.checked(number, good);
    pump();
  }

  /** Tells the time, once in a while. */
  public void tick(long nowNanos) {
    health.tick(nowNanos);
    budget.tick(nowNanos);
    if (health.wantsProbe()) {
      superblocks.probe();
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
        writer.refuseWaiting(BackingStatus.DEVICE_ERROR);
      }
      writer.pump();
      drain.pump();
      sealer.pump();
      killLog.pump();
      superblocks.pump();
    } while (transfers.submitted() != before);
    if (writer.hasWaiting() && transfers.outstanding() == 0 && checks.outstanding() == 0) {
      // Nothing is under way that could make room.
      counters.refusedFull++;
      writer.refuseWaiting(BackingStatus.FULL);
    }
  }

  /** A picture of the store. */
  public StoreUsage usage() {
    return new StoreUsage(
        catalog.findable(),
        catalog.liveBytes(),
        layout.capacityBytes(),
        layout.segmentBytes(),
        layout.segments(),
        drain.freeSegments(),
        reads.inFlight(),
        writes.inFlight(),
        counters.deviceWrittenBytes,
        counters.payloadWrittenBytes,
        counters.reinsertedBytes,
        formerlyWrittenBytes + counters.deviceWrittenBytes,
        counters.evictedPages,
        counters.lostPages,
        counters.corruptPages,
        counters.unreadablePages,
        counters.readErrors,
        counters.writeErrors,
        counters.duplicateWrites,
        counters.refusedFull,
        counters.refusedBudget,
        counters.refusedDegraded,
        counters.uncertainEvictions,
        start,
        budget.left(),
        health.degraded());
  }

  /** Whether nothing is under way: every operation was reported. */
  public boolean idle() {
    return transfers.outstanding() == 0
        && checks.outstanding() == 0
        && !writer.hasWaiting()
        && killLog.isIdle()
        && (drain.isIdle() || health.isFailing());
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
    writer.closeOpen();
    do {
      sealer.pump();
      killLog.pump();
      superblocks.pump();
    } while (transfers.carryOut(file));
    if (!health.isFailing()) {
      superblocks.stop();
    }
    while (transfers.carryOut(file)) {
      sealer.pump();
    }
    scratch.close();
  }
}
