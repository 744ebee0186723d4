package io.orbitkv.ssd.store;

import io.orbitkv.ssd.device.Transfer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiConsumer;

/**
 * Gives segments headers of new passes, some at a time with one sync. From then on nothing of the
 * earlier pass is found.
 */
final class Renewals {
  private final Layout layout;
  private final Scratch scratch;
  private final Transfers transfers;
  private final Superblocks superblocks;
  private final Health health;
  private final BiConsumer<Segment, SegmentHeader> renewed;
  private final ArrayDeque<Segment> queue = new ArrayDeque<>();
  private boolean busy;
  private int underWay;

  /** One segment in a batch. */
  private static final class Renewal {
    final Segment segment;
    final SegmentHeader header;
    int error;

    Renewal(Segment segment, SegmentHeader header) {
      this.segment = segment;
      this.header = header;
    }
  }

  /**
   * @param renewed hears of each segment whose header is durable, and starts its pass
   */
  Renewals(
      Layout layout,
      Scratch scratch,
      Transfers transfers,
      Superblocks superblocks,
      Health health,
      BiConsumer<Segment, SegmentHeader> renewed) {
    this.layout = layout;
    this.scratch = scratch;
    this.transfers = transfers;
    this.superblocks = superblocks;
    this.health = health;
    this.renewed = renewed;
  }

  void add(Segment segment) {
    queue.add(segment);
  }

  /** Segments that wait or whose headers are under way. */
  int pending() {
    return queue.size() + underWay;
  }

  void pump() {
    int count = Math.min(queue.size(), Scratch.RENEWAL_BLOCKS);
    if (busy || count == 0 || health.isFailing() || !superblocks.hasPasses(count)) {
      return;
    }
    busy = true;
    underWay = count;
    List<Renewal> batch = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      Segment segment = queue.removeFirst();
      batch.add(
          new Renewal(
              segment,
              new SegmentHeader(segment.number, superblocks.takePass(), superblocks.mountEpoch())));
    }
    int[] left = {count};
    for (int i = 0; i < count; i++) {
      Renewal renewal = batch.get(i);
      long at = scratch.renewals + (long) i * layout.blockBytes();
      renewal.header.encode(scratch.memory, at, superblocks.store(), layout.blockBytes());
      transfers.submit(
          Transfer.Kind.WRITE,
          layout.segment(renewal.segment.number),
          List.of(scratch.block(at)),
          error -> {
            renewal.error = error;
            if (--left[0] == 0) {
              transfers.patientSync(synced -> ended(batch, synced));
            }
          });
    }
  }

  private void ended(List<Renewal> batch, int syncError) {
    busy = false;
    underWay = 0;
    for (Renewal renewal : batch) {
      int error = renewal.error != 0 ? renewal.error : syncError;
      if (error == 0) {
        health.succeeded();
        renewed.accept(renewal.segment, renewal.header);
        continue;
      }
      health.failed(error);
      if (Transfers.isUnknown(error)) {
        scratch.abandon();
        renewal.segment.uncertain = true;
        busy = true; // The buffer is not written again.
      } else {
        queue.add(renewal.segment);
      }
    }
  }
}
