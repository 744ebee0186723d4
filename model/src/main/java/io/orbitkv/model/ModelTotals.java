package io.orbitkv.model;

import java.util.List;

/**
 * Sums of a run.
 *
 * @param requests served
 * @param pages of their prompts
 * @param hitPages of their prefix hits
 * @param ssdReadBytes read from the backing tier
 * @param ssdWrittenBytes written to it
 */
public record ModelTotals(
    long requests, long pages, long hitPages, long ssdReadBytes, long ssdWrittenBytes) {
  /** Sums of outcomes. */
  public static ModelTotals of(List<RequestOutcome> outcomes) {
    long pages = 0;
    long hits = 0;
    long read = 0;
    long written = 0;
    for (RequestOutcome outcome : outcomes) {
      pages += outcome.pages();
      hits += outcome.hitPages();
      read += outcome.ssdReadBytes();
      written += outcome.ssdWrittenBytes();
    }
    return new ModelTotals(outcomes.size(), pages, hits, read, written);
  }

  /** Pages of prefix hits as a share of all; 0 without pages. */
  public double prefixHitRatio() {
    return pages == 0 ? 0 : (double) hitPages / pages;
  }
}
