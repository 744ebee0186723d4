package io.orbitkv.api.policy;

import java.util.List;

/**
 * A request of an engine.
 *
 * @param instance the engine instance
 * @param requestId the engine's name for it
 * @param scope tenant or workload, empty when the engine names none
 * @param arrivalNanos monotonic time at which the Manager first heard of it
 * @param tokens of its prompt
 * @param pages complete pages of its prompt
 * @param chain its deepest known chain: from the first page that not every prompt shares
 * @param devicePages pages resident on the device
 * @param dramPages further pages resident in host memory
 * @param ssdPages further pages resident in a backing tier
 * @param executing whether the engine started it
 * @param hints what the engine added, at most {@link #MAX_HINTS}
 * @param groups groups of pages that its model needs; with more than one all pages count together
 */
public record RequestFacts(
    String instance,
    String requestId,
    String scope,
    long arrivalNanos,
    int tokens,
    int pages,
    ChainFacts chain,
    int devicePages,
    int dramPages,
    int ssdPages,
    boolean executing,
    List<Hint> hints,
    int groups) {
  /** Most hints of one request. */
  public static final int MAX_HINTS = 8;

  /** Copies the hints. */
  public RequestFacts {
    hints = List.copyOf(hints);
  }

  /** A request of a model with one group of pages. */
  public RequestFacts(
      String instance,
      String requestId,
      String scope,
      long arrivalNanos,
      int tokens,
      int pages,
      ChainFacts chain,
      int devicePages,
      int dramPages,
      int ssdPages,
      boolean executing,
      List<Hint> hints) {
    this(
        instance,
        requestId,
        scope,
        arrivalNanos,
        tokens,
        pages,
        chain,
        devicePages,
        dramPages,
        ssdPages,
        executing,
        hints,
        1);
  }

  /**
   * A hint of the engine.
   *
   * @param name such as {@code priority} or {@code end-of-conversation}
   * @param value its meaning belongs to the name
   */
  public record Hint(String name, long value) {}
}
