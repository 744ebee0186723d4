package io.orbitkv.workload.sim.hardware;

/**
 * Counts distinct 64-bit hashes in constant space (HyperLogLog, 2^14 registers: about 0.8 % error).
 * Merging gives the same whatever the order.
 */
public final class StateSketch {
  private static final int BITS = 14;
  private static final int REGISTERS = 1 << BITS;
  private static final double ALPHA = 0.7213 / (1 + 1.079 / REGISTERS);

  private final byte[] registers = new byte[REGISTERS];

  /** Nothing was seen. */
  public StateSketch() {}

  /** Sees a hash of good quality. */
  public void add(long hash) {
    int register = (int) (hash >>> (Long.SIZE - BITS));
    int rank = Math.min(Long.numberOfLeadingZeros(hash << BITS), Long.SIZE - BITS) + 1;
    if (registers[register] < rank) {
      registers[register] = (byte) rank;
    }
  }

  /** Sees everything that another one saw. */
  public void merge(StateSketch other) {
    for (int i = 0; i < REGISTERS; i++) {
      registers[i] = (byte) Math.max(registers[i], other.registers[i]);
    }
  }

  /** About how many distinct hashes were seen. */
  public long estimate() {
    double sum = 0;
    int zeros = 0;
    for (byte register : registers) {
      sum += Math.scalb(1.0, -register);
      zeros += register == 0 ? 1 : 0;
    }
    double raw = ALPHA * REGISTERS * REGISTERS / sum;
    boolean small = raw <= 2.5 * REGISTERS && zeros > 0;
    return Math.round(small ? REGISTERS * Math.log((double) REGISTERS / zeros) : raw);
  }
}
