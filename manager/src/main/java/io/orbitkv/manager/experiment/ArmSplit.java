package io.orbitkv.manager.experiment;

import java.nio.charset.StandardCharsets;

/**
 * Gives a unit of live traffic to a group, the same one every time and after every restart: a
 * salted hash, compared with the share of the first group.
 *
 * @param by what is assigned
 * @param percent share of the first group, 1 to 99
 * @param salt another salt, another split
 */
public record ArmSplit(Assignment.By by, int percent, long salt) {
  private static final double UNIT = 0x1p-53;

  /** The split of an assignment. */
  public static ArmSplit of(Assignment assignment) {
    return new ArmSplit(assignment.by(), assignment.percentOfA(), assignment.salt());
  }

  /**
   * Whether a request belongs to the second group, which is variant B before the variants are
   * swapped.
   *
   * @param instance name of the engine instance
   * @param unitHash draw of its chain's root, in [0, 1)
   */
  public boolean second(String instance, double unitHash) {
    long unit =
        switch (by) {
          case INSTANCE -> hash(instance);
          case CHAIN -> Double.doubleToLongBits(unitHash);
        };
    return (mix(unit ^ mix(salt + 0x9e37_79b9_7f4a_7c15L)) >>> 11) * UNIT >= percent / 100.0;
  }

  private static long hash(String name) {
    long hash = 0xcbf2_9ce4_8422_2325L;
    for (byte next : name.getBytes(StandardCharsets.UTF_8)) {
      hash = (hash ^ (next & 0xff)) * 0x100_0000_01b3L;
    }
    return hash;
  }

  // The finalizer of SplitMix64: each bit of the argument reaches each bit of the result.
  private static long mix(long value) {
    long mixed = value;
    mixed = (mixed ^ (mixed >>> 30)) * 0xbf58_476d_1ce4_e5b9L;
    mixed = (mixed ^ (mixed >>> 27)) * 0x94d0_49bb_1331_11ebL;
    return mixed ^ (mixed >>> 31);
  }
}
