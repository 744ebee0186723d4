package io.orbitkv.workload.trace;

import io.orbitkv.api.page.PageKey;
import java.util.HashSet;
import java.util.Set;

/**
 * What a trace offers to a cache.
 *
 * @param requests in the trace
 * @param durationNanos from the first arrival to the last
 * @param inputTokens of all prompts
 * @param outputTokens of all requests
 * @param longestInputTokens of the longest prompt
 * @param pages complete pages of all prompts
 * @param distinctPages different ones among them
 * @param reusablePages pages that a cache of endless size would have found, each with every page
 *     before it
 */
public record TraceSummary(
    long requests,
    long durationNanos,
    long inputTokens,
    long outputTokens,
    int longestInputTokens,
    long pages,
    long distinctPages,
    long reusablePages) {
  /** The hit ratio of a cache of endless size; 0 without pages. */
  public double reusableRatio() {
    return pages == 0 ? 0 : (double) reusablePages / pages;
  }

  /** Reads {@code source} to its end. Keeps a key of each distinct page in memory. */
  public static TraceSummary of(TraceSource source, int pageTokens) {
    Set<PageKey> seen = new HashSet<>();
    long requests = 0;
    long firstNanos = 0;
    long lastNanos = 0;
    long inputTokens = 0;
    long outputTokens = 0;
    int longest = 0;
    long pages = 0;
    long reusable = 0;
    for (TraceRequest request = source.next(); request != null; request = source.next()) {
      firstNanos = requests == 0 ? request.arrivalNanos() : firstNanos;
      lastNanos = request.arrivalNanos();
      requests++;
      inputTokens += request.inputTokens();
      outputTokens += request.outputTokens();
      longest = Math.max(longest, request.inputTokens());
      long[] keys = PageKeys.of(request, pageTokens);
      int count = keys.length / PageKeys.LONGS;
      pages += count;
      for (int page = 0; page < count; page++) {
        // Keys are chained: once a page is new, so is everything after it.
        reusable += seen.add(PageKeys.at(keys, page)) ? 0 : 1;
      }
    }
    return new TraceSummary(
        requests,
        lastNanos - firstNanos,
        inputTokens,
        outputTokens,
        longest,
        pages,
        seen.size(),
        reusable);
  }
}
