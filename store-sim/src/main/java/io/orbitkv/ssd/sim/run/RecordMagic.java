package io.orbitkv.ssd.sim.run;

import java.util.Arrays;

/**
 * How the records of one store begin, learnt from the first one that carries a caller's memory. It
 * outlives a life: the first record of the next one may be a page that is moved.
 */
final class RecordMagic {
  private static final int BYTES = 8;

  private byte[] bytes = new byte[0];

  void learn(byte[] record) {
    bytes = Arrays.copyOf(record, BYTES);
  }

  boolean begins(byte[] written) {
    return Arrays.equals(Arrays.copyOf(written, BYTES), bytes);
  }
}
