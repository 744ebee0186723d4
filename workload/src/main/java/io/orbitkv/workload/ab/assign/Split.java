package io.orbitkv.workload.ab.assign;

import java.nio.charset.StandardCharsets;

/**
 * Gives a unit (a conversation, an instance) to an arm, the same one every time and everywhere: a
 * salted hash of the unit, compared with A's share.
 *
 * @param shareOfA of all units, above 0 and below 1
 * @param salt another salt, another split of the same units
 */
public record Split(double shareOfA, long salt) {
  private static final double UNIT = 0x1p-53;

  /**
   * Checks the share.
   *
   * @throws IllegalArgumentException when an arm would get nothing
   */
  public Split {
    if (!(shareOfA > 0 && shareOfA < 1)) {
      throw new IllegalArgumentException(
          "share [" + shareOfA + "] of A must be above 0 and below 1: both arms need requests");
    }
  }

  /** The arm of a unit. */
  public Arm arm(long unit) {
    return unitHash(unit) < shareOfA ? Arm.A : Arm.B;
  }

  /** The arm of an engine instance, by its name. */
  public Arm arm(String instance) {
    long hash = 0xcbf2_9ce4_8422_2325L;
    for (byte next : instance.getBytes(StandardCharsets.UTF_8)) {
      hash = (hash ^ (next & 0xff)) * 0x100_0000_01b3L;
    }
    return arm(hash);
  }

  /** The unit's place in [0, 1). */
  double unitHash(long unit) {
    return (mix(unit ^ mix(salt + 0x9e37_79b9_7f4a_7c15L)) >>> 11) * UNIT;
  }

  /** The finalizer of SplitMix64: each bit of the argument reaches each bit of the result. */
  private static long mix(long value) {
    long mixed = value;
    mixed = (mixed ^ (mixed >>> 30)) * 0xbf58_476d_1ce4_e5b9L;
    mixed = (mixed ^ (mixed >>> 27)) * 0x94d0_49bb_1331_11ebL;
    return mixed ^ (mixed >>> 31);
  }
}
