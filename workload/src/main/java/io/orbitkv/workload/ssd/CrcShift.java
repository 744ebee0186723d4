package io.orbitkv.workload.ssd;

/**
 * Joins CRC-32C sums of neighbouring pieces, so that a page whose first block alone changes is
 * summed again at the cost of that block: the register over the first piece is multiplied by x to
 * the number of bits of the second, modulo the polynomial.
 */
final class CrcShift {
  /** CRC-32C, lowest bit first. */
  private static final int POLYNOMIAL = 0x82F6_3B78;

  private static final int ONE = 1 << 31;

  /** x. */
  private static final int X = 1 << 30;

  private final int factor;

  /**
   * @param secondBytes length of the second piece
   */
  CrcShift(long secondBytes) {
    int power = ONE;
    int square = X;
    for (long bits = secondBytes * Byte.SIZE; bits != 0; bits >>>= 1) {
      if ((bits & 1) != 0) {
        power = times(square, power);
      }
      square = times(square, square);
    }
    factor = power;
  }

  /** The sum over both pieces. */
  int join(int first, int second) {
    return times(factor, first) ^ second;
  }

  private static int times(int left, int right) {
    int product = 0;
    int shifted = right;
    for (int bit = ONE; bit != 0; bit >>>= 1) {
      if ((left & bit) != 0) {
        product ^= shifted;
      }
      shifted = (shifted >>> 1) ^ ((shifted & 1) == 0 ? 0 : POLYNOMIAL);
    }
    return product;
  }
}
