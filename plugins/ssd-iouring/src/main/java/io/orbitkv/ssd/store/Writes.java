package io.orbitkv.ssd.store;

import io.orbitkv.api.backing.BackingStatus;
import io.orbitkv.api.backing.BackingWrite;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Takes pages to be written: each once, whoever else offers the same page waits for that end. */
final class Writes {
  /** A write under way, with the tickets of later writes of the same page. */
  private final class Write implements Append.End {
    final BackingWrite write;
    final Append append;
    List<Long> followers = List.of();

    Write(BackingWrite write, int page, int blocks) {
      this.write = write;
      this.append = new Append(page, false, write.runs(), write.checksum(), blocks, this);
    }

    @Override
    public void ended(Append ended, BackingStatus status) {
      byPage.remove(ended.page, this);
      if (status == BackingStatus.DONE) {
        long payloadBytes = Shapes.payloadBytes(write.runs());
        counters.payloadWrittenBytes += payloadBytes;
        outbox.stored(write.key(), payloadBytes);
      }
      tell(write.ticket(), status);
      // The device never saw their runs.
      BackingStatus others = status == BackingStatus.UNKNOWN ? BackingStatus.DEVICE_ERROR : status;
      for (long follower : followers) {
        tell(follower, others);
      }
    }

    private void tell(long ticket, BackingStatus status) {
      inFlight--;
      outbox.writeDone(ticket, status);
    }
  }

  private final Shapes shapes;
  private final int most;
  private final int blockBytes;
  private final Catalog catalog;
  private final LogWriter writer;
  private final Removal removal;
  private final WriteBudget budget;
  private final Health health;
  private final Counters counters;
  private final StoreOutbox outbox;
  private final Map<Integer, Write> byPage = new HashMap<>();
  private int inFlight;

  Writes(
      Layout layout,
      Shapes shapes,
      int most,
      Catalog catalog,
      LogWriter writer,
      Removal removal,
      WriteBudget budget,
      Health health,
      Counters counters,
      StoreOutbox outbox) {
    this.blockBytes = layout.blockBytes();
    this.shapes = shapes;
    this.most = most;
    this.catalog = catalog;
    this.writer = writer;
    this.removal = removal;
    this.budget = budget;
    this.health = health;
    this.counters = counters;
    this.outbox = outbox;
  }

  boolean write(BackingWrite write) {
    if (inFlight == most) {
      return false;
    }
    int page = catalog.find(write.key());
    switch (page == PageTable.NONE ? 0 : catalog.pages.state(page)) {
      case PageTable.STORED -> {
        counters.duplicateWrites++;
        outbox.writeDone(write.ticket(), BackingStatus.DONE);
      }
      case PageTable.WRITING -> follow(write, page);
      case PageTable.LOST -> {
        // What is left of it on the device must not come back after a later eviction.
        removal.forget(page);
        begin(write);
      }
      default -> begin(write);
    }
    return true;
  }

  private void follow(BackingWrite write, int page) {
    Write first = byPage.get(page);
    if (first == null) {
      throw new IllegalStateException("page [" + page + "] is being written by nobody");
    }
    counters.duplicateWrites++;
    if (first.followers.isEmpty()) {
      first.followers = new ArrayList<>();
    }
    first.followers.add(write.ticket());
    inFlight++;
  }

  private void begin(BackingWrite write) {
    if (!health.takesPages()) {
      counters.refusedDegraded++;
      outbox.writeDone(write.ticket(), BackingStatus.DEVICE_ERROR);
      return;
    }
    if (!shapes.isTransferable(write.runs()) || !writer.fits(shapes.blocks(write.runs()))) {
      counters.refusedFull++;
      outbox.writeDone(write.ticket(), BackingStatus.FULL);
      return;
    }
    int blocks = (int) shapes.blocks(write.runs());
    if (!budget.allows((long) blocks * blockBytes)) {
      counters.refusedBudget++;
      outbox.writeDone(write.ticket(), BackingStatus.FULL);
      return;
    }
    int page =
        catalog.create(
            write.key(),
            write.scope(),
            blocks,
            (int) Shapes.payloadBytes(write.runs()),
            RecordHeader.layout(write.runs()));
    Write under = new Write(write, page, blocks);
    byPage.put(page, under);
    inFlight++;
    writer.append(under.append);
  }

  /** Forgets a page that is being written; its write ends as absent. */
  void forget(int page) {
    Write under = byPage.remove(page);
    if (under == null) {
      throw new IllegalStateException("page [" + page + "] is being written by nobody");
    }
    writer.forget(under.append);
  }

  int inFlight() {
    return inFlight;
  }
}
