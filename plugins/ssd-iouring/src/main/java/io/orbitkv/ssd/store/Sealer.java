package io.orbitkv.ssd.store;

import io.orbitkv.ssd.device.Transfer;
import java.util.ArrayDeque;
import java.util.List;

/**
 * Writes footers: data durable, footer, footer durable, superblock. One segment at a time. A
 * segment whose footer cannot be written is left without: a recovery walks it.
 */
final class Sealer {
  private static final int MOST_TRIES = 3;

  private final Layout layout;
  private final Scratch scratch;
  private final Transfers transfers;
  private final Catalog catalog;
  private final Superblocks superblocks;
  private final Health health;
  private final ArrayDeque<Segment> queue = new ArrayDeque<>();
  private boolean busy;
  private int tries;

  Sealer(
      Layout layout,
      Scratch scratch,
      Transfers transfers,
      Catalog catalog,
      Superblocks superblocks,
      Health health) {
    this.layout = layout;
    this.scratch = scratch;
    this.transfers = transfers;
    this.catalog = catalog;
    this.superblocks = superblocks;
    this.health = health;
  }

  /** Seals a segment none of whose writes is under way. */
  void seal(Segment segment) {
    segment.state = Segment.State.SEALING;
    queue.add(segment);
    pump();
  }

  void pump() {
    if (!busy && !queue.isEmpty() && !health.isFailing() && superblocks.isDirty()) {
      busy = true;
      Segment segment = queue.getFirst();
      transfers.patientSync(error -> step(error, () -> writeFooter(segment)));
    }
  }

  private void writeFooter(Segment segment) {
    long at = scratch.footer;
    int blockBytes = layout.blockBytes();
    int records = 0;
    for (int page = segment.firstPage;
        page != PageTable.NONE;
        page = catalog.pages.next(page), records++) {
      at = Footer.putEntry(scratch.memory, at, catalog.pages, page, catalog.namespaces);
    }
    int blocks = Footer.blocks(records, blockBytes);
    long body = scratch.footer + (long) (blocks - 1) * blockBytes;
    if (at < body) {
      Blocks.clear(scratch.memory, at, (int) (body - at));
    }
    Footer.close(
        scratch.memory, scratch.footer, records, superblocks.store(), segment.header(), blockBytes);
    transfers.submit(
        Transfer.Kind.WRITE,
        layout.offset(segment.number, layout.segmentBlocks() - blocks),
        List.of(scratch.span(scratch.footer, (long) blocks * blockBytes)),
        error -> step(error, () -> transfers.patientSync(synced -> step(synced, this::finish))));
  }

  private void step(int error, Runnable next) {
    if (error == 0) {
      health.succeeded();
      next.run();
      return;
    }
    health.failed(error);
    if (Transfers.isUnknown(error)) {
      scratch.abandon(); // And stays busy: the buffer is not written again.
      queue.getFirst().uncertain = true;
      return;
    }
    tries++;
    if (tries == MOST_TRIES) {
      finish();
    } else {
      busy = false;
      pump();
    }
  }

  private void finish() {
    tries = 0;
    busy = false;
    queue.removeFirst().state = Segment.State.SEALED;
    superblocks.want();
    pump();
  }
}
