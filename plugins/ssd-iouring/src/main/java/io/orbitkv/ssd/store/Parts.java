package io.orbitkv.ssd.store;

import io.orbitkv.ssd.device.Geometry;

/** The parts of a store, each made once and given what it needs. */
final class Parts {
  private static final int AHEAD_SEGMENTS = 2;
  private static final long MOST_PATIENCE_BYTES = 128L << 20;

  final StoreSettings settings;
  final StoreOutbox outbox;
  final Layout layout;
  final Counters counters;
  final WriteBudget budget;
  final Health health;
  final Transfers transfers;
  final Checks checks;
  final Catalog catalog;
  final Scratch scratch;
  final Superblocks superblocks;
  final KillLog killLog;
  final Sealer sealer;
  final LogWriter writer;
  final Removal removal;
  final Drain drain;
  final Reads reads;
  final Writes writes;
  final long formerlyWrittenBytes;
  private long spentAtSuperblock;

  /**
   * @param found superblock of the file
   * @param mountEpoch random, of this opening
   */
  Parts(
      Geometry geometry,
      StoreSettings settings,
      Layout layout,
      Superblock found,
      long mountEpoch,
      long nowNanos,
      StoreOutbox outbox) {
    this.settings = settings;
    this.outbox = outbox;
    this.layout = layout;
    formerlyWrittenBytes = found.deviceWrittenBytes();
    counters = new Counters();
    budget = new WriteBudget(settings.writesPerDayBytes(), nowNanos);
    health = new Health(counters, nowNanos);
    transfers =
        new Transfers(
            outbox,
            budget,
            counters,
            Math.min(MOST_PATIENCE_BYTES, layout.segmentBytes() / 2),
            nowNanos);
    checks = new Checks(outbox);
    catalog = new Catalog(layout);
    scratch = new Scratch(layout, geometry, settings);
    superblocks =
        new Superblocks(layout, scratch, transfers, health, found, mountEpoch, this::figures);
    killLog =
        new KillLog(layout, scratch, transfers, superblocks, health, counters, catalog.segments);
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
    Shapes shapes = new Shapes(layout, geometry);
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
            removal,
            health,
            counters,
            outbox);
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
            reads,
            budget,
            health,
            counters,
            outbox);
    writes =
        new Writes(
            layout, shapes, most, catalog, writer, removal, budget, health, counters, outbox);
  }

  private Superblock figures(Superblock next) {
    spentAtSuperblock = budget.spent();
    return next.withFigures(
        killLog.durableGeneration(),
        killLog.durableBlocks(),
        formerlyWrittenBytes + counters.deviceWrittenBytes,
        // A crash must not give back what is spent from here to the next superblock.
        next.clean() ? budget.left() : budget.left() - budgetAhead());
  }

  private long budgetAhead() {
    return AHEAD_SEGMENTS * layout.segmentBytes();
  }

  /** Asks for a superblock long before more is spent than the last one provides for. */
  void keepBudget() {
    if (budget.spent() - spentAtSuperblock > budgetAhead() / 4) {
      superblocks.want();
    }
  }
}
