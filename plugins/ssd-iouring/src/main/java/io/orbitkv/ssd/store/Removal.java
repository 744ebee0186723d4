package io.orbitkv.ssd.store;

/** Forgets pages that are on the device, in every copy. */
final class Removal {
  private final Catalog catalog;
  private final KillLog killLog;
  private final Moves moves;
  private final StoreOutbox outbox;

  Removal(Catalog catalog, KillLog killLog, Moves moves, StoreOutbox outbox) {
    this.catalog = catalog;
    this.killLog = killLog;
    this.moves = moves;
    this.outbox = outbox;
  }

  /** Forgets a page that is stored or told as lost; it is dead for ever once the log says so. */
  void forget(int page) {
    moves.forget(page);
    killLog.add(catalog.segment(page), catalog.pages.block(page));
    catalog.remove(page, true);
  }

  /** Forgets a stored page that nobody asked to forget. */
  void lose(int page) {
    if (catalog.pages.state(page) == PageTable.STORED) {
      outbox.lost(catalog.key(page));
    }
    forget(page);
  }
}
