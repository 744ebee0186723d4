package io.orbitkv.api.recovery;

/**
 * A half-open range of tokens of one group, aligned to pages.
 *
 * @param group the group
 * @param startToken first token
 * @param endToken token after the last; equal to {@code startToken} for an empty range
 */
public record GroupRange(int group, int startToken, int endToken) {
  /**
   * @throws IllegalArgumentException when the range is negative or reversed
   */
  public GroupRange {
    if (group < 0 || startToken < 0 || endToken < startToken) {
      throw new IllegalArgumentException(
          "group [" + group + "] range [" + startToken + ", " + endToken + ") is not a range");
    }
  }

  /** Number of pages of {@code pageTokens} tokens in the range. */
  public int pages(int pageTokens) {
    return (endToken - startToken) / pageTokens;
  }
}
