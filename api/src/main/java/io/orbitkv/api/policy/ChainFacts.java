package io.orbitkv.api.policy;

/**
 * A chain: a run of pages that continue each other.
 *
 * @param id the same for equal chains everywhere
 * @param parent the chain that it continues, or {@link Facts#UNKNOWN}
 * @param depth pages before it
 * @param pages pages in it
 * @param children chains that continue it, as far as known
 * @param bytes of its pages
 * @param tier where it is now
 * @param lastUseNanos monotonic time of the last use, or {@link Facts#UNKNOWN}
 * @param uses foreground uses so far: requests that were served from it, and those that had to
 *     compute it although it had been there; 0 when it is saved for the first time, and unchanged
 *     when it is saved while it is there
 * @param unitHash in [0, 1), the same for equal chains everywhere: draw trials from it
 */
public record ChainFacts(
    long id,
    long parent,
    int depth,
    int pages,
    int children,
    long bytes,
    TierKind tier,
    long lastUseNanos,
    long uses,
    double unitHash) {}
