package io.orbitkv.model;

/**
 * Sizes of a model.
 *
 * @param pageBytes of one page of the trace
 * @param dramBytes host memory for pages
 * @param ssdBytes the backing tier; 0 for none
 * @param rule how victims are asked for
 * @param writeBytesPerSecond write allowance of the backing tier; 0 for no limit. What is not used
 *     is kept for later
 * @param seed of candidates that are sampled
 */
public record ModelSettings(
    long pageBytes,
    long dramBytes,
    long ssdBytes,
    VictimRule rule,
    double writeBytesPerSecond,
    long seed) {
  /** Time whose write allowance is there at the start. */
  static final double FIRST_ALLOWANCE_SECONDS = 60;

  /** Checks the sizes. */
  public ModelSettings {
    if (pageBytes < 1 || dramBytes < 0 || ssdBytes < 0 || writeBytesPerSecond < 0) {
      throw new IllegalArgumentException(
          "model of ["
              + dramBytes
              + "] and ["
              + ssdBytes
              + "] bytes with pages of ["
              + pageBytes
              + "] bytes: sizes are not negative, and a page has bytes");
    }
  }

  /** Host memory alone, with the kernel's rule. */
  public static ModelSettings dram(ModelTrace trace, long tokenBytes, long dramBytes, long seed) {
    return twoTiers(trace, tokenBytes, dramBytes, 0, seed);
  }

  /** Both tiers, with the kernel's rule and no write limit. */
  public static ModelSettings twoTiers(
      ModelTrace trace, long tokenBytes, long dramBytes, long ssdBytes, long seed) {
    return new ModelSettings(
        tokenBytes * trace.pageTokens(),
        dramBytes,
        ssdBytes,
        VictimRule.kernel(trace.pageTokens()),
        0,
        seed);
  }

  /** The same with another rule. */
  public ModelSettings with(VictimRule other) {
    return new ModelSettings(pageBytes, dramBytes, ssdBytes, other, writeBytesPerSecond, seed);
  }

  /** The same with a write limit. */
  public ModelSettings withWriteLimit(double bytesPerSecond) {
    return new ModelSettings(pageBytes, dramBytes, ssdBytes, rule, bytesPerSecond, seed);
  }

  int dramPages() {
    return (int) Math.min(Integer.MAX_VALUE / 2, dramBytes / pageBytes);
  }

  int ssdPages() {
    return (int) Math.min(Integer.MAX_VALUE / 2, ssdBytes / pageBytes);
  }
}
