package io.orbitkv.policy.restoreorrecompute;

/**
 * How many of a request's stored pages to read, and when its first token would come then.
 *
 * <p>Pages are read one after another behind what is queued already; what is not restored is
 * computed when the read is over and the engine has done what waits there. So with {@code n} pages
 * of {@code b} bytes and {@code t} tokens each, bandwidth {@code B}, queue {@code Q}, latency
 * {@code L}, prefill rate {@code P}, engine queue {@code W} and {@code T} tokens that are neither
 * on the device nor in host memory:
 *
 * <pre>
 *   read(n)   = L + (Q + n b) / B for n &gt; 0, and 0 for none
 *   finish(n) = max(W, read(n)) + (T - n t) / P
 * </pre>
 *
 * <p>While the engine is busy with others, reading is free: there the finish falls with each page.
 * From where the read outlasts the engine's queue on it falls or rises on a straight line. So the
 * best number is one of three: none, all, or as many as are read while the engine is busy.
 *
 * <p>That is the request's own view. What it computes delays every request behind it, while what it
 * reads delays only those that read; so computing has a price ({@link EngineLoad#price}), by which
 * more pages may finish later than fewer. A read never lasts longer than recomputing would take,
 * with what that would cost the others: who recomputes because the tier is busy makes everybody
 * wait, those too that have nothing to read. With an engine that makes nobody wait that is {@code
 * finish(0)}.
 *
 * @param pages to be read, 0 to all
 * @param readNanos until they are there, 0 for none
 * @param finishNanos until the first token
 */
record Choice(int pages, double readNanos, double finishNanos) {
  /** So that pages that are there at the very moment count. */
  private static final double ROUNDING = 1e-6;

  /**
   * Costs of one request, in nanoseconds.
   *
   * @param storedPages that could be read
   * @param queueNanos until the first byte of this request is read: queue and latency
   * @param pageReadNanos of a page
   * @param engineNanos until the engine has done what waits there
   * @param pageComputeNanos of a page
   * @param computeNanos of everything that is neither on the device nor in host memory
   */
  record Costs(
      int storedPages,
      double queueNanos,
      double pageReadNanos,
      double engineNanos,
      double pageComputeNanos,
      double computeNanos) {
    /** What comes of reading so many pages. */
    Choice of(int pages) {
      double read = pages == 0 ? 0 : queueNanos + pages * pageReadNanos;
      return new Choice(pages, read, Math.max(engineNanos, read) + rest(pages));
    }

    /** What is left to compute when so many pages are restored. */
    double rest(int pages) {
      return Math.max(0, computeNanos - pages * pageComputeNanos);
    }

    /** When the first token comes without any read. */
    double withoutRead() {
      return engineNanos + computeNanos;
    }

    /**
     * So long a read may take: what recomputing would take, and would cost those behind.
     *
     * @param price of a nanosecond of computing, beside itself
     */
    double longestRead(double price) {
      return withoutRead() + price * Math.min(computeNanos, storedPages * pageComputeNanos);
    }

    /**
     * The best of none, all, and what is read while the engine is busy.
     *
     * @param price of a nanosecond of computing, beside itself
     */
    Choice best(double price) {
      Choice free = better(of(pagesWithin(engineNanos)), of(0), price);
      return better(of(pagesWithin(longestRead(price))), free, price);
    }

    /** All or nothing, for pages that are of use only together. */
    Choice bestWhole(double price) {
      return pagesWithin(longestRead(price)) < storedPages
          ? of(0)
          : better(of(storedPages), of(0), price);
    }

    /** Pages that are there after so long. */
    private int pagesWithin(double nanos) {
      double left = nanos - queueNanos;
      if (left <= 0) {
        return 0;
      }
      return pageReadNanos == 0
          ? storedPages
          : (int) Math.min(storedPages, Math.floor(left / pageReadNanos + ROUNDING));
    }

    private Choice better(Choice more, Choice fewer, double price) {
      double worth = price * (rest(fewer.pages) - rest(more.pages));
      return more.finishNanos - fewer.finishNanos <= worth ? more : fewer;
    }
  }
}
