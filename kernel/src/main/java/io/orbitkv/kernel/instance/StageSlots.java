package io.orbitkv.kernel.instance;

import io.orbitkv.kernel.BrokenInvariant;
import java.util.Arrays;

/**
 * The slots of events of one worker's staged restores. A slot is taken by a restore and free again
 * when the restore has ended and its client has enqueued its waits, or was never told to: an event
 * that is recorded anew before would let a wait pass that belongs to the record before. Dispatcher.
 */
public final class StageSlots {
  /** No slot. */
  public static final int NONE = -1;

  private static final long FREE = 0;

  private final long[] operations;
  private final boolean[] told;
  private final boolean[] waited;
  private final boolean[] ended;

  /** All are free. */
  public StageSlots(int count) {
    operations = new long[count];
    told = new boolean[count];
    waited = new boolean[count];
    ended = new boolean[count];
  }

  /** Takes a slot for a restore, or returns {@link #NONE}. */
  public int take(long operation) {
    for (int slot = 0; slot < operations.length; slot++) {
      if (operations[slot] == FREE) {
        operations[slot] = operation;
        told[slot] = false;
        waited[slot] = false;
        ended[slot] = false;
        return slot;
      }
    }
    return NONE;
  }

  /** The client is told that it may wait for the slot's events. */
  public void tell(int slot, long operation) {
    require(slot, operation);
    if (told[slot] || ended[slot]) {
      throw new BrokenInvariant(
          "the copies of restore [" + operation + "] were submitted twice, or after its end");
    }
    told[slot] = true;
  }

  /**
   * The client's waits for a restore's events are enqueued.
   *
   * @return false when no restore of that number has been told of: nothing changed
   */
  public boolean waited(long operation) {
    for (int slot = 0; slot < operations.length; slot++) {
      if (operations[slot] == operation && operation != FREE && told[slot] && !waited[slot]) {
        waited[slot] = true;
        freeIfOver(slot);
        return true;
      }
    }
    return false;
  }

  /** The restore has ended: nothing of it is under way any more. */
  public void end(int slot, long operation) {
    require(slot, operation);
    ended[slot] = true;
    freeIfOver(slot);
  }

  private void freeIfOver(int slot) {
    if (ended[slot] && (waited[slot] || !told[slot])) {
      operations[slot] = FREE;
    }
  }

  private void require(int slot, long operation) {
    if (operations[slot] != operation) {
      throw new BrokenInvariant(
          "stage slot ["
              + slot
              + "] belongs to restore ["
              + operations[slot]
              + "], not to ["
              + operation
              + "]");
    }
  }

  /** Slots that restores hold. */
  public int taken() {
    return (int) Arrays.stream(operations).filter(operation -> operation != FREE).count();
  }
}
