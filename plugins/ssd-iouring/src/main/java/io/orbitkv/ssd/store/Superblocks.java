package io.orbitkv.ssd.store;

import io.orbitkv.ssd.device.Transfer;
import java.util.List;
import java.util.function.UnaryOperator;

/**
 * Writes superblocks, A and B in turns: the slot of one that failed is tried again, so that the
 * other stays. Hands out passes below a limit that is durable before.
 */
final class Superblocks {
  private static final int PASSES_AHEAD = 1024;

  private final Layout layout;
  private final Scratch scratch;
  private final Transfers transfers;
  private final Health health;
  private final UnaryOperator<Superblock> figures;
  private final long mountEpoch;

  private Superblock durable;
  private long nextPass;
  private boolean dirty;
  private boolean wanted;
  private boolean busy;
  private boolean stopping;

  /**
   * @param durable what the file has
   * @param figures puts present totals into a superblock
   */
  Superblocks(
      Layout layout,
      Scratch scratch,
      Transfers transfers,
      Health health,
      Superblock durable,
      long mountEpoch,
      UnaryOperator<Superblock> figures) {
    this.layout = layout;
    this.scratch = scratch;
    this.transfers = transfers;
    this.health = health;
    this.durable = durable;
    this.mountEpoch = mountEpoch;
    this.figures = figures;
    this.nextPass = durable.passLimit();
    this.dirty = !durable.clean();
  }

  /**
   * The file may have a newer superblock, which could not be read and may say that the store was
   * stopped cleanly: it is marked, and that one overwritten, before anything else is written.
   */
  void doubt() {
    dirty = false;
  }

  /** The file says a pass that may be larger than the superblock knows. */
  void sawPass(long pass) {
    nextPass = Math.max(nextPass, pass + 1);
  }

  long mountEpoch() {
    return mountEpoch;
  }

  Identity store() {
    return durable.store();
  }

  /** Whether the store is marked as being written; starts to mark it otherwise. */
  boolean isDirty() {
    if (!dirty) {
      want();
    }
    return dirty;
  }

  /** Whether so many passes may be taken now; makes room for them otherwise. */
  boolean hasPasses(int passes) {
    if (nextPass + passes > durable.passLimit()) {
      want();
      return false;
    }
    return isDirty();
  }

  long takePass() {
    return nextPass++;
  }

  /** Present totals should be made durable. */
  void want() {
    wanted = true;
  }

  void pump() {
    if (wanted && !busy && !health.isFailing()) {
      wanted = false;
      write(false);
    }
  }

  /** Tries whether the device writes again. */
  void probe() {
    if (!busy) {
      write(false);
    }
  }

  /** Marks the store as stopped cleanly. Nothing may be written after it. */
  void stop() {
    stopping = true;
    if (!busy && dirty) {
      write(true);
    }
  }

  boolean isBusy() {
    return busy;
  }

  private void write(boolean clean) {
    busy = true;
    Superblock next =
        figures.apply(
            new Superblock(
                durable.store(),
                durable.shard(),
                durable.shards(),
                durable.blockBytes(),
                durable.capacityBytes(),
                durable.segmentBytes(),
                durable.sequence() + 1,
                mountEpoch,
                clean,
                nextPass + (clean ? 0 : PASSES_AHEAD),
                0,
                0,
                0,
                0));
    next.encode(scratch.memory, scratch.superblock);
    transfers.submit(
        Transfer.Kind.WRITE,
        layout.superblock(next.sequence()),
        List.of(scratch.block(scratch.superblock)),
        error -> {
          if (error == 0) {
            durable(syncError -> ended(next, syncError));
          } else {
            ended(next, error);
          }
        });
  }

  private void durable(Transfers.End end) {
    // Writes wait for the first one, and for one that brings new passes; nobody for the others.
    if (dirty && nextPass < durable.passLimit()) {
      transfers.patientSync(end);
    } else {
      transfers.sync(end);
    }
  }

  private void ended(Superblock next, int error) {
    // Memory that the device may still read is never written again: the store stays busy.
    busy = Transfers.isUnknown(error);
    if (error != 0) {
      health.failed(error);
      wanted |= !stopping;
      if (Transfers.isUnknown(error)) {
        scratch.abandon();
      }
      return;
    }
    health.succeeded();
    if (health.isFailing()) {
      health.recovered();
    }
    durable = next;
    dirty = !next.clean();
  }
}
