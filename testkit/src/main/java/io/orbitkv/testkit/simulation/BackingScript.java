package io.orbitkv.testkit.simulation;

import io.orbitkv.api.backing.BackingRead;
import io.orbitkv.api.backing.BackingStatus;
import io.orbitkv.api.backing.BackingWrite;

/**
 * What becomes of the operations of a {@link DeterministicBackingTier}: the place where faults and
 * delays are put in. Each method is asked once an operation, on the tier's thread of that kind,
 * before a byte moves; the operation waits for as long as it does not return.
 */
public interface BackingScript {
  /** Everything succeeds at once. */
  BackingScript SUCCEED = new BackingScript() {};

  /**
   * How a read ends. {@link BackingStatus#DONE}: as the store itself finds; {@link
   * BackingStatus#SHORT} moves a half; {@link BackingStatus#CORRUPT} moves wrong bytes and loses
   * the page; {@link BackingStatus#ABSENT} loses the page; the others move nothing.
   */
  default BackingStatus read(BackingRead read) {
    return BackingStatus.DONE;
  }

  /**
   * How a write ends. {@link BackingStatus#DONE}: as the store itself finds; else without a page.
   */
  default BackingStatus write(BackingWrite write) {
    return BackingStatus.DONE;
  }

  /** Reads wait at {@link Barriers#READ}, writes at {@link Barriers#WRITE}. */
  static BackingScript behind(Barriers barriers) {
    return new BackingScript() {
      @Override
      public BackingStatus read(BackingRead read) {
        return barriers.pass(Barriers.READ);
      }

      @Override
      public BackingStatus write(BackingWrite write) {
        return barriers.pass(Barriers.WRITE);
      }
    };
  }
}
