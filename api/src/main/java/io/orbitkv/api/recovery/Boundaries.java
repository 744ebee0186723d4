package io.orbitkv.api.recovery;

import java.util.Arrays;
import java.util.List;
import java.util.OptionalInt;

/**
 * All legal boundaries of a span, or those of them that several ranks or shards agree on.
 * Immutable.
 *
 * <p>All of them are kept, not only the largest: the largest boundary of one rank may lack a
 * checkpoint on another one, and then the smaller of the two maxima is legal on neither. So ranks
 * are first intersected and the boundary is chosen afterwards.
 */
public final class Boundaries {
  private final RecoveryContract contract;
  private final int startToken;
  private final int endToken;
  private final int[] ends;

  /**
   * @param ends sorted, unique, aligned, inside the span; the object's own from now on
   */
  Boundaries(RecoveryContract contract, int startToken, int endToken, int[] ends) {
    this.contract = contract;
    this.startToken = startToken;
    this.endToken = endToken;
    this.ends = ends;
  }

  /**
   * The boundaries that another process reported.
   *
   * @param ends the boundaries, strictly ascending; copied
   * @throws IllegalArgumentException when the span is not the contract's, or a boundary is not
   *     aligned, not in order or outside the span
   */
  public static Boundaries of(RecoveryContract contract, int startToken, int endToken, int[] ends) {
    contract.requireSpan(startToken, endToken);
    int[] copy = ends.clone();
    contract.requireEnds("boundary", startToken, endToken, copy);
    return new Boundaries(contract, startToken, endToken, copy);
  }

  /**
   * The boundaries that all ranks and shards have. Takes time linear in their number.
   *
   * @param ranks the boundaries of each of them, at least one
   * @throws IllegalArgumentException when nobody reported, or two of them answered for different
   *     contracts or spans
   */
  public static Boundaries intersection(List<Boundaries> ranks) {
    if (ranks.isEmpty()) {
      throw new IllegalArgumentException("no rank reported boundaries: none can be legal on all");
    }
    Boundaries common = ranks.getFirst();
    for (Boundaries rank : ranks.subList(1, ranks.size())) {
      common = common.intersect(rank);
    }
    return common;
  }

  /**
   * The boundaries that both have.
   *
   * @throws IllegalArgumentException when the two are about different contracts or spans
   */
  public Boundaries intersect(Boundaries other) {
    if (!contract.equals(other.contract)) {
      throw new IllegalArgumentException(
          "boundaries of the contract [" + other.contract + "] meet those of [" + contract + "]");
    }
    if (startToken != other.startToken || endToken != other.endToken) {
      throw new IllegalArgumentException(
          "boundaries of the span ["
              + other.startToken
              + ", "
              + other.endToken
              + ") meet those of ["
              + startToken
              + ", "
              + endToken
              + "): ask all ranks for one span");
    }
    int[] common = new int[Math.min(ends.length, other.ends.length)];
    int count = keepCommon(ends, ends.length, other.ends, other.ends.length, common);
    return new Boundaries(contract, startToken, endToken, Arrays.copyOf(common, count));
  }

  /**
   * Writes the values of two ascending lists that both have to {@code target}, which may be one of
   * them, and returns their number.
   */
  static int keepCommon(int[] left, int leftCount, int[] right, int rightCount, int[] target) {
    int count = 0;
    int i = 0;
    int j = 0;
    while (i < leftCount && j < rightCount) {
      int a = left[i];
      int b = right[j];
      if (a <= b) {
        i++;
      }
      if (b <= a) {
        j++;
      }
      if (a == b) {
        target[count++] = a;
      }
    }
    return count;
  }

  /**
   * The largest boundary that is not beyond a limit; never one that is rounded up to.
   *
   * @param tokenLimit tokens that the engine can use, see {@link RecoveryContract#usableTokens}
   * @return empty when no boundary is small enough: then everything is computed
   */
  public OptionalInt largestWithin(int tokenLimit) {
    int place = Arrays.binarySearch(ends, tokenLimit);
    // Where it is not found, the search returns -(place of the next larger) - 1.
    int index = place >= 0 ? place : -place - 2;
    return index < 0 ? OptionalInt.empty() : OptionalInt.of(ends[index]);
  }

  /** The contract that makes them legal. */
  public RecoveryContract contract() {
    return contract;
  }

  /** Start of the span; never a boundary itself. */
  public int startToken() {
    return startToken;
  }

  /** End of the span; a boundary if it is legal. */
  public int endToken() {
    return endToken;
  }

  /** Number of boundaries. */
  public int size() {
    return ends.length;
  }

  /** Whether there is none. */
  public boolean isEmpty() {
    return ends.length == 0;
  }

  /** Whether a token is a legal boundary. */
  public boolean contains(int token) {
    return Arrays.binarySearch(ends, token) >= 0;
  }

  /** The boundaries, ascending; a copy. */
  public int[] toArray() {
    return ends.clone();
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof Boundaries that
        && startToken == that.startToken
        && endToken == that.endToken
        && Arrays.equals(ends, that.ends)
        && contract.equals(that.contract);
  }

  @Override
  public int hashCode() {
    return 31 * Arrays.hashCode(ends) + 7 * startToken + endToken;
  }

  @Override
  public String toString() {
    return "boundaries " + Arrays.toString(ends) + " of [" + startToken + ", " + endToken + ")";
  }
}
