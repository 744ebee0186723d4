package io.orbitkv.workload.ab.live;

import io.orbitkv.workload.replay.ReplayOptions;

/**
 * How each run is done; the same for both variants.
 *
 * @param replay the engine and the requests; {@code maxRequests} counts the untimed beginning too
 * @param start what a run finds
 * @param warmRequests untimed requests at its beginning; 0 for a cold start
 * @param prefillTokensPerSecond how fast the modelled engine computes what nobody has
 */
public record LiveSettings(
    ReplayOptions replay, StartState start, long warmRequests, double prefillTokensPerSecond) {
  /** Tokens a second of one H200 with an 8B model. */
  public static final double PREFILL_TOKENS_PER_SECOND = 40_000;

  /**
   * Checks the values.
   *
   * @throws IllegalArgumentException naming what does not fit
   */
  public LiveSettings {
    if (!(prefillTokensPerSecond > 0 && prefillTokensPerSecond <= 1e9)) {
      throw new IllegalArgumentException(
          "prefill rate [" + prefillTokensPerSecond + "] must be above 0 tokens a second");
    }
    if (start == StartState.COLD && warmRequests != 0) {
      throw new IllegalArgumentException(
          "[" + warmRequests + "] untimed requests: a cold start has none; use --start warm");
    }
    if (start == StartState.WARM && warmRequests < 1) {
      throw new IllegalArgumentException(
          "[" + warmRequests + "] untimed requests: a warm start needs at least one");
    }
    if (replay.maxRequests() <= warmRequests) {
      throw new IllegalArgumentException(
          "["
              + warmRequests
              + "] untimed requests of ["
              + replay.maxRequests()
              + "] leave none to measure: use fewer, or more requests");
    }
  }

  /** The untimed beginning. */
  ReplayOptions warming() {
    return requests(warmRequests);
  }

  /** The timed part. */
  ReplayOptions timed() {
    return requests(replay.maxRequests() - warmRequests);
  }

  private ReplayOptions requests(long count) {
    return replay.withMaxRequests(count);
  }
}
